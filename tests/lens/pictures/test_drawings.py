"""The same views in the terminal, as files and as a page."""

import os
import re
from base64 import b64decode
from io import BytesIO, StringIO
from threading import Thread
from xml.etree import ElementTree
from zlib import decompress

import numpy as np
import pytest
import torch
from PIL import Image
from rich.console import Console

from regard.errors import ShapeError
from regard.lens.pictures import (
    Box,
    Panel,
    PictureView,
    figure,
    html,
    picture,
    protocol_of,
    terminal,
)
from regard.lens.pictures.graphics import kitty, sixel, understood


def printed(renderable, *, colour="truecolor", width=80, **more) -> str:
    file = StringIO()
    console = Console(file=file, width=width, color_system=colour, force_terminal=True, **more)
    console.print(renderable)
    return file.getvalue()


def test_half_blocks_carry_two_pixels_a_letter_in_true_proportions(pixels):
    text = printed(terminal([PictureView(pixels, [Panel()])], width=20))
    lines = [line for line in text.splitlines() if "▀" in line]
    assert len(lines) == 5
    assert all(line.count("▀") == 20 for line in lines)
    assert "38;2;0;0;0;48;2;0;0;0m▀" in lines[0]
    assert lines[0].endswith("38;2;255;255;255;48;2;255;255;255m▀\x1b[0m")


def test_a_squeezed_picture_is_drawn_at_its_true_size(pixels):
    text = printed(terminal([PictureView(pixels, [Panel()], size=(10, 10))], width=20))
    assert sum("▀" in line for line in text.splitlines()) == 10


def test_without_colours_letters_are_grey(pixels):
    view = PictureView(pixels, [Panel("a")])
    (line, *_) = [
        x for x in printed(terminal([view], width=20), colour=None).splitlines() if "█" in x
    ]
    assert line.rstrip() == " " * 10 + "█" * 10
    plain = printed(terminal([view], width=20, shading="letters"))
    assert "█" in plain
    assert "38;2" not in plain


def test_panels_stand_side_by_side_as_far_as_there_is_room(view):
    text = printed(view, width=120)
    titles = next(line for line in text.splitlines() if "<heat>" in line)
    assert "boxes" in titles and "mask" in titles
    assert "bars" not in titles
    assert "m: a <cat> & a dog" in text
    narrow = printed(view, width=30)
    assert max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in narrow.splitlines()) <= 30


@pytest.mark.parametrize(("panels", "rows"), [(1, 1), (2, 1), (3, 2), (12, 4)])
def test_two_panels_share_eighty_letters_and_many_become_narrow(panels, rows):
    square = np.zeros((8, 8, 3), dtype=np.uint8)
    text = printed(terminal([PictureView(square, [Panel(f"p{n}") for n in range(panels)])]))
    titles = [line for line in text.splitlines() if "p" in line]
    assert len(titles) == rows
    assert len(text.splitlines()) <= 60


def test_a_panel_without_a_title_has_blanks_above_it(pixels):
    text = printed(terminal([PictureView(pixels, [Panel(), Panel("heat")])]))
    (titles,) = [line for line in text.splitlines() if "heat" in line]
    assert re.sub(r"\x1b\[[0-9;]*m", "", titles).strip() == "heat"


def test_a_tall_picture_is_not_taller_than_a_screen():
    tall = np.zeros((300, 2, 3), dtype=np.uint8)
    text = printed(terminal([PictureView(tall, [Panel()])]))
    assert len(text.splitlines()) <= 40


def test_a_drawing_needs_a_view():
    for make in (terminal, figure, html):
        with pytest.raises(ShapeError, match="at least one view, got none"):
            make([])


def test_kitty_gets_the_very_pixels(pixels):
    said = kitty(pixels, 10, 5)
    commands = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", said)
    assert commands[0][0].startswith("a=T,f=24,o=z,s=20,v=10,c=10,r=5")
    data = "".join(chunk for _, chunk in commands)
    assert decompress(b64decode(data)) == pixels.tobytes()
    assert [head[-3:] for head, _ in commands] == ["m=0"]


def test_large_pictures_reach_kitty_in_chunks():
    noise = np.random.default_rng(0).integers(0, 256, (60, 70, 3), dtype=np.uint8)
    commands = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", kitty(noise, 7, 3))
    assert len(commands) > 2
    assert all(len(chunk) <= 4096 for _, chunk in commands)
    assert [head.rpartition("m=")[2] for head, _ in commands] == ["1"] * (len(commands) - 1) + ["0"]


def read_sixels(said: str) -> np.ndarray:
    """A plain reader of sixels."""
    body = said.partition("q")[2].removesuffix("\x1b\\")
    width, height = map(int, re.match(r'"1;1;(\d+);(\d+)', body).groups())
    found = np.zeros((height + 6, width, 3), dtype=np.uint8)
    colours, colour, x, top = {}, None, 0, 0
    for part in re.findall(
        r"#\d+;2;\d+;\d+;\d+|#\d+|!\d+[?-~]|[?-~]|\$|-", body.partition(";1;")[2]
    ):
        if part.startswith("#"):
            number, *rgb = part[1:].split(";")
            colour = int(number)
            if rgb:
                colours[colour] = [round(int(c) * 255 / 100) for c in rgb[1:]]
        elif part == "$":
            x = 0
        elif part == "-":
            x, top = 0, top + 6
        else:
            count, letter = (int(part[1:-1]), part[-1]) if part[0] == "!" else (1, part)
            for bit in range(6):
                if (ord(letter) - 63) >> bit & 1:
                    found[top + bit, x : x + count] = colours[colour]
            x += count
    return found[:height]


