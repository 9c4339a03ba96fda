"""From results about pictures to the Markdown of their regions."""

from result_tables import Data, markdown, times


def equal_minutes(data: Data) -> str:
    """Models that learned for equally long: what they are right in, and how fast they learned."""
    rows = [
        [
            f"`{one['model']}`",
            f"{one['parameters']:,}",
            f"{one['test']:.2f} [{one['interval']['low']:.2f}, {one['interval']['high']:.2f}]",
            f"{one['valid']:.2f}",
            f"{one['images_per_second']:,.0f}",
        ]
        for one in data["models"]
    ]
    told = f"{data['minutes_each']:g} minutes each."
    return f"{told}\n\n{markdown(('model', 'parameters', 'test', 'valid', 'images/s'), rows)}"


def image_races(data: Data) -> str:
    """Images a second of training, and how many times as many as each peer's."""
    rows = []
    for race in data["races"]:
        speeds = race["images_per_second"]
        for peer, ratio in race["ratio"].items():
            ours = f"{speeds['regard']:,.0f}"
            rows.append([race["model"], peer, ours, f"{speeds[peer]:,.0f}", times(ratio)])
        rows += [[race["model"], peer, "-", "-", "-"] for peer in race["absent"]]
    return markdown(("model", "beside", "regard", "theirs", "ratio"), rows, words=2)


def numbers(data: Data) -> str:
    """Every number of a script's own scores; of several under one name each by itself."""
    rows = []
    for name, value in data["evaluation"].items():
        several = value.items() if isinstance(value, dict) else [("", value)]
        if isinstance(value, list):
            several = [(str(number), one) for number, one in enumerate(value, start=1)]
        title = name.replace("_", " ")
        rows += [[f"{title}: {part}" if part else title, f"{one:.4g}"] for part, one in several]
    return markdown(("measure", "value"), rows)
