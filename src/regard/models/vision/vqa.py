"""What training and answering ask of a model that answers questions about pictures."""

from abc import abstractmethod
from typing import NamedTuple

from torch import nn

from regard.cells import GRU, Recurrent
from regard.types import Float, Int, Tensor

from ..config import PaddedConfig, Probability, Size
from ..dropout import Dropout
from ..embedding import TokenEmbedding
from .grids import ConvGrid, Extent, GridConfig
from .regions import Boxes, RegionKind, Regions


class AnswererConfig(PaddedConfig):
    """What all of them need to know."""

    vocab: Size
    """Number of words of questions."""
    answers: Size
    """Number of answers."""
    grid: GridConfig = ConvGrid()
    """Where the grid of places comes from: a CNN of its own, or maps of another network."""
    regions: RegionKind = "grid"
    """What is looked at: the places of the grid, or boxes that come with every picture."""
    positions: bool = True
    """Whether places know where they stand."""
    embedding_dim: Size = 128
    """Width of the embeddings of words."""
    dropout: Probability = 0.1
    """Probability with which a feature is dropped in training."""


class Answered(NamedTuple):
    """What a model says of questions, and where it looked for it."""

    logits: Float[Tensor, "B O"]
    """Of every answer."""
    hops: Float[Tensor, "B L K"] | None = None
    """How much each region counted, look after look; ``None`` where a model does not look."""
    words: Float[Tensor, "B T K"] | None = None
    """How much each word of the question looked at each region, where words look one by one."""


class Answerer(nn.Module):
    """A model p(answer | picture, question).

    >>> logits = model(pictures, questions, lengths)
    >>> answered = model.answer(pictures, questions, lengths)
    >>> answered.hops[:, -1]                       # where it looked last
    """

    config: AnswererConfig

    @property
    def extent(self) -> Extent:
        """Rows and columns of the grid."""
        return self.config.grid.extent

    @abstractmethod
    def answer(
        self,
        pictures: Tensor,
        questions: Int[Tensor, "B T"],
        lengths: Int[Tensor, " B"],
        boxes: Boxes | None = None,
        owners: Int[Tensor, " B"] | None = None,
    ) -> Answered:
        """Logits of all answers, and where the model looked.

        Args:
            pictures: uint8 (B, 3, Y, X), or maps (B, C, y, x) of the network its config names.
            questions: tokens.
            lengths: tokens of each question.
            boxes: of each picture, for a model that looks at boxes.
            owners: the picture of every question, where there are several about one; a question
                a picture if not given.
        """

    def forward(
        self,
        pictures: Tensor,
        questions: Int[Tensor, "B T"],
        lengths: Int[Tensor, " B"],
        boxes: Boxes | None = None,
        owners: Int[Tensor, " B"] | None = None,
    ) -> Float[Tensor, "B O"]:
        """Logits of all answers."""
        return self.answer(pictures, questions, lengths, boxes, owners).logits

    @staticmethod
    def regions_of(config: AnswererConfig, width: int) -> Regions:
        """The regions as the config has them."""
        return Regions(
            config.grid,
            width,
            kind=config.regions,
            positions=config.positions,
            dropout=config.dropout,
        )


class QuestionReader(nn.Module):
    """A question as the last state of a GRU over its words.

    Anderson et al. 2018, section 3.3 (https://arxiv.org/abs/1707.07998).

    Args:
        config: vocabulary and widths.
        question_dim: width of the state.
    """

    def __init__(self, config: AnswererConfig, question_dim: int) -> None:
        super().__init__()
        self.embedding = TokenEmbedding(
            config.vocab,
            config.embedding_dim,
            pad=config.pad,
            dropout=config.dropout,
            factor=config.embedding_dim**0.5,
        )
        self.reader = Recurrent(GRU(config.embedding_dim, question_dim, reset="after"))
        self.dropout = Dropout(config.dropout)

    def forward(
        self, questions: Int[Tensor, "B T"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "B Dq"]:
        """One vector for each question."""
        _, last = self.reader(self.embedding(questions), lengths=lengths)
        return self.dropout(last.hidden)
