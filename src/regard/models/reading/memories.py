"""What a reader of stories looks at: keys and values of every sentence, hop by hop."""

from abc import abstractmethod
from typing import NamedTuple

import torch
from torch import nn

from regard.types import Float, Int, Tensor

from ..dropout import Dropout
from ..embedding import TokenEmbedding
from ..text.encoders import at_ends, encoder
from ..text.pooling import pooling
from .stories import Stories, ages
from .story_config import EmbeddedMemoryConfig, EncodedMemoryConfig, StoryReaderConfig


class Read(NamedTuple):
    """A story and its question as vectors; places behind the sentences hold nothing of use."""

    question: Float[Tensor, "B D"]
    keys: tuple[Float[Tensor, "B N D"], ...]
    """What is compared, one for each hop."""
    values: tuple[Float[Tensor, "B N D"], ...]
    """What is pooled."""


class Memory(nn.Module):
    """From stories to vectors."""

    @abstractmethod
    def forward(self, stories: Stories, old: Int[Tensor, "B N"]) -> Read:
        """Keys and values.

        Args:
            stories: what is read.
            old: the age of every sentence, 0 for the question.
        """

    def answers(self, known: Float[Tensor, "B D"]) -> Float[Tensor, "B V"] | None:
        """Scores of answers, where a matrix of the memory is that of the answers too."""
        return None


def position_weights(lengths: Int[Tensor, " W"], width: int, dim: int) -> Float[Tensor, "W S D"]:
    r"""How much each feature of each word counts, by where the word stands.

    .. math:: l_{jd} = (1 - j / J) - (d / D) (1 - 2 j / J), \quad j = 1 \dots J

    Sukhbaatar et al. 2015, section 4.1 (https://arxiv.org/abs/1503.08895): early words count in
    early features, late ones in late features. Zero behind the last word.
    """
    j = torch.arange(1, width + 1, device=lengths.device).view(1, -1, 1)
    d = torch.arange(1, dim + 1, device=lengths.device).view(1, 1, -1) / dim
    share = j / lengths.clamp(min=1).view(-1, 1, 1)
    return ((1 - share) - d * (1 - 2 * share)).where(j <= lengths.view(-1, 1, 1), 0)


class EmbeddedMemory(Memory):
    r"""Sums of words in as many matrices as the tying leaves, with the age of each sentence.

    .. math:: m^k_i = \sum_j l_j \odot A^k x_{ij} + T^k_A(i), \quad
              c^k_i = \sum_j l_j \odot C^k x_{ij} + T^k_C(i), \quad u^1 = \sum_j l_j \odot B q_j

    Sukhbaatar et al. 2015 (https://arxiv.org/abs/1503.08895), sections 2 and 4.1. Adjacent tying:
    A of hop k + 1 is C of hop k, and B is the first A. Layer-wise: one A and one C for all hops.
    Differs from the paper: answers have a matrix of their own, for they are not words of the
    vocabulary alone.
    """

    def __init__(self, config: StoryReaderConfig, own: EmbeddedMemoryConfig) -> None:
        super().__init__()
        self.hops, self.sentence = config.hops, own.sentence
        self.tables = nn.ModuleList(
            TokenEmbedding(config.vocab, config.dim, pad=config.pad)
            for _ in range(_distinct(own.tying, config.hops) + (own.tying != "adjacent"))
        )
        self.ages = nn.ModuleList(
            nn.Embedding(own.reach + 1, config.dim)
            for _ in range(_distinct(own.tying, config.hops))
        )
        for table in self.ages:
            assert isinstance(table, nn.Embedding)
            nn.init.normal_(table.weight, std=config.dim**-0.5)
        self.tying, self.reach = own.tying, own.reach
        self.dropout = Dropout(config.dropout)

    def forward(self, stories: Stories, old: Int[Tensor, "B N"]) -> Read:
        """Sums of words."""
        weights = self._weights(stories)
        sums = [self._sums(stories, table, weights) for table in self.tables]  # (W, D) each
        told = [table(old.clamp(max=self.reach)) for table in self.ages]  # (B, N, D) each
        chosen = [
            sums[number][stories.index] + told[number] for number in range(len(told))
        ]  # (B, N, D) each
        own = sums[0] if self.tying == "adjacent" else sums[-1]
        places = stories.lengths.unsqueeze(-1)
        question = own[stories.index.gather(1, places).squeeze(1)]  # (B, D)
        keys, values = zip(*[self._pair(chosen, hop) for hop in range(self.hops)], strict=True)
        return Read(self.dropout(question), keys, values)

    def _pair(self, chosen: list[Tensor], hop: int) -> tuple[Tensor, Tensor]:
        if self.tying == "adjacent":
            return chosen[hop], chosen[hop + 1]
        first = 2 * hop if self.tying == "none" else 0
        return chosen[first], chosen[first + 1]

    def _weights(self, stories: Stories) -> Tensor:
        width, dim = stories.sentences.shape[1], self.tables[0].embedding_dim
        assert isinstance(dim, int)
        if self.sentence == "position":
            return position_weights(stories.sentence_lengths, width, dim)
        places = torch.arange(width, device=stories.index.device)
        return (places < stories.sentence_lengths.unsqueeze(-1)).unsqueeze(-1).float()

    def _sums(self, stories: Stories, table: nn.Module, weights: Tensor) -> Tensor:
        return (table(stories.sentences) * weights).sum(dim=1)


