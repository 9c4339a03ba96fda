"""Rows with headings: a table where it fits, blocks where it does not, and nothing is cut."""

import pytest
from rich.console import Console

from regard.listing import Listing


def listing() -> Listing:
    made = Listing(("system", "BLEU", "chrF"), numbers=True)
    made.add("en-fr-[bold]", "48.2 [42.9, 53.1]", "65.0 [61.2, 68.9]")
    made.add("a name with blanks", "7.0", "-")
    return made


def printed(width: int, made: Listing | None = None) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(made or listing())
    return capture.get().splitlines()


def test_a_table_is_as_wide_as_its_words():
    lines = printed(80)
    assert {len(line) for line in lines} == {20 + 2 * 20 + 2}
    assert lines[3].split("│")[1:-1] == [
        " en-fr-[bold]       ",
        " 48.2 [42.9, 53.1] ",
        " 65.0 [61.2, 68.9] ",
    ]


@pytest.mark.parametrize("width", [62, 61, 40, 27])
def test_where_a_table_does_not_fit_every_row_is_a_block(width):
    lines = printed(width)
    if width == 62:
        assert lines[0].startswith("┏")
        return
    assert lines == [
        "en-fr-[bold]",
        "  BLEU  48.2 [42.9, 53.1]",
        "  chrF  65.0 [61.2, 68.9]",
        "a name with blanks",
        "  BLEU  7.0",
        "  chrF  -",
    ]


def test_long_texts_go_on_below_and_break_between_words():
    made = Listing(("name", "home"))
    made.add("dot", "regard.scores.Dot and regard.nn.Luong")
    assert printed(29, made) == [
        "dot",
        "  home  regard.scores.Dot and",
        "        regard.nn.Luong",
    ]


def test_nothing_is_lost_where_a_word_is_wider_than_the_terminal():
    made = Listing(("name", "home"))
    made.add("x" * 30, "y" * 30)
    text = "".join(printed(20, made))
    assert text.count("x") == text.count("y") == 30
