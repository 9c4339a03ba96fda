"""A public dataset: where it lies, what it is, and under which licence."""

from typing import Literal, NamedTuple

Packing = Literal["plain", "gzip", "zip"]


class Part(NamedTuple):
    """One file of a dataset."""

    url: str
    name: str
    """What the unpacked file is called."""
    packing: Packing = "plain"
    member: str | None = None
    """Which file of an archive."""
    sha256: str | None = None
    """Of the unpacked file; ``None`` where the origin publishes a new one now and then."""


class Dataset(NamedTuple):
    """Files that belong together."""

    name: str
    summary: str
    licence: str
    origin: str
    """Whom to name when the data, or what was learned from it, is passed on."""
    parts: tuple[Part, ...]
