"""Examples as token numbers in compact arrays, and the padded batches that training gets."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from regard.data import batches
from regard.data.alignment import side_of, to_tokens
from regard.data.batches.pools import Positions, Ragged, RaggedBuilder, padded
from regard.data.vocabulary import Vocabularies
from regard.data.vocabulary.tokeniser import BOS, EOS, PAD
from regard.errors import InputError
from regard.types import Bool, Int, Tensor

from .example import Example
from .source import Extension

NO_EXAMPLE = -1
"""The index of a row that stands for no example."""


class Alignment(NamedTuple):
    """Which source tokens each target token should look at."""

    links: Bool[Tensor, "B T S"]
    """Row t is about the token that is to be predicted at step t; it may be empty."""
    gold: Bool[Tensor, " B"]
    """Which sentences have an alignment at all."""


class Batch(NamedTuple):
    """Some examples side by side, short ones filled up with ``pad``."""

    source: Int[Tensor, "B S"]
    """Source tokens, ``eos`` at the end."""
    source_lengths: Int[Tensor, " B"]
    target_in: Int[Tensor, "B T"]
    """Target tokens behind ``bos``: what the decoder reads."""
    target_out: Int[Tensor, "B T"]
    """Target tokens and ``eos``: what it is to predict, position by position."""
    target_lengths: Int[Tensor, " B"]
    indices: Int[Tensor, " B"]
    """The number of each example in its corpus, to find its references; -1 for a row of nothing."""
    alignment: Alignment | None
    """``None`` if no example of the batch has gold."""
    num_targets: int
    """Target tokens of this step over all ranks, so that every rank can take the same mean."""

    def to(self, device: torch.device | str) -> "Batch":
        """The batch on another device."""
        alignment = self.alignment
        return self._replace(
            **{name: getattr(self, name).to(device) for name in _TENSORS},
            alignment=alignment and Alignment(*[part.to(device) for part in alignment]),
        )


_TENSORS = (
    "source",
    "source_lengths",
    "target_in",
    "target_out",
    "target_lengths",
    "indices",
)


def empty_batch(num_targets: int = 1) -> Batch:
    """One row without a token to predict, for a rank that no example is left for."""
    one = torch.ones(1, dtype=torch.long)
    return Batch(
        source=torch.full((1, 1), EOS),
        source_lengths=one,
        target_in=torch.full((1, 1), BOS),
        target_out=torch.full((1, 1), PAD),
        target_lengths=one,
        indices=NO_EXAMPLE * one,
        alignment=None,
        num_targets=num_targets,
    )


@dataclass(frozen=True)
class Corpus(batches.Corpus[Batch]):
    """Encoded examples, without ``bos`` and ``eos``: about 100 bytes each."""

    source: Ragged
    target: Ragged
    links: Ragged
    """Target and source token of every link in turns; an empty row without gold."""
    gold: NDArray[Any]
    """Which examples have an alignment."""
    left_out: int = 0
    """Examples that were too long."""

    def __len__(self) -> int:
        """How many examples there are."""
        return len(self.gold)

    @property
    def steps(self) -> Positions:
        """The longer side of every example, ``eos`` included."""
        return np.maximum(self.source.lengths, self.target.lengths) + 1

    @property
    def counts(self) -> Positions:
        """Target tokens of every example, ``eos`` included."""
        return self.target.lengths + 1

    @property
    def digest(self) -> str:
        """A short fingerprint of all token numbers."""
        total = sha256()
        for ragged in (self.source, self.target, self.links):
            total.update(ragged.values.tobytes())
            total.update(ragged.offsets.tobytes())
        total.update(self.gold.tobytes())
        return total.hexdigest()[:16]

    def batch(self, rows: Positions, *, indices: Positions, num_targets: int) -> Batch:
        """These examples side by side; a batch of nothing if there are none."""
        if not len(rows):
            return empty_batch(num_targets)
        sources = self.source.rows(rows)
        targets = self.target.rows(rows)
        return Batch(
            source=padded(sources, after=EOS),
            source_lengths=torch.tensor([len(source) + 1 for source in sources]),
            target_in=padded(targets, before=BOS),
            target_out=padded(targets, after=EOS),
            target_lengths=torch.tensor([len(target) + 1 for target in targets]),
            indices=torch.from_numpy(indices.copy()),
            alignment=self._alignment(rows),
            num_targets=num_targets,
        )

    def _alignment(self, rows: Positions) -> Alignment | None:
        """The links of these rows; the ends of both sentences belong together."""
        gold = self.gold[rows]
        if not gold.any():
            return None
        targets, sources = self.target.lengths_of(rows), self.source.lengths_of(rows)
        shape = (len(rows), int(targets.max()) + 1, int(sources.max()) + 1)
        links = np.zeros(shape, dtype=np.bool_)
        for number, row in enumerate(self.links.rows(rows)):
            found = row.reshape(-1, 2)
            links[number, found[:, 0], found[:, 1]] = True
            links[number, targets[number], sources[number]] = gold[number]
        return Alignment(torch.from_numpy(links), torch.from_numpy(gold))


def encode(
    examples: Iterable[Example],
    vocabularies: Vocabularies,
    *,
    longest: int | None = None,
    extension: int = 0,
) -> Corpus:
    """``examples`` as token numbers.

    Args:
        examples: pairs.
        vocabularies: what encodes them.
        longest: tokens of either side at most, its end included; longer pairs are left out. All
            are taken if not given.
        extension: words of a source that the vocabulary lacks and that have numbers all the same.

    Raises:
        InputError: there is none.
    """
    source, target, links = RaggedBuilder(), RaggedBuilder(), RaggedBuilder()
    gold = array("b")
    left_out = 0
    for example in examples:
        encoded = _aligned if example.alignment is not None else _plain
        source_ids, target_ids, found = encoded(example, vocabularies)
        if extension:
            both = Extension(vocabularies.source, extension)
            source_ids = both.read(vocabularies.source.pieces(example.source))
            target_ids = both.numbers(vocabularies.target.pieces(example.target))
        if longest is not None and max(len(source_ids), len(target_ids)) >= longest:
            left_out += 1
            continue
        source.add(source_ids)
        target.add(target_ids)
        links.add(number for link in found for number in link)
        gold.append(example.alignment is not None)
    if not gold:
        why = f", all {left_out} being longer than {longest} tokens" if left_out else ""
        raise InputError(f"a corpus needs at least one example, got none{why}")
    known = np.array(gold, dtype=np.bool_)
    return Corpus(source.built(), target.built(), links.built(), known, left_out)


Encoded = tuple[list[int], list[int], list[tuple[int, int]]]


def _plain(example: Example, vocabularies: Vocabularies) -> Encoded:
    source = vocabularies.source.encode(example.source)
    return source, vocabularies.target.encode(example.target), []


def _aligned(example: Example, vocabularies: Vocabularies) -> Encoded:
    source_pieces = vocabularies.source.pieces(example.source)
    target_pieces = vocabularies.target.pieces(example.target)
    source = side_of(vocabularies.source.spans(source_pieces), example.source, example.source_words)
    target = side_of(vocabularies.target.spans(target_pieces), example.target, example.target_words)
    links = to_tokens(example.alignment or frozenset(), source=source, target=target)
    return vocabularies.source.ids(source_pieces), vocabularies.target.ids(target_pieces), links
