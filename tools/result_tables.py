"""From a result of ``regard bench`` to the Markdown of one region, and to a headline."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

Data = dict[str, Any]


class Row(NamedTuple):
    """One line of a table of races: what is raced, and against whom."""

    label: str
    mechanism: str
    shape: tuple[int, int, int, int]
    peer: str
    peer_label: str
    ours: str = "regard"
    mask: str = "plain"


ADDITIVE = ("additive", (1, 1, 1024, 64))
SPARSEMAX = Row("sparsemax", "sparsemax", (1, 8, 2048, 64), "entmax", "`entmax` package")
WINDOW = ("window", (1, 8, 4096, 64))
LOCAL = ("local-attention", "`local-attention`")
BAND = ("sdpa", "torch SDPA with a band mask")
KERNELS = (
    Row("additive score", *ADDITIVE, "eager", "eager form", "regard, numba"),
    Row("", *ADDITIVE, "keras", "keras `AdditiveAttention`", "regard, numba"),
    Row("additive score, without numba", *ADDITIVE, "eager", "eager form", "regard, no numba"),
    Row("", *ADDITIVE, "keras", "keras `AdditiveAttention`", "regard, no numba"),
    SPARSEMAX,
    Row("1.5-entmax", "entmax15", (1, 8, 2048, 64), "entmax", "`entmax` package"),
    Row("window of 128 back", *WINDOW, *LOCAL, mask="back"),
    Row("", *WINDOW, *BAND, mask="back"),
    Row("window of 128 on both sides", *WINDOW, *LOCAL, mask="around"),
    Row("", *WINDOW, *BAND, mask="around"),
    Row(
        "ALiBi, causal",
        *("alibi", (1, 8, 2048, 64), "sdpa", "torch SDPA, lowered by hand"),
        mask="causal",
    ),
    Row(
        "padded batch, default",
        *("softmax", (1, 8, 4096, 64), "sdpa", "torch SDPA with the mask"),
        mask="padded",
    ),
)
LAYER = ((32, 8, 32, 64), (8, 8, 256, 64), (1, 8, 2048, 64))
MODULES = (
    *(
        Row("`MultiHeadAttention`", "layer", shape, peer, label, "regard.nn")
        for peer, label in (
            ("nn.MultiheadAttention", "`nn.MultiheadAttention`"),
            ("x-transformers", "x-transformers, flash"),
        )
        for shape in LAYER
    ),
    Row(
        "`BahdanauAttention`, all states at once",
        *("bahdanau", (4, 1, 512, 64), "keras", "keras, two linear maps", "regard.nn"),
    ),
    Row(
        "`BahdanauAttention`, 16 steps",
        *("bahdanau steps", (8, 1, 1000, 128), "tutorial", "as tutorials write it", "regard.nn"),
    ),
)


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """A table whose numbers stand to the right.

    Args:
        columns: their names.
        rows: their cells.
        words: how many of the first columns are words.
    """
    rules = ["---"] * words + ["--:"] * (len(columns) - words)
    lines = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([f"| {' | '.join(columns)} |", f"|{'|'.join(rules)}|", *lines])


def times(ratio: float) -> str:
    """A ratio with two digits that count."""
    decimals = 0 if ratio >= 9.95 else 1 if ratio >= 1.95 else 2
    return f"{ratio:.{decimals}f}×"


def megabytes(size: float) -> str:
    """Bytes as they are read."""
    return f"{size / 1e6:,.0f} MB"


def measured(data: Data, command: str | None = None) -> str:
    """By which command, where and when.

    Args:
        data: a result.
        command: another one than the machine states.
    """
    machine = data["machine"]
    where = [f"`{command or machine['command']}`"]
    if machine["commit"]:
        where.append(f"commit {machine['commit']}")
    where.append(machine["cpu"])
    if machine["threads"]:
        where.append(f"{machine['threads']} {'thread' if machine['threads'] == 1 else 'threads'}")
    where += [f"{name} {one}" for name, one in machine["versions"].items() if one[0].isdigit()]
    if machine["load"]:
        where.append(f"load {machine['load'][0]:.1f} at the start")
    where.append(str(datetime.fromisoformat(machine["date"]).date()))
    summary = data.get("goals", {}).get("summary")
    origin = "copied from an earlier README" if data.get("transcribed") else summary
    return f"*{', '.join(where)}{f'; {origin}' if origin else ''}.*"


def speedup(data: Data, row: Row, *, backward: bool) -> float:
    """How many times faster ours was: the median of the ratios of the rounds."""
    for race in (race for suite in data["suites"] for race in suite["races"]):
        case = race["case"]
        asked = (row.mechanism, list(row.shape), row.mask, backward)
        if (case["mechanism"], case["shape"], case["mask"], case["backward"]) != asked:
            continue
        for found in race["comparisons"]:
            if found["ours"] == row.ours and row.peer in found["peers"]:
                value: float = found["value"]
                return value if found["measure"] == "speedup" else 1 / value
    raise SystemExit(f"no result of {row}; measure it again")


def passes(data: Data, row: Row) -> tuple[str, str]:
    """Forward, and forward with backward."""
    forward, both = (times(speedup(data, row, backward=backward)) for backward in (False, True))
    return forward, both


def speedups(rows: Sequence[Row]) -> Callable[[Data], str]:
    """A table of races; larger is faster than the peer."""
    columns = ("what", "size (B, H, N, D)", "peer", "forward", "forward + backward")

    def table(data: Data) -> str:
        cells = ((row.label, str(row.shape), row.peer_label, *passes(data, row)) for row in rows)
        return markdown(columns, cells, words=3)

    return table


def curve(data: Data, mechanism: str, system: str) -> Data:
    """Peak memory over N, forward and backward."""
    asked = ("memory", system, mechanism, True)
    for found in (found for suite in data["suites"] for found in suite["curves"]):
        case = found["case"]
        if (found["quantity"], found["system"], case["mechanism"], case["backward"]) == asked:
            return dict(found)
    raise SystemExit(f"no memory of {mechanism} by {system}; measure it again")


def memory(data: Data) -> str:
    """What additive attention takes, and maps that are never built."""
    ours, eager = (curve(data, "additive", system) for system in ("regard, numba", "eager"))
    rows, summary = (
        probe for suite in data["suites"] for probe in suite["probes"] if suite["name"] == "weigh"
    )
    first, last = (f"{megabytes(ours['values'][i])} at N = {ours['sizes'][i]:,}" for i in (0, -1))
    return (
        f"Peak memory of an additive forward and backward is {first} and {last} (the eager form: "
        f"{megabytes(eager['values'][-1])} at N = {eager['sizes'][-1]:,}), an exponent of "
        f"{ours['exponent']:.2f} in N. Eight rows of weights out of a map of 100,000 × 100,000 "
        f"take {megabytes(rows['peak']['bytes'])} and {1000 * rows['timed']['seconds']:.0f} ms; "
        f"the statistics of a 16,384-token causal map {megabytes(summary['peak']['bytes'])} and "
        f"{summary['timed']['seconds']:.1f} s."
    )


def default(data: Data) -> str:
    """How far the default is from the better of torch's kernel and the unfused form."""
    found = [
        (comparison["value"], race["case"])
        for suite in data["suites"]
        if suite["name"] == "default"
        for race in suite["races"]
        for comparison in race["comparisons"]
        if race["case"]["mechanism"] == "softmax" and comparison["measure"] == "slowdown"
    ]
    within = sum(value <= 1.05 for value, _ in found)
    worst, case = max(found, key=lambda one: one[0])
    work = "forward and backward" if case["backward"] else "forward"
    return (
        f"`attend(q, k, v)` takes at most 1.05 times the better of torch's kernel and the unfused "
        f"form in {within} of {len(found)} cases, and at worst {worst:.2f} times "
        f"({work}, {case['mask']}, {tuple(case['shape'])})."
    )


