"""Recurrent language models, with any cell."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple

import torch
from pydantic import Field, model_validator

from regard.cells import (
    GRU,
    LSTM,
    LSTMN,
    MUT1,
    MUT2,
    MUT3,
    RNN,
    Cell,
    Recurrent,
    Stack,
    StackState,
)
from regard.registry import Registry
from regard.types import Float, Int, Tensor

from ..config import Probability, Size
from ..dropout import Dropout
from ..embedding import TokenEmbedding
from ..output import Unembedding
from ..rnn.base import behind
from ..widths import fed_widths
from .config import LanguageConfig
from .model import LanguageModel

LanguageCell = Literal["rnn", "lstm", "gru", "mut1", "mut2", "mut3", "lstmn"]

_cells: Registry[Callable[[int, int], Cell[Any]]] = Registry("cell")
_cells.add("rnn", RNN)
_cells.add("lstm", lambda fed, hidden: LSTM(fed, hidden, forget_bias=1.0))
_cells.add("gru", lambda fed, hidden: GRU(fed, hidden, reset="after"))
_cells.add("mut1", MUT1)
_cells.add("mut2", MUT2)
_cells.add("mut3", MUT3)
_cells.add("lstmn", LSTMN)


class RecurrentLMConfig(LanguageConfig):
    """Mikolov et al. 2010 (https://www.isca-archive.org/interspeech_2010/mikolov10_interspeech)."""

    kind: Literal["recurrent-lm"] = "recurrent-lm"
    """Which model this is the config of."""
    cell: LanguageCell = "lstm"
    """Cell of all layers."""
    embedding_dim: Size = 256
    """Width of the embeddings."""
    hidden_dim: Size = 256
    """Width of the states."""
    num_layers: Annotated[int, Field(ge=1)] = 2
    """Layers."""
    variational: Probability = 0.0
    """Probability of variational dropout, whose masks last as long as a text."""

    @model_validator(mode="after")
    def _widths_fit(self) -> "RecurrentLMConfig":
        if self.cell in ("mut1", "mut2", "mut3") and self.embedding_dim != self.hidden_dim:
            raise ValueError(
                f"{self.cell} adds its input to its state: embedding_dim needs to be hidden_dim, "
                f"{self.hidden_dim}, got {self.embedding_dim}"
            )
        return self


class RecurrentState(NamedTuple):
    """The states of all layers."""

    layers: StackState

    def reorder(self, rows: Int[Tensor, " b"]) -> "RecurrentState":
        """The state of these elements of the batch."""
        return RecurrentState(self.layers.reorder(rows))

    def detach(self) -> "RecurrentState":
        """The same numbers without their history: truncated back-propagation."""
        return RecurrentState(self.layers.detach())

    def joined(self, other: "RecurrentState") -> "RecurrentState | None":
        """The state of both batches; ``None`` where each has a tape of its own length."""
        if any(hasattr(layer, "tape") for layer in self.layers.layers):
            return None
        return RecurrentState(StackState(behind(self.layers.layers, other.layers.layers)))


class RecurrentLM(LanguageModel):
    r"""All of the past in the states of a few cells.

    .. math:: h_t = \text{cell}(E_{x_t}, h_{t-1}), \quad p(x_{t+1}) = \text{softmax}(W_o h_t + b)

    Mikolov et al. 2010; with LSTM, Sundermeyer et al. 2012
    (https://www.isca-archive.org/interspeech_2012/sundermeyer12_interspeech); with LSTMN, which
    attends over its own past, Cheng et al. 2016 (https://arxiv.org/abs/1601.06733). Reading a text
    is many-to-many; writing one from nothing, one-to-many. The state is passed back and on, so a
    text may be read in pieces: see ``streams`` of the text-generation task.
    """

    config: RecurrentLMConfig

    def __init__(self, config: RecurrentLMConfig) -> None:
        super().__init__()
        self.config = config
        width, hidden = config.embedding_dim, config.hidden_dim
        self.embedding = TokenEmbedding(
            config.vocab, width, pad=None, dropout=config.dropout, factor=width**0.5
        )
        widths = fed_widths(width, hidden, config.num_layers)
        cells = [_cells[config.cell](fed, hidden) for fed in widths]
        stack = Stack(cells, dropout=config.dropout, variational=config.variational)
        self.recurrent = Recurrent(stack)
        self.dropout = Dropout(config.dropout)
        self.output = Unembedding(
            hidden, config.vocab, tied_to=self.embedding if config.tied else None
        )

    def features(self, tokens: Int[Tensor, "B T"]) -> Float[Tensor, "B T M"]:
        """What the output layer turns into logits, of a text from its beginning."""
        return self.read(tokens)[0]

    def read(
        self, tokens: Int[Tensor, "B T"], state: RecurrentState | None = None
    ) -> tuple[Float[Tensor, "B T M"], RecurrentState]:
        """Features of the tokens behind ``state``, or of the first ones, and the state behind."""
        before = None if state is None else state.layers
        outputs, layers = self.recurrent(self.embedding(tokens), before)
        return self.dropout(outputs), RecurrentState(layers)

    def start(self, prompt: Int[Tensor, "B S"], lengths: Int[Tensor, " B"]) -> RecurrentState:
        """The state behind a prompt, which may be empty."""
        width = int(lengths.max()) if len(lengths) else 0
        if not width:
            return RecurrentState(self.recurrent.cell.start(len(prompt)))
        _, layers = self.recurrent(self.embedding(prompt[:, :width]), lengths=lengths)
        return RecurrentState(layers)

    def carried(self, count: int) -> RecurrentState:
        """The state before the first token of so many texts, to be carried from piece to piece."""
        return RecurrentState(self.recurrent.cell.start(count))


def recurrent_small(cell: LanguageCell) -> Callable[..., RecurrentLMConfig]:
    """The preset of a cell: two layers of 256."""

    def preset(*, vocab: int) -> RecurrentLMConfig:
        return RecurrentLMConfig(vocab=vocab, cell=cell)

    preset.__doc__ = f"Two layers of 256, {cell.upper()}."
    return preset


CELLS: tuple[LanguageCell, ...] = ("rnn", "lstm", "gru", "mut1", "mut2", "mut3", "lstmn")


def flattened(state: RecurrentState) -> Float[Tensor, "B N"]:
    """All numbers of a state side by side, one row for each text."""
    return torch.cat([part for layer in _tuples(state) for part in layer], dim=-1)


def unflattened(numbers: Float[Tensor, "B N"], like: RecurrentState) -> RecurrentState:
    """The state that :func:`flattened` gave, in the form of another one."""
    parts = [part for layer in _tuples(like) for part in layer]
    pieces = iter(numbers.split([part.shape[-1] for part in parts], dim=-1))
    layers = tuple(type(layer)(*(next(pieces) for _ in layer)) for layer in _tuples(like))
    return RecurrentState(StackState(layers, like.layers.masks))


def _tuples(state: RecurrentState) -> tuple[Any, ...]:
    """The states of the layers, each a named tuple of vectors."""
    return state.layers.layers
