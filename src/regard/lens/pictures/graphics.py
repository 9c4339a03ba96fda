"""True pixels in a terminal: kitty's protocol and sixels, and whether it says it knows them."""

import os
import select
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from typing import IO, Literal
from zlib import compress

import numpy as np

from .layers import need_pillow
from .view import Pixels

Protocol = Literal["kitty", "sixel"]

CHUNK = 4096
"""Letters of a command of kitty's protocol at most."""
COLOURS = 256
"""Of a picture in sixels."""
BAND = 6
"""Pixels of a sixel, one below the other."""
ASK_KITTY = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
ASK_ATTRIBUTES = "\x1b[c"
"""Every terminal answers this one, so nobody waits for an answer to the other for long."""


def encoded(pixels: Pixels, protocol: Protocol, across: int, down: int) -> str:
    """Pixels as a terminal takes them.

    Args:
        pixels: (Y, X, 3).
        protocol: its language.
        across: letters that they cover.
        down: lines that they cover.
    """
    return kitty(pixels, across, down) if protocol == "kitty" else sixel(pixels)


def kitty(pixels: Pixels, across: int, down: int) -> str:
    """Pixels in the protocol of kitty, which Ghostty, Konsole and WezTerm know too.

    https://sw.kovidgoyal.net/kitty/graphics-protocol: compressed, in commands of 4,096 letters;
    the cursor stays where it is, and nothing is answered.
    """
    height, width = pixels.shape[:2]
    data = b64encode(compress(pixels.tobytes())).decode()
    chunks = [data[start : start + CHUNK] for start in range(0, len(data), CHUNK)]
    head = f"a=T,f=24,o=z,s={width},v={height},c={across},r={down},C=1,q=2,"
    return "".join(
        f"\x1b_G{'' if number else head}m={int(number < len(chunks) - 1)};{chunk}\x1b\\"
        for number, chunk in enumerate(chunks)
    )


def sixel(pixels: Pixels) -> str:
    """Pixels as DEC's sixels, in 256 colours: columns of six, colour by colour.

    https://vt100.net/docs/vt3xx-gp/chapter14.html.
    """
    need_pillow("drawing a picture")
    from PIL import Image

    image = Image.fromarray(pixels).quantize(COLOURS)
    palette = np.asarray(image.getpalette(), dtype=np.int64).reshape(-1, 3)
    indices = np.asarray(image)
    height, width = indices.shape
    used = np.unique(indices).tolist()
    said = "".join(
        f"#{colour};2;" + ";".join(str(round(part * 100 / 255)) for part in palette[colour])
        for colour in used
    )
    bands = "-".join("$".join(_band(indices[top : top + BAND])) for top in range(0, height, BAND))
    return f'\x1bP0;1;0q"1;1;{width};{height}{said}{bands}\x1b\\'


def _band(rows: Pixels) -> Iterator[str]:
    """Six rows of pixels: for each of their colours a letter per column."""
    bits = 1 << np.arange(len(rows))[:, None]
    for colour in np.unique(rows).tolist():
        columns = ((rows == colour) * bits).sum(axis=0)
        yield f"#{colour}" + "".join(_repeated(columns))


def _repeated(columns: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]") -> Iterator[str]:
    """Letters, those that come four times in a row or more with a number before them."""
    edges = np.flatnonzero(np.diff(columns)) + 1
    starts = [0, *edges.tolist()]
    for start, end in zip(starts, [*edges.tolist(), len(columns)], strict=True):
        letter, count = chr(63 + int(columns[start])), end - start
        yield letter * count if count < 4 else f"!{count}{letter}"


def protocol_of(
    stream: IO[str] | IO[bytes] | None = None, *, patience: float = 0.2
) -> Protocol | None:
    """What a terminal says of itself: it is asked, and has ``patience`` seconds to answer.

    Args:
        stream: a file that a person may be looking at; standard error if not given.
        patience: seconds.
    """
    shown = sys.stderr if stream is None else stream
    try:
        if not (shown.isatty() and sys.stdin.isatty()):
            return None
        said = _asked(sys.stdin.fileno(), shown.fileno(), patience)
    except (OSError, ValueError, AttributeError, ImportError):  # no such thing here
        return None
    return understood(said)


def understood(said: str) -> Protocol | None:
    """What is meant by an answer to both questions."""
    if "\x1b_Gi=31;OK" in said:
        return "kitty"
    _, _, attributes = said.rpartition("\x1b[?")
    return "sixel" if "4" in attributes.partition("c")[0].split(";")[1:] else None


def _asked(keyboard: int, screen: int, patience: float) -> str:
    """The answer; keys are neither shown nor awaited line by line meanwhile."""
    import termios
    import tty

    before = termios.tcgetattr(keyboard)
    try:
        tty.setcbreak(keyboard)
        os.write(screen, (ASK_KITTY + ASK_ATTRIBUTES).encode())
        return _answer(keyboard, time.monotonic() + patience)
    finally:
        termios.tcsetattr(keyboard, termios.TCSANOW, before)


def _answer(keyboard: int, until: float) -> str:
    said = b""
    while not (b"\x1b[?" in said and said.endswith(b"c")):
        left = until - time.monotonic()
        if left <= 0 or not select.select([keyboard], [], [], left)[0]:
            break
        said += os.read(keyboard, 1024)
    return said.decode(errors="replace")