def rates(name: str) -> Callable[[Data], str]:
    """Tokens per second, a column per system, with our speed beside it where it is compared.

    Args:
        name: what a race calls the numbers of its systems.
    """

    def table(data: Data) -> str:
        races = data["races"]
        systems = list(dict.fromkeys(system for race in races for system in race[name]))
        rows = [
            (race["title"], *(rate(race, race[name].get(system), system) for system in systems))
            for race in races
        ]
        return markdown(("tokens per second", *systems), rows)

    return table


def rate(race: Data, numbers: Data | None, system: str) -> str:
    """The speed of one system, and how many times ours is faster."""
    if numbers is None:
        return ""
    ratios = [found["value"] for found in race["comparisons"] if found["peer"] == system]
    return " ".join([f"{numbers['tokens_per_second']:,.0f}", *(f"({times(x)})" for x in ratios)])


def mechanisms(data: Data) -> str:
    """What every mechanism reached with as many parameters and minutes."""
    columns = ("mechanism", "BLEU", "chrF", "exact", "AER", "peak memory", "tokens/s", "updates")
    found = data["mechanisms"].values()
    used = [at for at, one in enumerate(next(iter(found))["lengths"]) if one["sentences"]]
    labels = [f"BLEU, {one['label']} words" for one in next(iter(found))["lengths"]]
    rows = [
        (
            one["title"],
            f"{one['bleu']:.1f}",
            f"{one['chrf']:.1f}",
            f"{one['exact']:.1%}",
            "" if one["aer"] is None else f"{one['aer']:.1%}",
            megabytes(one["peak_bytes"]),
            f"{one['tokens_per_second']:,.0f}",
            f"{one['updates']:,}",
            f"{one['parameters'] / 1e6:.2f} M",
            *(f"{one['lengths'][at]['bleu']:.1f}" for at in used),
        )
        for one in found
    ]
    return markdown((*columns, "parameters", *(labels[at] for at in used)), rows)


