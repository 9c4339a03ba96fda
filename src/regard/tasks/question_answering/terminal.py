"""Answers in the terminal: the passage shaded by how much it was looked at."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from regard.lens.words import printable

from .sample import Answered, PassageLook, StoryLook

DARK, LIGHT = (20, 60, 66), (111, 214, 224)
"""Of no weight, and of the largest."""
MOST = 4
"""Other answers that are told."""


def drawn(sample: Answered) -> RenderableType:
    """The answer with others, and the passage below it."""
    title = Text.assemble(
        "\n", printable(sample.question), "  ", (printable(sample.answer), "bold")
    )
    told = [f"{printable(one.text)} {100 * one.probability:.1f} %" for one in sample.ranked]
    title.append(f"  {100 * sample.probability:.1f} %", "dim")
    title.append("".join(f"   {one}" for one in told[1 : MOST + 1]), "dim")
    if isinstance(sample.look, StoryLook):
        return Group(title, *_story(sample.look))
    if isinstance(sample.look, PassageLook):
        return Group(title, _passage(sample.look))
    return Group(title)


def _story(look: StoryLook) -> Iterator[Text]:
    """A line for each sentence, with a shaded cell for each hop before it."""
    if look.cut:
        yield Text(f"({look.cut} sentences before)", "dim")
    for sentence, weights in zip(look.sentences, look.hops.T.tolist(), strict=True):
        line = Text()
        for weight in weights:
            line.append(f" {round(100 * weight):3d} ", style(weight) or "dim")
            line.append(" ")
        line.append(f" {printable(sentence)}", "" if max(weights) >= 0.1 else "dim")
        yield line


def _passage(look: PassageLook) -> Text:
    """The words of the passage; those of the answer underlined."""
    shades = look.shade.tolist()
    largest = max(shades, default=0.0) or 1.0
    text = Text()
    for place, (word, shade) in enumerate(zip(look.passage, shades, strict=True)):
        inside = look.answer[0] <= place <= look.answer[1]
        chosen = style(shade / largest)
        text.append(printable(word), f"{chosen} bold underline".strip() if inside else chosen)
        text.append(" ")
    return text


def style(share: float) -> str:
    """Black on a shade; what hardly counted has none."""
    if share < 0.1:
        return ""
    shade = [round(low + (high - low) * share) for low, high in zip(DARK, LIGHT, strict=True)]
    letters = "black" if share > 0.5 else "white"
    return f"{letters} on rgb({shade[0]},{shade[1]},{shade[2]})"
