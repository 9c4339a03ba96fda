"""Cells on top of each other, and dropout whose mask lasts a whole sequence."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.functional import dropout

from regard.errors import ChoiceError, RangeError, ShapeError
from regard.functional.value import require_whole
from regard.types import Bool, Float, Int, Tensor

from .base import Cell, State, check_input


class Masks(NamedTuple):
    """What a layer drops of its input and of its state, the same in every step of a sequence."""

    input: Float[Tensor, "*B D"]
    hidden: Float[Tensor, "*B H"]

    def reorder(self, rows: Int[Tensor, " b"]) -> "Masks":
        """The masks of these elements of the batch."""
        return Masks(self.input.index_select(0, rows), self.hidden.index_select(0, rows))


def draw(
    batch: tuple[int, ...], input_dim: int, hidden_dim: int, *, probability: float, like: Tensor
) -> Masks:
    r"""Masks of zeros and :math:`1/(1-p)`, as inverted dropout has them.

    Gal and Ghahramani 2016 (https://arxiv.org/abs/1512.05287), one mask for all gates.
    """
    input_mask, hidden_mask = (
        dropout(torch.ones(*batch, dim, dtype=like.dtype, device=like.device), probability)
        for dim in (input_dim, hidden_dim)
    )
    return Masks(input_mask, hidden_mask)


def require_probability(owner: str, what: str, value: float) -> None:
    """Raise unless ``value`` is from 0 to below 1."""
    if not 0 <= value < 1:
        raise RangeError(f"{owner} needs {what} from 0 to below 1, got {value}")


class StackState(NamedTuple):
    """The states of all layers, the lowest first, and what is dropped while the sequence lasts."""

    layers: tuple[State, ...]
    masks: tuple[Masks, ...] | None = None

    def reorder(self, rows: Int[Tensor, " b"]) -> "StackState":
        """The state of these elements of the batch."""
        masks = None if self.masks is None else tuple(m.reorder(rows) for m in self.masks)
        return StackState(tuple(layer.reorder(rows) for layer in self.layers), masks)

    def detach(self) -> "StackState":
        """The same numbers without their history; the masks stay."""
        return StackState(tuple(layer.detach() for layer in self.layers), self.masks)

    def where(self, active: Bool[Tensor, "*B"], otherwise: "StackState") -> "StackState":
        """Finished sequences keep what they had."""
        pairs = zip(self.layers, otherwise.layers, strict=True)
        return StackState(tuple(new.where(active, old) for new, old in pairs), self.masks)


class Stack(Cell[StackState]):
    r"""Layers of cells, the output of each the input of the next; itself a cell.

    .. math:: x^{\ell}_t = \text{cell}_\ell(x^{\ell-1}_t) \; [+ \; x^{\ell-1}_t
              \text{ for } \ell \ge \text{residual\_from}]

    Residual connections as in GNMT (Wu et al. 2016, section 3.1, https://arxiv.org/abs/1609.08144),
    which has them from the third layer. Variational dropout after Gal and Ghahramani 2016
    (https://arxiv.org/abs/1512.05287): one mask on the input and one on what the recurrent matrices
    see of the state, per layer and sequence. The masks are drawn by :meth:`start` in training and
    travel in the state, so a sequence read in pieces keeps them. Cost: the sum of the layers'; run
    over a sequence layer by layer, fused where the cells are and nothing is dropped from a state.

    Args:
        cells: from the lowest layer to the highest; each as wide as the next one's input.
        residual_from: the first layer, counted from 1, whose input is added to its output; ``None``
            for none.
        dropout: probability with which each input of a layer above the first is dropped, anew in
            every step; what a residual connection carries is not dropped.
        variational: probability of variational dropout, in all layers. For one cell alone:
            ``Stack([cell], variational=0.3)``.

    Raises:
        ShapeError: widths which do not fit.
        RangeError: no cells, no such layer, or no probability.
    """

    def __init__(
        self,
        cells: Sequence[Cell[Any]],
        *,
        residual_from: int | None = None,
        dropout: float = 0.0,
        variational: float = 0.0,
    ) -> None:
        if not cells:
            raise RangeError("Stack needs at least one cell, got none")
        super().__init__(cells[0].input_dim, cells[-1].hidden_dim)
        require_probability("Stack", "dropout", dropout)
        require_probability("Stack", "variational", variational)
        _require_chain(cells)
        _require_residual(cells, residual_from)
        if variational and any(isinstance(cell, Stack) for cell in cells):
            raise ChoiceError(
                "variational dropout belongs to the Stack which holds the cells; give it to the "
                "inner one"
            )
        self.cells = nn.ModuleList(cells)
        self.residual_from, self.dropout, self.variational = residual_from, dropout, variational

    def start(self, *batch: int) -> StackState:
        """The start of every layer; in training, with the masks of variational dropout."""
        layers = tuple(cell.start(*batch) for cell in self._layers)
        if not (self.training and self.variational):
            return StackState(layers)
        like = next(self.parameters())
        masks = (
            draw(batch, cell.input_dim, cell.hidden_dim, probability=self.variational, like=like)
            for cell in self._layers
        )
        return StackState(layers, tuple(masks))

    def forward(
        self,
        x: Float[Tensor, "*B D"],
        state: StackState,
        *,
        hidden_mask: Float[Tensor, "*B H"] | None = None,
    ) -> tuple[Float[Tensor, "*B H"], StackState]:
        """One step of every layer; see :meth:`Cell.forward`."""
        assert hidden_mask is None, "a stack has masks of its own"
        check_input(self, x, "(*B, D)", axes=1)
        self._check_state(state)
        after: list[State] = []
        for index, cell in enumerate(self._layers):
            masks = self._masks(state, index)
            fed = self._dropped(x, index)
            fed = fed if masks is None else fed * masks.input
            mask = None if masks is None else masks.hidden
            output, layer = cell(fed, state.layers[index], hidden_mask=mask)
            x = self._joined(output, x, index)
            after.append(layer)
        return x, StackState(tuple(after), state.masks)

    def run(
        self,
        x: Float[Tensor, "*B N D"],
        state: StackState,
        *,
        lengths: Int[Tensor, "*B"] | None = None,
        hidden_mask: Float[Tensor, "*B H"] | None = None,
    ) -> tuple[Float[Tensor, "*B N H"], StackState]:
        """All steps of a layer before the next layer, so that each may run fused."""
        assert hidden_mask is None, "a stack has masks of its own"
        self._check_state(state)
        after: list[State] = []
        for index, cell in enumerate(self._layers):
            masks = self._masks(state, index)
            fed = self._dropped(x, index)
            fed = fed if masks is None else fed * masks.input.unsqueeze(-2)
            mask = None if masks is None else masks.hidden
            outputs, layer = cell.run(fed, state.layers[index], lengths=lengths, hidden_mask=mask)
            x = self._joined(outputs, x, index)
            after.append(layer)
        return x, StackState(tuple(after), state.masks)

    @property
    def _layers(self) -> list[Cell[Any]]:
        return [cell for cell in self.cells if isinstance(cell, Cell)]

    def _masks(self, state: StackState, index: int) -> Masks | None:
        return state.masks[index] if self.training and state.masks is not None else None

    def _dropped(self, x: Tensor, index: int) -> Tensor:
        return dropout(x, self.dropout, self.training) if index and self.dropout else x

    def _joined(self, output: Tensor, x: Tensor, index: int) -> Tensor:
        residual = self.residual_from is not None and index + 1 >= self.residual_from
        return output + x if residual else output

    def _check_state(self, state: StackState) -> None:
        if len(state.layers) != len(self.cells):
            raise ShapeError(
                f"this Stack needs a state of {len(self.cells)} layers, got {len(state.layers)}"
            )

    def extra_repr(self) -> str:
        """What is set beside the cells."""
        chosen = {
            "residual_from": self.residual_from,
            "dropout": self.dropout,
            "variational": self.variational,
        }
        return ", ".join(f"{name}={value}" for name, value in chosen.items() if value)


def _require_chain(cells: Sequence[Cell[Any]]) -> None:
    for number, (below, above) in enumerate(pairwise(cells), start=1):
        if below.hidden_dim != above.input_dim:
            raise ShapeError(
                f"Stack needs each cell as wide as the next one's input, got hidden_dim "
                f"{below.hidden_dim} in layer {number} and input_dim {above.input_dim} in layer "
                f"{number + 1}"
            )


def _require_residual(cells: Sequence[Cell[Any]], first: int | None) -> None:
    if first is None:
        return
    require_whole("Stack", "residual_from", first)
    if not 1 <= first <= len(cells):
        raise RangeError(f"Stack needs residual_from from 1 to {len(cells)}, got {first}")
    for number, cell in enumerate(cells[first - 1 :], start=first):
        if cell.input_dim != cell.hidden_dim:
            raise ShapeError(
                f"a residual connection needs input and output of one width, got {cell.input_dim} "
                f"and {cell.hidden_dim} in layer {number}; begin it higher"
            )
