"""The map in the terminal: every word at its row or column, whatever the width."""

import re
from io import StringIO

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.panel import Panel

from regard.lens.alignments import AlignmentView, terminal
from regard.lens.words import printable

EN = ("The", "black", "cat", "ate", "the", "mouse", ".")
FR = ("Le", "chat", "noir", "a", "mangé", "la", "souris", ".")
LINKS = (0, 2, 1, 3, 3, 4, 5, 6)
CAT = AlignmentView(EN, FR, torch.eye(7)[list(LINKS)], "bahdanau")
HEBREW = "\u05d7\u05ea\u05d5\u05dc"


def printed(view, *, width=80, shading="blocks", encoding="utf-8", **console):
    class Stream(StringIO):
        pass

    Stream.encoding = encoding
    stream = Stream()
    Console(file=stream, width=width, **console).print(terminal(view, shading=shading))
    return stream.getvalue()


def backgrounds(view, **settings):
    """The painted cells of each line: text and red, green, blue."""
    text = printed(
        view, shading="auto", force_terminal=True, color_system="truecolor", _environ={}, **settings
    )
    painted = re.compile(r"\x1b\[[0-9;]*48;2;(\d+);(\d+);(\d+)m([^\x1b]*)\x1b")
    return [
        [(found[4], tuple(map(int, found.groups()[:3]))) for found in painted.finditer(line)]
        for line in text.splitlines()
    ]


def test_a_short_sentence_has_its_words_in_one_line():
    assert printed(CAT).splitlines() == [
        "bahdanau",
        "          The   black   cat    ate    the   mouse    .",
        "     Le ██████   ·      ·      ·      ·      ·      ·",
        "   chat   ·      ·    ██████   ·      ·      ·      ·",
        "   noir   ·    ██████   ·      ·      ·      ·      ·",
        "      a   ·      ·      ·    ██████   ·      ·      ·",
        "  mangé   ·      ·      ·    ██████   ·      ·      ·",
        "     la   ·      ·      ·      ·    ██████   ·      ·",
        " souris   ·      ·      ·      ·      ·    ██████   ·",
        "      .   ·      ·      ·      ·      ·      ·    ██████",
    ]


def test_what_lies_on_the_end_is_the_last_column():
    view = AlignmentView(("a", "b"), ("x", "y"), [[0.25, 0.0], [0.5, 0.5]], end=[0.75, 0.0])
    assert printed(view).splitlines() == [
        "      a      b    (end)",
        " x ▒▒▒▒▒▒   ·    ██████",
        " y ▓▓▓▓▓▓ ▓▓▓▓▓▓   ·",
    ]
    numbers = [[text.strip() for text, _ in line] for line in backgrounds(view)]
    assert numbers[-2:] == [["25", "", "75"], ["50", "50", ""]]


def test_words_that_do_not_fit_in_a_line_stand_on_steps():
    view = AlignmentView(
        ("incredible", "mouse", "a"), ("la", "b"), [[1.0, 0.0, 0.0], [0.0, 0.3, 0.6]]
    )
    assert printed(view, width=25).splitlines() == [
        "     ╭ incredible",
        "     │   ╭ mouse",
        "     │   │   ╭ a",
        " la ███  ·   ·",
        "  b  ·  ▒▒▒ ▓▓▓",
    ]


def test_a_long_sentence_is_cut_into_even_bands_with_all_rows_each():
    words = tuple(f"w{i:02}" for i in range(23))
    lines = printed(AlignmentView(words, ("x", "y"), torch.zeros(2, 23)), width=36).splitlines()
    parts = "\n".join(lines).split("\n\n")
    headings = [re.findall(r"w\d\d", part) for part in parts]
    assert [word for band in headings for word in band] == list(words)
    assert [len(band) for band in headings] == [8, 8, 7]
    assert all(part.splitlines()[-1].startswith(" y ") for part in parts)


@pytest.mark.parametrize("width", range(20, 48))
def test_the_last_word_of_a_band_is_whole(width):
    words = tuple(f"monarch{i}" for i in range(9))
    text = printed(AlignmentView(words, ("x",), torch.zeros(1, 9)), width=width)
    assert re.findall(r"\w+\d", text) == list(words)


def test_blocks_grow_with_the_weight():
    view = AlignmentView(tuple("abcde"), ("x",), [[0.04, 0.05, 0.25, 0.5, 0.75]])
    assert printed(view).splitlines()[1] == " x  ·  ░░░ ▒▒▒ ▓▓▓ ███"


