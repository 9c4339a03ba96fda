"""What some families of models need beside the usual values: capped scores, a sink."""

from dataclasses import dataclass, field

import torch

from regard.functional.forms import Form, Pairs, Tile, Vectors
from regard.functional.forms.composed import Wrapped
from regard.functional.normalisers import Normaliser
from regard.functional.normalisers.base import Allowed
from regard.functional.scores import Score
from regard.types import Float, Int, Tensor


@dataclass(frozen=True, eq=False)
class CappedForm(Wrapped):
    """Another form, its scores bent so that they stay between −cap and cap."""

    cap: float

    def tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """cap · tanh(s / cap), by the definition."""
        return self.cap * torch.tanh(self.form.tile(rows, columns, shared, at) / self.cap)

    def fast_tile(self, rows: Vectors, columns: Vectors, shared: Vectors, at: Tile) -> Pairs:
        """The same, by the fastest arithmetic of the form."""
        return self.cap * torch.tanh(self.form.fast_tile(rows, columns, shared, at) / self.cap)


@dataclass(frozen=True, eq=False, repr=False)
class Capped(Score):
    r"""A score that cannot grow beyond a bound: Gemma 2.

    .. math:: e_{qk} = c \tanh(f(q_q, k_k) / c)

    Gemma Team 2024, section 2 (https://arxiv.org/abs/2408.00118).

    Args:
        score: f.
        cap: c.
    """

    score: Score
    cap: float

    name = "capped"
    composed = True
    step = "s = c tanh(f(q, k) / c)"

    def form(self, query: Tensor, key: Tensor) -> Form:
        """The form of the score, bent."""
        return CappedForm(self.score.form(query, key), self.cap)

    def check(self, query: Tensor, key: Tensor) -> None:
        """The score checks."""
        self.score.check(query, key)

    def shifted(self, queries: int, keys: int = 0) -> Score:
        """The score shifted."""
        return Capped(self.score.shifted(queries, keys), self.cap)

    def tensors(self) -> list[Tensor]:
        """Those of the score."""
        return self.score.tensors()


@dataclass(frozen=True, eq=False, repr=False)
class WithSink(Normaliser):
    r"""Softmax beside one more score per head, which takes weight and gives nothing: gpt-oss.

    .. math:: \alpha_{qk} = \exp(e_{qk}) / \bigl(\exp(b) + \textstyle\sum_j \exp(e_{qj})\bigr)

    Rows sum to less than one, and are not to be divided by their sum. Xiao et al. 2024
    (https://arxiv.org/abs/2309.17453), OpenAI 2025 (https://arxiv.org/abs/2508.10925).

    Args:
        sink: b, one number per head.
    """

    sink: Float[Tensor, " H"] = field(repr=False)

    name = "softmax beside a sink"
    step = "α = exp(s) / (exp(b) + Σ exp(s))"
    shift_invariant = False

    def __call__(self, scores: Pairs, allowed: Allowed = None, at: Tile | None = None) -> Pairs:
        """The weights of the keys."""
        if allowed is not None:
            scores = scores.masked_fill(~allowed, -torch.inf)
        sink = self.sink.to(scores).reshape(-1, 1, 1).expand(*scores.shape[:-1], 1)
        return torch.cat([scores, sink], dim=-1).softmax(dim=-1)[..., :-1]

    def tensors(self) -> tuple[Tensor, ...]:
        """The sinks."""
        return (self.sink,)

    def given(self, tensors: tuple[Tensor, ...]) -> Normaliser:
        """The same with these sinks."""
        return WithSink(*tensors)

    def of_heads(self, heads: Int[Tensor, " h"]) -> Normaliser:
        """The sinks of these heads."""
        return WithSink(self.sink.index_select(0, heads))
