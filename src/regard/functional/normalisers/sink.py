"""Softmax beside a score that no key has."""

from dataclasses import dataclass, field

import torch

from regard.errors import DtypeError, ShapeError
from regard.types import Float, Int, Tensor

from ..forms import Pairs, Tile
from .base import Allowed, Normaliser


@dataclass(frozen=True, eq=False, repr=False)
class SoftmaxWithSink(Normaliser):
    r"""Softmax beside one more score per head, which takes weight and gives nothing.

    .. math:: \alpha_{qk} = \exp(e_{qk}) / \bigl(\exp(b) + \textstyle\sum_j \exp(e_{qj})\bigr)

    OpenAI 2025, gpt-oss (https://arxiv.org/abs/2508.10925), after the sinks of Xiao et al. 2024
    (https://arxiv.org/abs/2309.17453). Rows sum to less than one, and are not to be divided by
    their sum. With b = 0 it is ``add_zero_attn`` of ``torch.nn.MultiheadAttention``: one more key
    and value of zeros. The gradient flows into b.

    >>> attend(q, k, v, normalise=normalisers.SoftmaxWithSink(sink))

    Args:
        sink: b, (H,), one number per head, or () for all.

    Raises:
        DtypeError: something that is no floating-point tensor.
        ShapeError: a tensor of more than one axis.
    """

    sink: Float[Tensor, "*H"] = field(repr=False)

    name = "softmax_with_sink"
    step = "α = exp(s) / (exp(b) + Σ exp(s))"
    shift_invariant = False
    composed = True

    def __post_init__(self) -> None:
        if not isinstance(self.sink, Tensor) or not self.sink.is_floating_point():
            came = self.sink.dtype if isinstance(self.sink, Tensor) else type(self.sink).__name__
            raise DtypeError(f"SoftmaxWithSink needs a sink of floating-point numbers, got {came}")
        if self.sink.dim() > 1:
            raise ShapeError(
                f"SoftmaxWithSink needs a sink (H,) or (), got {tuple(self.sink.shape)}"
            )

    def __call__(self, scores: Pairs, allowed: Allowed = None, at: Tile | None = None) -> Pairs:
        """The weights of the keys."""
        if allowed is not None:
            scores = scores.masked_fill(~allowed, -torch.inf)
        sink = self.sink.to(scores).reshape(-1, 1, 1) if self.sink.dim() else self.sink.to(scores)
        beside = sink.expand(*scores.shape[:-1], 1)
        return torch.cat([scores, beside], dim=-1).softmax(dim=-1)[..., :-1]

    def check(self, leading: tuple[int, ...]) -> None:
        """One sink for all heads, or one for each."""
        if self.sink.numel() > 1 and tuple(self.sink.shape) != tuple(leading[-1:]):
            raise ShapeError(
                f"SoftmaxWithSink needs one sink for each of the heads {tuple(leading[-1:])}, got "
                f"{tuple(self.sink.shape)}"
            )

    def tensors(self) -> tuple[Tensor, ...]:
        """The sinks."""
        return (self.sink,)

    def given(self, tensors: tuple[Tensor, ...]) -> Normaliser:
        """The same with these sinks."""
        return SoftmaxWithSink(*tensors)

    def of_heads(self, heads: Int[Tensor, " h"]) -> Normaliser:
        """The sinks of these heads."""
        return self if self.sink.numel() == 1 else SoftmaxWithSink(self.sink[heads])
