"""Coordinate attention: which channels matter in which row, and in which column."""

import torch
from torch import nn
from torch.nn.functional import hardswish

from regard.functional.events import StoredWeights
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.types import Float, Tensor

from ..base import AttentionModule
from .features import require_features


@mechanism(
    "coordinate attention",
    family="vision",
    equation="x ⊙ σ(F_h f_h) ⊙ σ(F_w f_w),  [f_h; f_w] = δ(F₁ [mean_w x; mean_h x])",
    cost="O(C² / r · (H + W) + C H W)",
    paper=("Hou 2021", "https://arxiv.org/abs/2103.02907"),
)
class CoordinateAttention(AttentionModule):
    r"""A gate for every channel in every row, times one for every channel in every column.

    .. math:: f = \delta(F_1([z^h; z^w])), \quad g^h = \sigma(F_h(f^h)), \quad
              g^w = \sigma(F_w(f^w)), \quad y_c(i, j) = x_c(i, j) \, g^h_c(i) \, g^w_c(j)

    Hou et al. 2021, Eq. 4 to 9 (https://arxiv.org/abs/2103.02907): z^h is the mean of every row,
    z^w that of every column, δ a batch norm and hard swish. Theirs → ours: F_1 → ``reduce_proj``,
    F_h → ``row_proj``, F_w → ``column_proj``. What is captured is the product of both gates, its
    mean over the channels: (B, 1, Y, X). Images only. O(C P + C² (Y + X) / r) time.

    Args:
        channels: C.
        reduction: r, by which the hidden layer is narrower than C; it keeps at least 8 units.
        hidden_channels: units of the hidden layer, where another number is wanted.
        bias: whether the maps have one.
    """

    def __init__(
        self,
        channels: int,
        reduction: int = 32,
        *,
        hidden_channels: int | None = None,
        bias: bool = True,
    ) -> None:
        super().__init__()
        require_sizes(self, channels=channels, reduction=reduction)
        hidden = max(8, channels // reduction) if hidden_channels is None else hidden_channels
        require_sizes(self, hidden_channels=hidden)
        self.channels = channels
        self.reduce_proj = nn.Linear(channels, hidden, bias=bias)
        self.norm = nn.BatchNorm1d(hidden)
        self.row_proj = nn.Linear(hidden, channels, bias=bias)
        self.column_proj = nn.Linear(hidden, channels, bias=bias)

    def gates(
        self, features: Float[Tensor, "B C *P"]
    ) -> tuple[Float[Tensor, "B C Y"], Float[Tensor, "B C X"]]:
        """How far each channel is let through in each row, and in each column."""
        require_features(self, features, self.channels, 2)
        height = features.shape[2]
        lines = torch.cat([features.mean(dim=3), features.mean(dim=2)], dim=2)  # (B, C, Y + X)
        hidden = hardswish(self.norm(self.reduce_proj(lines.mT).mT)).mT  # (B, Y + X, c)
        rows, columns = hidden[:, :height], hidden[:, height:]
        by_row = torch.sigmoid(self.row_proj(rows).mT)  # (B, C, Y)
        by_column = torch.sigmoid(self.column_proj(columns).mT)  # (B, C, X)
        if self.watchers:
            both = (by_row.unsqueeze(-1) * by_column.unsqueeze(-2)).mean(dim=1, keepdim=True)
            self.notify(StoredWeights(both.detach()))  # (B, 1, Y, X)
        return by_row, by_column

    def forward(self, features: Float[Tensor, "B C *P"]) -> Float[Tensor, "B C *P"]:
        """The features times both gates."""
        by_row, by_column = self.gates(features)
        return features * by_row.unsqueeze(-1) * by_column.unsqueeze(-2)
