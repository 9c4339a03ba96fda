"""One row of the catalogue."""

from typing import NamedTuple


class Mechanism(NamedTuple):
    """An attention mechanism, or a part of one, as the literature knows it."""

    name: str
    equation: str
    cost: str
    """Of time over Q queries and K keys, or over N positions of one sequence; D is a width."""
    paper: str
    link: str
    home: str
    """Where it lives, e.g. ``regard.nn.BahdanauAttention``; a value may follow in brackets."""

    @property
    def target(self) -> str:
        """The home without the value in brackets: what can be imported."""
        return self.home.partition("(")[0]

    @property
    def slug(self) -> str:
        """The name as a file name."""
        kept = "".join(c if c.isalnum() else "-" for c in self.name.lower())
        return "-".join(word for word in kept.split("-") if word)