def test_painted_cells_hold_per_cents_and_brighten_with_the_weight():
    view = AlignmentView(tuple("abcd"), ("x",), [[0.004, 0.1, 0.5, 1.0]])
    heading, cells = backgrounds(view)
    assert not heading
    assert [text.strip() for text, _ in cells] == ["", "10", "50", "100"]
    sums = [sum(rgb) for _, rgb in cells]
    assert sums == sorted(sums)
    assert len(set(sums)) == 4


def test_letters_on_cells_can_be_read():
    text = printed(
        AlignmentView(tuple("abcde"), ("x",), [[0.01, 0.2, 0.4, 0.7, 1.0]]),
        shading="colour",
        force_terminal=True,
        color_system="truecolor",
    )
    pairs = re.findall(r"38;2;(\d+);(\d+);(\d+);48;2;(\d+);(\d+);(\d+)m", text)
    assert len(pairs) == 5
    for pair in pairs:
        light, dark = sorted((luminance(pair[:3]), luminance(pair[3:])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) > 3.5


def luminance(rgb):
    """Relative luminance as in WCAG 2."""
    parts = [int(part) / 255 for part in rgb]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(
    "console",
    [
        {"color_system": "truecolor", "force_terminal": True, "no_color": True},
        {"color_system": "standard", "force_terminal": True},
        {"force_terminal": False},
    ],
    ids=["no_color", "sixteen", "pipe"],
)
def test_without_many_colours_there_are_blocks(console):
    text = printed(CAT, shading="auto", **console)
    assert text.count("██████") == 8
    assert "48;" not in text


def test_no_color_in_the_environment_is_heard():
    environment = {"NO_COLOR": "1", "COLORTERM": "truecolor", "TERM": "xterm"}
    text = printed(CAT, shading="auto", force_terminal=True, _environ=environment)
    assert text.count("██████") == 8


def test_an_encoding_without_blocks_gets_plain_letters():
    view = AlignmentView(("chien", "mangé", "猫"), ("été",), [[1.0, 0.3, 0.0]], "modèle")
    text = printed(view, encoding="ascii")
    assert text.isascii()
    assert text.splitlines() == [
        "mod?le",
        "      chien  mang?    ?",
        " ?t? ###### ------   .",
    ]


def test_a_right_to_left_word_stands_alone_on_its_line_and_turns_nothing():
    view = AlignmentView((HEBREW, "a"), (f"{HEBREW}!", "b"), [[1.0, 0.0], [0.0, 1.0]])
    lines = printed(view).splitlines()
    assert lines[0].endswith(f"╭ \u200e\u2068{HEBREW}\u2069\u200e")
    assert lines[2] == f" \u200e\u2068{HEBREW}!\u2069\u200e ███  ·"


def test_wide_characters_keep_the_grid_straight():
    view = AlignmentView(("猫", "cat"), ("黒い猫", "x", "👍🏽"), torch.ones(3, 2))
    starts = [cell_len(line.partition("█")[0]) for line in printed(view).splitlines()[1:]]
    assert starts == [8, 8, 8]


def test_the_largest_weight_above_one_sets_the_scale():
    view = AlignmentView(("a", "b"), ("x",), [[1.0, 3.0]])
    assert printed(view).splitlines()[1] == " x ▒▒▒ ███"


def test_it_fits_into_a_frame():
    stream = StringIO()
    Console(file=stream, width=50).print(Panel(terminal(CAT, shading="blocks")))
    assert {cell_len(line) for line in stream.getvalue().splitlines()} == {50}


def test_a_width_can_be_asked_for():
    stream = StringIO()
    Console(file=stream, width=200).print(terminal(CAT, width=30))
    assert max(cell_len(line) for line in stream.getvalue().splitlines()) <= 30


WORD = st.text(st.characters(exclude_categories=()), max_size=30)


@given(
    st.lists(WORD, min_size=1, max_size=12),
    st.lists(WORD, min_size=1, max_size=5),
    st.integers(12, 100),
)
def test_no_line_is_wider_than_the_terminal_whatever_the_words(source, target, width):
    weights = torch.full((len(target), len(source)), 0.3)
    view = AlignmentView(tuple(source), tuple(target), weights)
    lines = printed(view, width=width).splitlines()
    assert all(cell_len(line) <= width for line in lines)
    cells = [run for line in lines for run in re.findall("▒▒+", line)]
    assert len(cells) == len(source) * len(target)


@given(st.lists(WORD.filter(lambda w: cell_len(printable(w)) <= 8), min_size=2, max_size=9))
def test_every_heading_stands_once_and_in_order(words):
    view = AlignmentView(tuple(words), ("x",), torch.ones(1, len(words)))
    text = printed(view, width=60)
    place = 0
    for word in map(printable, words):
        place = text.index(word, place) + len(word)