def kernel_headlines(data: Data) -> Iterator[tuple[str, str]]:
    """Two ratios and the memory."""
    for name, row in (("additive", KERNELS[0]), ("sparsemax", SPARSEMAX)):
        forward, both = passes(data, row)
        yield name, f"{forward} forward, {both} with backward, {row.shape}"
    ours, eager = (curve(data, "additive", system) for system in ("regard, numba", "eager"))
    mine, other = (
        f"{megabytes(one['values'][-1])} at N = {one['sizes'][-1]:,}" for one in (ours, eager)
    )
    yield "memory", f"{mine}; the eager form takes {other}"


def training_headlines(data: Data) -> Iterator[tuple[str, str]]:
    """Beside the best of all peers, for each architecture."""
    best = []
    for race in data["races"]:
        known = [one for one in race["comparisons"] if one["value"] is not None]
        slowest = min(known, key=lambda one: one["value"])
        best.append(f"{times(slowest['value'])} {slowest['peer']} ({race['name']})")
    yield "training", ", ".join(best)


def decoding_headlines(data: Data) -> Iterator[tuple[str, str]]:
    """Beside Hugging Face, over all ways."""
    values = [race["comparisons"][0]["value"] for race in data["races"]]
    known = [value for value in values if value is not None]
    yield "decoding", f"{times(min(known))} to {times(max(known))}, by batch and search"


def scores(data: Data) -> str:
    """All that ``regard evaluate`` measured, each with its interval."""
    found = data["evaluation"]
    models = found.get("models", [found])
    names = list(dict.fromkeys(name for one in models for name in one["scores"]))
    rows = [[name.replace("_", " "), *[_score(one, name) for one in models]] for name in names]
    return markdown(("measure", *[f"`{one['model']}`" for one in models]), rows)


def _score(one: Data, name: str) -> str:
    value = one["scores"].get(name)
    if value is None:
        return "-"
    told = (one.get("intervals") or {}).get(name)
    return f"{value:.4g}" + (f" [{told['low']:.4g}, {told['high']:.4g}]" if told else "")


def curves(data: Data) -> str:
    """What two contenders had reached by the minute, in one interleaved run."""
    contenders = data["curves"]
    minutes = sorted({point["minutes"] for points in contenders.values() for point in points})
    by_minute = {
        name: {point["minutes"]: point["value"] for point in points}
        for name, points in contenders.items()
    }
    rows = [
        [f"{minute:g}", *[f"{by_minute[name][minute]:.3f}" for name in contenders]]
        for minute in minutes
    ]
    return markdown(("minutes", *[f"{name}, {data['unit']}" for name in contenders]), rows)


def ratios(data: Data) -> str:
    """Seconds of both, and how many times faster ours was."""
    rows = [
        [
            f"{one['rows']}, {'drawn' if one['sampling'] else 'greedy'}",
            f"{one['regard']:.2f} s",
            f"{one['HF']:.2f} s",
            f"{one['HF'] / one['regard']:.2f}×",
        ]
        for one in data["times"]
    ]
    return markdown(("batch", "regard", "Hugging Face", "ratio"), rows)
