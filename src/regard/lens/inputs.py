"""What a model was given: tokens with their classes, lengths, the grid of a picture."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch

from regard.notebook import table
from regard.types import Bool, Int, Tensor

TokenClass = Literal[
    "word", "punctuation", "first", "end", "separator", "padding", "unknown", "hole", "class",
    "register", "patch",
]  # fmt: skip
"""What a token is: part of the text, or one of the special ones (``hole`` is ``[MASK]``, ``class``
is ``[CLS]``); of a picture a patch, or what stands before the patches."""


@dataclass(frozen=True, eq=False)
class Side:
    """One sequence that a model was given, or wrote.

    Args:
        ids: (B, N), where it is of tokens.
        tokens: their text, a tuple for each sentence.
        classes: what each token is, likewise.
        real: (B, N), False on padding; ``None`` is everywhere.
        grid: rows and columns of patches, of a picture.
        before: positions before the patches: a class token, registers.
    """

    ids: Int[Tensor, "B N"] | None = field(default=None, repr=False)
    tokens: tuple[tuple[str, ...], ...] | None = None
    classes: tuple[tuple[TokenClass, ...], ...] | None = field(default=None, repr=False)
    real: Bool[Tensor, "B N"] | None = field(default=None, repr=False)
    grid: tuple[int, int] | None = None
    before: int = 0

    @property
    def lengths(self) -> Int[Tensor, " B"] | None:
        """How many real positions each sentence has, where that is known."""
        if self.real is not None:
            return self.real.sum(dim=-1)
        if self.ids is None:
            return None
        return torch.full((len(self.ids),), self.ids.shape[-1], device=self.ids.device)

    def of_class(self, *wanted: TokenClass) -> Bool[Tensor, "B N"]:
        """Where the tokens are of one of these classes."""
        rows = [[one in wanted for one in row] for row in self.classes or ()]
        longest = max(map(len, rows), default=0)
        padded = [row + [False] * (longest - len(row)) for row in rows]
        return torch.tensor(padded, dtype=torch.bool).view(len(rows), longest)


@dataclass(eq=False)
class Inputs:
    """What one pass of a model was given.

    Args:
        sides: by role: ``"input"`` is what an encoder or a language model reads, ``"target"`` what
            a decoder does.
        start: position of the first token of this pass, behind those that a cache holds.
    """

    sides: dict[str, Side] = field(default_factory=dict)
    start: int = 0

    def __getitem__(self, role: str) -> Side:
        return self.sides[role]

    def _repr_html_(self) -> str:
        return table(("side", "what", "the first"), [_told(*each) for each in self.sides.items()])


def _told(role: str, side: Side) -> tuple[str, str, str]:
    """A side in a line: its name, its size, its text as far as it is known."""
    rows, columns = side.grid or (0, 0)
    picture = f"{rows} × {columns} patches behind {side.before} others" if side.grid else ""
    size = picture or ("" if side.ids is None else f"ids {tuple(side.ids.shape)}")
    return role, size, " ".join(side.tokens[0]) if side.tokens else ""


def words(sentences: Sequence[Sequence[str]]) -> Side:
    """A side of words that are known by their text alone."""
    tokens = tuple(tuple(sentence) for sentence in sentences)
    longest = max(map(len, tokens), default=0)
    real = [[i < len(sentence) for i in range(longest)] for sentence in tokens]
    return Side(tokens=tokens, real=torch.tensor(real, dtype=torch.bool))
