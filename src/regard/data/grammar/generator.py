"""The grammar as an endless sequence of sentence pairs, in splits that share no sentence.

A stable hash of the English tokens decides the split, whatever the seed; all French translations of
one English sentence lie in one split.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import count
from random import Random

from regard.errors import ChoiceError, RangeError

from .derivation import Derivation
from .pair import Pair, align, source_words, target_words
from .rules.sentences import Range, draw_sentence

SPLITS = ("train", "valid", "test")

# Of ten parts, the first is valid and the second is test.
_PARTS = 10
_HELD_OUT = {0: "valid", 1: "test"}

_ALWAYS_TRAIN = frozenset(
    {
        ("The", "black", "cat", "ate", "the", "mouse", "."),
        ("I", "love", "you", "."),
        ("red", "dress"),
    }
)


def split_of(source: Sequence[str]) -> str:
    """The split of an English token sequence: ``"train"``, ``"valid"`` or ``"test"``.

    Four fifths are train, a tenth each valid and test; the pairs of
    :func:`~regard.data.grammar.examples` are always train.
    """
    if tuple(source) in _ALWAYS_TRAIN:
        return "train"
    digest = blake2b("\n".join(source).encode(), digest_size=4).digest()
    return _HELD_OUT.get(int.from_bytes(digest, "big") % _PARTS, "train")


def known_split(split: str) -> str:
    """``split`` itself.

    Raises:
        ChoiceError: there is no such split.
    """
    if split not in SPLITS:
        raise ChoiceError(
            f"the grammar has the splits {', '.join(SPLITS)}, got {split!r}; choose one of them"
        )
    return split


LONGEST = 60
_DEFAULT_WORDS = 20
_SHORTEST_MAXIMUM = 5
_INDEX_BITS = 64


class Grammar:
    """Endless English-French pairs with gold alignments and tags.

    ``grammar[i]`` is a pure function of the arguments and ``i``: a run can stop anywhere, go on
    there, and share the indexes out over processes. The same pairs come out in every process and
    on every machine.

    Args:
        seed: another seed, other pairs.
        split: ``"train"``, ``"valid"`` or ``"test"``; they share no English sentence.
        max_words: the most English tokens of a pair, punctuation counted; 20 if not given.
        bucket: shortest and longest number of English tokens, at most 60, instead of
            ``max_words``; the whole range is filled.

    Raises:
        ChoiceError: no such split, or both ``max_words`` and ``bucket``.
        RangeError: a length the grammar cannot reach, or a negative seed.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        split: str = "train",
        max_words: int | None = None,
        bucket: tuple[int, int] | None = None,
    ) -> None:
        if seed < 0:
            raise RangeError(f"a seed must be 0 or more, got {seed}; pass a natural number")
        self.seed = seed
        self.split = known_split(split)
        self.length = _length(max_words, bucket)

    def __getitem__(self, index: int) -> Pair:
        """The pair with number ``index``, 0 or more."""
        if index < 0:
            raise IndexError(f"the grammar has no end to count back from, got index {index}")
        start = self.seed * len(SPLITS) + SPLITS.index(self.split)
        random = Random((start << _INDEX_BITS) + index)
        shortest, longest = self.length
        while True:
            words = draw_sentence(Derivation(random), self.length)
            if not shortest <= len(words.english) <= longest:
                continue
            source = source_words(words.english, sentence=words.sentence)
            if split_of([word.text for word in source]) == self.split:
                return align(source, target_words(words.french, sentence=words.sentence))

    def __iter__(self) -> Iterator[Pair]:
        """All pairs from number 0 on, without end."""
        return (self[index] for index in count())

    def __repr__(self) -> str:
        return f"Grammar(seed={self.seed}, split={self.split!r}, bucket={tuple(self.length)})"


def _length(max_words: int | None, bucket: tuple[int, int] | None) -> Range:
    if max_words is not None and bucket is not None:
        raise ChoiceError(
            f"max_words and bucket both bound the length, got {max_words} and {bucket}; pass one"
        )
    shortest, longest = bucket or (1, max_words or _DEFAULT_WORDS)
    if not 1 <= shortest <= longest or not _SHORTEST_MAXIMUM <= longest <= LONGEST:
        raise RangeError(
            f"lengths must lie between 1 and {LONGEST} tokens and allow at least "
            f"{_SHORTEST_MAXIMUM}, got {shortest} to {longest}; choose a range inside"
        )
    return Range(shortest, longest)