def _distinct(tying: str, hops: int) -> int:
    """Matrices for keys and values together."""
    return {"adjacent": hops + 1, "layer-wise": 2, "none": 2 * hops}[tying]


class EncodedMemory(Memory):
    r"""Features of sentences, each with the age of its sentence, perhaps read side by side.

    .. math:: s_i = \text{pool}(\text{words}(x_{i1}, \dots)) + T(i), \quad
              [f_1, \dots, f_N, f_q] = \text{context}(s_1, \dots, s_N, s_q), \quad
              m^k_i = W^k_m f_i, \; c^k_i = W^k_c f_i, \; u^1 = W_u f_q

    Xiong et al. 2016, section 3.1 (https://arxiv.org/abs/1603.01417), where the context is a GRU
    in both directions. The question stands behind the story, so that a context with attention sees
    it from every sentence.
    """

    def __init__(self, config: StoryReaderConfig, own: EncodedMemoryConfig) -> None:
        super().__init__()
        dim = config.dim
        self.hops, self.reach = config.hops, own.reach
        self.table = TokenEmbedding(config.vocab, dim, pad=config.pad, factor=dim**0.5)
        self.words = encoder(own.words, dim)
        self.pooling = pooling(own.pooling, self.words)
        width = self.words.output_dim
        self.ages = nn.Embedding(own.reach + 1, width)
        nn.init.normal_(self.ages.weight, std=0.1)
        self.context = None if own.context is None else encoder(own.context, width)
        width = width if self.context is None else self.context.output_dim
        self.question_proj = nn.Linear(width, dim)
        self.key_projs = nn.ModuleList(nn.Linear(width, dim) for _ in range(config.hops))
        self.value_projs = nn.ModuleList(nn.Linear(width, dim) for _ in range(config.hops))
        self.dropout = Dropout(config.dropout)

    def forward(self, stories: Stories, old: Int[Tensor, "B N"]) -> Read:
        """Features of sentences."""
        x = self._sentences(stories)[stories.index]  # (B, N, W)
        x = self.dropout(x + self.ages(old.clamp(max=self.reach)))
        if self.context is not None:
            x = self.context(x, stories.lengths + 1)
        question = at_ends(x, stories.lengths + 1)  # (B, W)
        keys = tuple(proj(x) for proj in self.key_projs)
        values = tuple(proj(x) for proj in self.value_projs)
        return Read(self.question_proj(question), keys, values)

    def _sentences(self, stories: Stories) -> Tensor:
        """A vector for every different sentence; of none, zero."""
        lengths = stories.sentence_lengths
        features = self.words(self.table(stories.sentences), lengths.clamp(min=1))
        pooled: Tensor = self.pooling(features, lengths.clamp(min=1))
        return pooled.where((lengths > 0).unsqueeze(-1), 0)


def memory(config: StoryReaderConfig) -> Memory:
    """The memory of a config."""
    if isinstance(config.memory, EmbeddedMemoryConfig):
        return EmbeddedMemory(config, config.memory)
    return EncodedMemory(config, config.memory)


def noisy_ages(lengths: Int[Tensor, " B"], width: int, *, probability: float) -> Int[Tensor, "B N"]:
    """Ages as if a sentence more stood before some: those of the sentences before it grow."""
    old = ages(lengths, width)
    if not probability:
        return old
    more = (torch.rand(old.shape, device=old.device) < probability) & (old > 0)
    return old + more.flip(-1).cumsum(dim=-1).flip(-1) * (old > 0)