def test_sixels_read_back_are_the_picture():
    drawn = np.zeros((13, 9, 3), dtype=np.uint8)
    drawn[2:8, 1:5] = (255, 0, 0)
    drawn[9:, 6:] = (0, 255, 255)
    assert np.abs(read_sixels(sixel(drawn)).astype(int) - drawn).max() <= 2


def test_true_pixels_are_drawn_where_they_are_asked_for(view):
    text = printed(terminal([view], protocol="kitty"))
    assert text.count("a=T") == 5
    assert "▀" not in text


@pytest.mark.parametrize("panels", [1, 3])
@pytest.mark.parametrize("protocol", ["kitty", "sixel"])
def test_true_pixels_arrive_whole_however_narrow_the_terminal(protocol, panels):
    chance = np.random.default_rng(0).integers(0, 255, (9, 9, 3), dtype=np.uint8)
    view = PictureView(chance, [Panel() for _ in range(panels)])
    text = printed(terminal([view], protocol=protocol), width=80)
    if protocol == "sixel":
        found = re.findall(r"\x1bP0;1;0q[^\x1b]*\x1b\\", text)
        assert len(found) == panels
        assert all(read_sixels(one).any(axis=(1, 2)).all() for one in found)
        return
    commands = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", text)
    starts = [n for n, (head, _) in enumerate(commands) if head.startswith("a=T")]
    assert len(starts) == panels
    for start, end in zip(starts, [*starts[1:], len(commands)], strict=True):
        width, height = map(int, re.search(r"s=(\d+),v=(\d+)", commands[start][0]).groups())
        data = decompress(b64decode("".join(chunk for _, chunk in commands[start:end])))
        assert len(data) == 3 * width * height


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("\x1b_Gi=31;OK\x1b\\\x1b[?62;c", "kitty"),
        ("\x1b[?62;4;6c", "sixel"),
        ("\x1b[?64;1;2c", None),
        ("\x1b[?4c", None),
        ("", None),
    ],
)
def test_the_answer_of_a_terminal_is_understood(said, wanted):
    assert understood(said) == wanted


def test_a_terminal_is_asked_and_its_keyboard_is_left_as_it_was(monkeypatch):
    pty = pytest.importorskip("pty")
    import termios

    master, slave = pty.openpty()
    asked = []

    def answer():  # a terminal answers what it was asked, and not before
        asked.append(os.read(master, 1000))
        os.write(master, b"\x1b[?62;4;22c")

    with os.fdopen(slave, "r+b", buffering=0) as screen:
        monkeypatch.setattr("sys.stdin", screen)
        before = termios.tcgetattr(slave)
        terminal = Thread(target=answer)
        terminal.start()
        assert protocol_of(screen, patience=30.0) == "sixel"
        terminal.join()
        assert termios.tcgetattr(slave) == before
        assert b"\x1b[c" in asked[0]
    os.close(master)


def test_a_file_is_never_asked(tmp_path):
    with (tmp_path / "x").open("w") as file:
        assert protocol_of(file) is None


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_files_are_the_same_bytes_every_time(view, kind):
    first = picture([view], kind)
    assert first == picture([view], kind)
    if kind == "png":
        assert Image.open(BytesIO(first)).size[0] > 600
    else:
        ElementTree.fromstring(first)


def test_a_figure_has_an_axis_for_every_panel_in_true_proportions(view):
    axes = figure([view]).get_axes()
    assert [one.get_title(loc="left") for one in axes] == [
        "<heat>",
        "boxes",
        "path",
        "mask",
        "bars",
    ]
    left, right = axes[0].get_xlim()
    low, high = axes[0].get_ylim()
    assert abs((right - left) / (low - high)) == 2


def test_words_of_boxes_stay_in_the_picture_and_shrink_where_there_are_many(pixels):
    for count, size in ((2, 7), (20, 5)):
        boxes = [Box(0.05 * n, 0.0, 0.05 * n + 0.05, 0.3, "cat", 0.5) for n in range(count - 1)]
        boxes.append(Box(0.9, 0.0, 1.0, 0.4, "a long name", 0.5))
        drawn = figure([PictureView(pixels, [Panel(boxes=boxes)])])
        drawn.canvas.draw()
        (axes,) = drawn.axes
        outer = axes.get_window_extent()
        assert len(axes.texts) == count
        for one in axes.texts:
            inner = one.get_window_extent()
            assert one.get_fontsize() == size
            assert outer.y0 - 1 <= inner.y0 and inner.y1 <= outer.y1 + 1
        assert inner.x1 <= outer.x1 + 1
    page = html([PictureView(pixels, [Panel(boxes=boxes)])])
    assert 'text-anchor="end"' in page and page.count('class="many"') == 20


def test_several_pictures_in_one_figure_are_told_by_their_titles(pixels):
    views = [PictureView(pixels, [Panel("boxes"), Panel("heat")], title=f"{n}.png") for n in (1, 2)]
    titles = [axes.get_title(loc="left") for axes in figure(views).axes]
    assert titles == ["1.png: boxes", "heat", "2.png: boxes", "heat"]


def test_a_page_stands_alone_and_escapes_what_is_said(view):
    page = html([view])
    assert "a &lt;cat&gt; &amp; a dog" in page
    assert "<heat>" not in page
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert not re.findall(r'(?:src|href)="(?!data:)', page)
    assert page.count("<figure>") == 5
    assert "75 %" in page


def test_a_notebook_gets_the_page_in_a_frame(view):
    assert view._repr_html_().startswith("<iframe sandbox")
    assert "srcdoc" in view._repr_html_()


def test_heat_on_a_grid_of_one_place_covers_the_picture(pixels):
    assert len(picture([PictureView(pixels, [Panel(heat=torch.ones(1, 1))])], "png")) > 1000
