"""Byte fallback: characters that are in no vocabulary as ``<0xE2>``."""

from collections.abc import Iterable, Sequence

from .spans import Span

BYTE_PIECES = tuple(f"<0x{value:02X}>" for value in range(256))
_VALUES = {piece: value for value, piece in enumerate(BYTE_PIECES)}


def spell(text: str) -> list[str]:
    """``text`` in UTF-8, one piece per byte."""
    return [BYTE_PIECES[value] for value in text.encode()]


def unspell(pieces: Iterable[str]) -> str:
    """The text of pieces, those of bytes put together; what is no UTF-8 becomes U+FFFD."""
    raw = bytearray()
    for piece in pieces:
        value = _VALUES.get(piece)
        raw.extend(piece.encode() if value is None else (value,))
    return raw.decode("utf-8", errors="replace")


def byte_spans(pieces: Sequence[str]) -> list[Span]:
    """Which characters the pieces stand for; all bytes of a character stand for all of it."""
    found: list[Span] = []
    end = 0
    for piece in pieces:
        value = _VALUES.get(piece)
        continues = value is not None and 0x80 <= value < 0xC0
        start = end - 1 if continues else end
        end = start + (len(piece) if value is None else 1)
        found.append((start, end))
    return found
