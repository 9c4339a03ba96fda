"""Scores that stay within a bound."""

from dataclasses import dataclass

import torch

from regard.types import Tensor

from ..forms import Form, Pairs, Tile, Vectors
from ..forms.composed import Wrapped
from .base import Keys, Queries, Score, require_positive


@dataclass(frozen=True, eq=False, repr=False)
class SoftCapped(Score):
    r"""A score bent so that it stays between −c and c.

    .. math:: e_{qk} = c \, \tanh(f(q_q, k_k) / c)

    Gemma Team 2024, section 2, logit soft-capping (https://arxiv.org/abs/2408.00118); Bello et al.
    2017 clip their logits so (https://arxiv.org/abs/1611.09940). Position terms that are added to
    it are not bent. Runs in blocks of rows; fused kernels know no such score.

    >>> attend(q, k, v, score=scores.SoftCapped(scores.ScaledDot(), 50.0))

    Args:
        score: f.
        cap: c, positive.
    """

    score: Score
    cap: float

    name = "soft_capped"
    composed = True
    step = "s = c tanh(f(q, k) / c)"

    def __post_init__(self) -> None:
        require_positive("SoftCapped", "cap", self.cap)

    def form(self, query: Queries, key: Keys) -> Form:
        """The form of the score, bent."""
        return _Bent(self.score.form(query, key), self.cap)

    def check(self, query: Queries, key: Keys) -> None:
        """The score checks."""
        self.score.check(query, key)

    def shifted(self, queries: int, keys: int = 0) -> Score:
        """The score shifted."""
        return SoftCapped(self.score.shifted(queries, keys), self.cap)

    @property
    def pair_width(self) -> int:
        """That of the score."""
        return self.score.pair_width

    def tensors(self) -> list[Tensor]:
        """Those of the score."""
        return self.score.tensors()

    def __repr__(self) -> str:
        return f"SoftCapped({self.score!r}, {self.cap})"


@dataclass(frozen=True, eq=False)
class _Bent(Wrapped):
    cap: float

    def tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        return self.cap * torch.tanh(self.form.tile(rows, columns, shared, at) / self.cap)

    def fast_tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        return self.cap * torch.tanh(self.form.fast_tile(rows, columns, shared, at) / self.cap)
