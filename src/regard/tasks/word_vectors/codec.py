"""Words and how often each came."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

from regard.data.vocabulary import split
from regard.errors import InputError
from regard.json_text import parsed

WORDS = "words.json"


class WordCodec:
    """Between words, in lower case, and numbers.

    Args:
        counts: of every word, from frequent to rare.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.counts = dict(counts)

    @property
    def words(self) -> tuple[str, ...]:
        """In the order of their numbers."""
        return tuple(self.counts)

    def sizes(self) -> dict[str, int]:
        """What a model's config needs to know."""
        return {"vocab": len(self.counts)}

    def files(self) -> dict[str, bytes]:
        """What a checkpoint keeps."""
        return {WORDS: json.dumps(self.counts, ensure_ascii=False, indent=0).encode()}

    def encode(self, text: str) -> list[int]:
        """The numbers of the words that are known; others are left out."""
        return [self._numbers[word] for word in words_of(text) if word in self._numbers]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.counts)}


def learned(texts: Iterable[str], *, size: int, min_count: int) -> WordCodec:
    """The words that come often enough, from frequent to rare.

    Raises:
        InputError: there are fewer than two.
    """
    counts = Counter(word for text in texts for word in words_of(text))
    often = [(word, count) for word, count in counts.items() if count >= min_count]
    kept = dict(sorted(often, key=lambda one: (-one[1], one[0]))[:size])
    if len(kept) < 2:
        raise InputError(
            f"word vectors need words that come at least {min_count} times, got {len(kept)}; give "
            "more text, or a smaller --min-count"
        )
    return WordCodec(kept)


def codec_from(files: Mapping[str, bytes], folder: Path) -> WordCodec:
    """What :meth:`WordCodec.files` gave.

    Raises:
        InputError: the file is missing or damaged.
    """
    try:
        counts = parsed(files[WORDS])
    except (KeyError, ValueError):
        raise InputError(f"{folder / WORDS}: needs words with their counts") from None
    known = isinstance(counts, dict) and all(type(count) is int for count in counts.values())
    if not known:
        raise InputError(f"{folder / WORDS}: needs words with their counts")
    return WordCodec(counts)


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, marks left out."""
    return [word.lower() for word in split(text) if any(map(str.isalnum, word))]
