"""Non-local blocks: every position looks at every other."""

from typing import Literal, get_args

import torch
from torch import nn
from torch.nn.functional import pad

from regard.errors import ShapeError
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.papers import WANG_2018
from regard.types import Bool, Float, Tensor

from ..base import AttentionModule, require_choice, uniform
from ..memory import key_mask
from .features import PositionMask, allowed_positions, dimensions, real_features, require_features


class Subsample(nn.Module):
    """The maximum of every window of positions, over those of them that are allowed.

    Args:
        factor: size and stride of the windows, for all axes or for each.
        dims: axes of the positions: 1, 2 or 3.
    """

    def __init__(self, factor: int | tuple[int, ...], *, dims: int) -> None:
        super().__init__()
        pool = dimensions(self, dims).max_pool
        factors = (factor,) * dims if isinstance(factor, int) else tuple(factor)
        if len(factors) != dims:
            raise ShapeError(
                f"subsample needs one factor, or one for each of {dims} axes, got {factor}"
            )
        for each in factors:
            require_sizes(self, factor=each)
        self.keeps_all = all(each == 1 for each in factors)
        self.pool = pool(factors, ceil_mode=True)

    def any(self, allowed: Bool[Tensor, "B 1 *P"]) -> Bool[Tensor, "B 1 *K"]:
        """Windows that have an allowed position."""
        return allowed if self.keeps_all else self.pool(allowed.float()) > 0

    def forward(
        self, features: Float[Tensor, "B C *P"], allowed: Bool[Tensor, "B 1 *P"] | None = None
    ) -> Float[Tensor, "B C *K"]:
        """The maxima; 0 for a window without an allowed position."""
        if allowed is None:
            return self.pool(features)
        lowest = torch.finfo(features.dtype).min
        found = self.pool(features.masked_fill(~allowed, lowest))
        return found.masked_fill(~self.any(allowed), 0)


Pairwise = Literal["embedded_gaussian", "gaussian", "dot", "concat"]

NORMALISE = {
    "embedded_gaussian": "softmax",
    "gaussian": "softmax",
    "dot": "mean",
    "concat": "mean_relu",
}
"""How the scores of each version become weights; all of them are inner products before that."""


@mechanism(
    "non-local block",
    family="vision",
    equation="z = W_z y + x,  yᵢ = Σⱼ f(xᵢ, xⱼ) g(xⱼ) / C(x)",
    cost="O((H W)² C)",
    paper=WANG_2018,
)
class NonLocal(AttentionModule):
    r"""Self-attention over the positions of an image, a sequence or a video, with a residual.

    .. math:: y_i = \frac{1}{C(x)} \sum_j f(x_i, x_j) \, g(x_j), \quad z_i = W_z y_i + x_i

    ===================== ========================================== =====================
    ``pairwise``          f(x_i, x_j)                                C(x)
    ===================== ========================================== =====================
    ``gaussian``          exp(x_i · x_j)                             the sum of f over j
    ``embedded_gaussian`` exp(θ(x_i) · φ(x_j))                       the sum of f over j
    ``dot``               θ(x_i) · φ(x_j)                            N, the number of j
    ``concat``            ReLU(w_f · [θ(x_i); φ(x_j)])               N
    ===================== ========================================== =====================

    Wang et al. 2018, Eq. 1 to 6 (https://arxiv.org/abs/1711.07971). Theirs → ours: θ →
    ``query_proj``, φ → ``key_proj``, g → ``value_proj``, w_f → ``pair_weight``, W_z →
    ``output_proj``. The block starts as the identity: W_z is zero, or, with batch norm behind it,
    the scale of that. O(P² A / s) time for a subsampling to 1/s of the positions, linear memory.

    Args:
        channels: C.
        dims: axes of the positions: 1, 2 or 3.
        pairwise: f and with it C(x).
        hidden_channels: A, half of ``channels`` if not given.
        subsample: by how much the positions that are looked at are max-pooled, for all axes or for
            each; 2 in the paper, (1, 2, 2) for videos. A rest that fills no window is pooled, too.
        norm: what follows W_z, ``"none"`` or ``"batch"``.
    """

    def __init__(
        self,
        channels: int,
        *,
        dims: int = 2,
        pairwise: Pairwise = "embedded_gaussian",
        hidden_channels: int | None = None,
        subsample: int | tuple[int, ...] = 1,
        norm: Literal["none", "batch"] = "none",
    ) -> None:
        super().__init__()
        hidden = max(1, channels // 2) if hidden_channels is None else hidden_channels
        require_sizes(self, channels=channels, hidden_channels=hidden)
        require_choice("pairwise", pairwise, get_args(Pairwise))
        require_choice("norm", norm, ("none", "batch"))
        self.channels, self.dims, self.pairwise = channels, dims, pairwise
        self.subsample = Subsample(subsample, dims=dims)
        embeds = pairwise != "gaussian"
        self.query_proj = nn.Linear(channels, hidden) if embeds else nn.Identity()
        self.key_proj = nn.Linear(channels, hidden) if embeds else nn.Identity()
        self.value_proj = nn.Linear(channels, hidden)
        concat = pairwise == "concat"
        self.pair_weight = uniform(2, hidden, fan_in=2 * hidden) if concat else None
        self.output_proj = nn.Linear(hidden, channels)
        self.norm = nn.BatchNorm1d(channels) if norm == "batch" else nn.Identity()
        self._start_as_identity()

    @torch.no_grad()
    def _start_as_identity(self) -> None:
        last = self.norm if isinstance(self.norm, nn.BatchNorm1d) else self.output_proj
        last.weight.zero_()
        last.bias.zero_()

    def forward(
        self, features: Float[Tensor, "B C *P"], mask: PositionMask | None = None
    ) -> Float[Tensor, "B C *P"]:
        """The features with what each position found elsewhere.

        Args:
            features: what looks and is looked at.
            mask: which positions may be looked at: booleans (B, *P), or lengths (B,), counted
                row by row.
        """
        require_features(self, features, self.channels, self.dims)
        features, allowed = real_features(features, mask), allowed_positions(features, mask)
        tokens = features.flatten(2).mT  # (B, P, C)
        query = self.query_proj(tokens)
        key, value = (
            self._looked_at(proj(tokens), features, allowed)
            for proj in (self.key_proj, self.value_proj)
        )
        context = self.attend(
            *self._paired(query, key),
            value,
            score="dot",
            mask=None if allowed is None else key_mask(self.subsample.any(allowed).flatten(1)),
            normalise=NORMALISE[self.pairwise],
        )
        found = self.norm(self.output_proj(context).mT)  # (B, C, P)
        return features + found.reshape(features.shape)

    def _looked_at(
        self,
        tokens: Float[Tensor, "B P D"],
        features: Float[Tensor, "B C *P"],
        allowed: Bool[Tensor, "B 1 *P"] | None,
    ) -> Float[Tensor, "B K D"]:
        if self.subsample.keeps_all:
            return tokens
        on_grid = tokens.mT.unflatten(-1, features.shape[2:])  # (B, D, *P)
        return self.subsample(on_grid, allowed).flatten(2).mT  # (B, K, D)

    def _paired(self, query: Tensor, key: Tensor) -> tuple[Tensor, Tensor]:
        """Query and key whose inner product is the score."""
        if self.pair_weight is None:
            return query, key
        weight = self.pair_weight.to(query.dtype)
        of_query, of_key = (query @ weight[0]).unsqueeze(-1), (key @ weight[1]).unsqueeze(-1)
        return pad(of_query, (0, 1), value=1.0), pad(of_key, (1, 0), value=1.0)  # a · 1 + 1 · b
