"""Encoders: what makes features of a sequence of vectors, whatever it is inside."""

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, cast

import torch
from torch import nn

from regard.cells import LSTMN, MUT1, MUT2, MUT3, Bidirectional, Recurrent
from regard.cells.base import Cell
from regard.cells.lengths import checked_lengths, zero_padding
from regard.functional import masks
from regard.types import Float, Int, Tensor

from ..conv.encoder import ConvEncoder
from ..dropout import Dropout
from ..rnn.encoder import both_ways, new_cell
from ..transformer.layers import EncoderLayer, initialise
from ..transformer.padding import rows as laid_out
from ..transformer.positions import joined
from ..transformer.residual import last_norm, norm_of
from ..widths import fed_widths
from .config import (
    ConvEncoderConfig,
    EncoderCell,
    EncoderConfig,
    RecurrentEncoderConfig,
    TransformerEncoderConfig,
)
from .dropout import WholeDropout

SLOW_CELLS: dict[str, type[Cell[Any]]] = {
    "mut1": MUT1,
    "mut2": MUT2,
    "mut3": MUT3,
    "lstmn": LSTMN,
}
"""Those that torch has no kernel for: they run step by step."""


class Encoder(nn.Module):
    """Features of a sequence of vectors, one for each.

    Args:
        input_dim: width of the vectors.
        output_dim: width of the features.
    """

    def __init__(self, input_dim: int, output_dim: int) -> None:
        super().__init__()
        self.input_dim, self.output_dim = input_dim, output_dim

    @abstractmethod
    def forward(
        self, x: Float[Tensor, "B N D"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "B N M"]:
        """Features, zero beyond the lengths; what stands there has no influence."""

    def last(
        self, features: Float[Tensor, "B N M"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "B M"]:
        """The feature behind which everything was read; zero of an empty sequence."""
        return at_ends(features, lengths)

    def blocks(self) -> list[nn.Module]:
        """Parts that may be spread over processes one by one."""
        return []


class RecurrentEncoder(Encoder):
    r"""Layers of one cell, read both ways or to the right.

    .. math:: h^{\ell}_t = [\overrightarrow{\text{cell}}_\ell(h^{\ell-1}_t);
              \overleftarrow{\text{cell}}_\ell(h^{\ell-1}_t)]

    Schuster and Paliwal 1997 (https://doi.org/10.1109/78.650093). Between layers features are
    dropped from a whole sentence at once (Gal and Ghahramani 2016,
    https://arxiv.org/abs/1512.05287). Padding is read along and zero_padding, which costs less than
    packing it away where batches hold sentences of similar length. The mutants MUT1 to 3 add
    their input to their state, so that a map makes it as wide.
    """

    def __init__(self, config: RecurrentEncoderConfig, input_dim: int) -> None:
        super().__init__(input_dim, config.hidden_dim)
        widths = partial(fed_widths, input_dim, config.hidden_dim, config.num_layers)
        self.both = config.directions == "both"
        own = config.hidden_dim // 2 if self.both else config.hidden_dim
        self.projs = nn.ModuleList(fitting(config.cell, width, own) for width in widths())
        fed = [
            own if isinstance(proj, nn.Linear) else width
            for proj, width in zip(self.projs, widths(), strict=True)
        ]
        self.layers = nn.ModuleList(
            Bidirectional(cell(config.cell, width, own), cell(config.cell, width, own))
            if self.both
            else Recurrent(cell(config.cell, width, own))
            for width in fed
        )
        self.dropout = WholeDropout(config.dropout)

    def forward(
        self, x: Float[Tensor, "B N D"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "B N M"]:
        """The outputs of the highest layer."""
        lengths = checked_lengths(lengths, x)
        x = zero_padding(x, lengths)  # read along, it must be finite for the gradient's sake
        for number, (proj, layer) in enumerate(zip(self.projs, self.layers, strict=True)):
            fed = proj(self.dropout(x) if number else x)
            if isinstance(layer, Bidirectional):
                x, _ = both_ways(layer, fed, lengths)
            else:
                x = zero_padding(layer(fed)[0], lengths)
        return x

    def last(
        self, features: Float[Tensor, "B N M"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "B M"]:
        """The last state of either direction: to the right at the end, to the left at the start."""
        if not self.both:
            return at_ends(features, lengths)
        half = self.output_dim // 2
        return torch.cat([at_ends(features[..., :half], lengths), features[:, 0, half:]], dim=-1)


class TransformerEncoder(Encoder):
    r"""Layers in which every token looks at every other.

    .. math:: x_0 = W e + P_{position}, \quad x_{l+1} = \text{layer}_l(x_l)

    Vaswani et al. 2017, section 3.1 (https://arxiv.org/abs/1706.03762), of the very layers of
    :class:`regard.models.Transformer`; positions join before the first. W is there where the
    vectors have another width than the layers. Where it looks is seen by ``regard.lens.capture`` as
    ``layers.0.attention`` and so on.
    """

    layers: Sequence[EncoderLayer]  # an nn.ModuleList

    def __init__(self, config: TransformerEncoderConfig, input_dim: int) -> None:
        super().__init__(input_dim, config.model_dim)
        shared, width = config.layers, config.model_dim
        self.input_proj = nn.Identity() if input_dim == width else nn.Linear(input_dim, width)
        self.position = joined(shared)
        kind, eps = config.norm_kind, config.norm_eps
        self.input_norm = norm_of(kind, width, eps) if config.input_norm else nn.Identity()
        self.dropout = Dropout(config.dropout)
        layers = nn.ModuleList(EncoderLayer(shared) for _ in range(config.num_layers))
        self.layers = cast(Sequence[EncoderLayer], layers)
        self.norm = last_norm(config)
        initialise(self, tied=torch.empty(0))

    def forward(
        self, x: Float[Tensor, "B N D"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "B N M"]:
        """The states above all layers."""
        lengths = checked_lengths(lengths, x)
        rows, mask = laid_out(lengths, x.shape[1]), masks.padding(lengths)
        placed = self.dropout(self.input_norm(self.position(self.input_proj(x), 0)))
        x = rows.packed(placed)  # (R, M): tokens alone, no padding
        for layer in self.layers:
            x = layer(x, rows, mask)
        return zero_padding(rows.padded(self.norm(x)), lengths)  # (B, N, M)

    def blocks(self) -> list[nn.Module]:
        """The layers."""
        return list(self.layers)


class ConvolutionalEncoder(Encoder):
    """Gated convolutions: :class:`regard.models.conv.encoder.ConvEncoder`, a word beside its
    context. As wide as what it reads; O(N) time, with no step that waits for another."""

    def __init__(self, config: ConvEncoderConfig, input_dim: int) -> None:
        super().__init__(input_dim, input_dim)
        self.stack = ConvEncoder(
            embedding_dim=input_dim,
            hidden_dim=config.hidden_dim,
            layers=config.num_layers,
            kernel=config.kernel,
            dropout=config.dropout,
        )

    def forward(
        self, x: Float[Tensor, "B N D"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "B N M"]:
        """States of every token, each with its own vector added."""
        lengths = checked_lengths(lengths, x)
        return zero_padding(self.stack(zero_padding(x, lengths), lengths).values, lengths)


def encoder(config: EncoderConfig, input_dim: int) -> Encoder:
    """The encoder of a config, for vectors of this width."""
    if isinstance(config, RecurrentEncoderConfig):
        return RecurrentEncoder(config, input_dim)
    if isinstance(config, TransformerEncoderConfig):
        return TransformerEncoder(config, input_dim)
    return ConvolutionalEncoder(config, input_dim)


def cell(name: EncoderCell, input_dim: int, hidden_dim: int) -> Cell[Any]:
    """A new cell of this name; those that torch has a kernel for run in it."""
    if name in SLOW_CELLS:
        return SLOW_CELLS[name](input_dim, hidden_dim)
    return new_cell(name, input_dim, hidden_dim)  # type: ignore[arg-type]


def fitting(name: EncoderCell, input_dim: int, hidden_dim: int) -> nn.Module:
    """What makes inputs as wide as a cell needs them: a map for the mutants, nothing for others."""
    if name.startswith("mut") and input_dim != hidden_dim:
        return nn.Linear(input_dim, hidden_dim)
    return nn.Identity()


def at_ends(x: Float[Tensor, "B N M"], lengths: Int[Tensor, " B"]) -> Float[Tensor, "B M"]:
    """What stands at the last step of every sequence."""
    places = (lengths.to(x.device) - 1).clamp(min=0)[:, None, None].expand(-1, 1, x.shape[-1])
    return x.gather(1, places).squeeze(1)
