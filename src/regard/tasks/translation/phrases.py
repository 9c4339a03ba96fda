"""Parts of aligned pairs that are translations of each other, as pairs of their own.

A translator that has read whole sentences only makes a sentence of everything. Phrases teach it
that *red dress* is *robe rouge* and no more.
"""

from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple

from regard.data.pairs import Links
from regard.data.vocabulary import word_spans

from .example import Example

SHORTEST, LONGEST = 2, 5
"""Source words of a phrase: one alone means too many things."""
HANGING = ("'", "\u2019", "-")
"""What words begin or end with that hang on others."""


class Phrase(NamedTuple):
    """Words of both sides, from the first to behind the last."""

    source: range
    target: range


def phrases(links: Links, words: int) -> Iterator[Phrase]:
    """All phrases that links agree with: no word inside is linked to one outside.

    The target is no longer than its links ask for. Och and Ney 2004, Eq. 8
    (https://aclanthology.org/J04-4002).

    Args:
        links: between the words of a pair.
        words: number of source words.
    """
    for start in range(words):
        for end in range(start + SHORTEST, min(start + LONGEST, words) + 1):
            inside = [j for i, j in links if start <= i < end]
            if not inside:
                continue
            target = range(min(inside), max(inside) + 1)
            if all(start <= i < end for i, j in links if j in target):
                yield Phrase(range(start, end), target)


def with_phrases(examples: Iterable[Example], share: float, *, seed: int = 0) -> Iterator[Example]:
    """``examples``, a share of the aligned ones followed by one of its phrases.

    A phrase is of words only, without marks, and shorter than its sentence. The same come with
    every call.

    Args:
        examples: pairs.
        share: probability with which a pair has a phrase taken out.
        seed: another one, other phrases.
    """
    random = Random(seed)
    for example in examples:
        yield example
        if share and example.alignment and random.random() < share:
            yield from _some_phrase(example, random)


class _Side(NamedTuple):
    text: str
    words: tuple[str, ...]

    def whole(self, part: range) -> bool:
        """Whether a part is of words only, and nothing is torn from them at its ends."""
        words = [self.words[place] for place in part]
        torn = words[0].startswith(HANGING) or words[-1].endswith(HANGING)
        return all(map(_is_word, words)) and not torn

    def cut(self, part: range) -> "_Side":
        """The words of a part, as they stand in the text."""
        spans = word_spans(self.text, self.words)
        return _Side(
            self.text[spans[part[0]][0] : spans[part[-1]][1]], self.words[part.start : part.stop]
        )


def _is_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def _some_phrase(example: Example, random: Random) -> Iterator[Example]:
    """One of its phrases, any as likely as the others; none if there is none."""
    links = example.alignment or frozenset()
    source = _Side(example.source, example.source_words or tuple(example.source.split()))
    target = _Side(example.target, example.target_words or tuple(example.target.split()))
    found = [
        phrase
        for phrase in phrases(links, len(source.words))
        if len(phrase.source) < len(source.words)
        and source.whole(phrase.source)
        and target.whole(phrase.target)
    ]
    if not found:
        return
    here, there = random.choice(found)
    kept = frozenset((i - here[0], j - there[0]) for i, j in links if i in here)
    (text, words), (translation, translated) = source.cut(here), target.cut(there)
    yield Example(text, translation, kept, words, translated)
