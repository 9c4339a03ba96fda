"""A tokeniser of words as they are read: for models that label text and never write it."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal

from .splitting import Span, split
from .tokeniser import Learner, Table, TableTokeniser, Tokeniser, frequent, stored_entries

Splitting = Literal["words", "treebank", "spaces"]
"""Into words and marks, as the English treebanks do (*do*, *n't*), or at spaces alone."""
Case = Literal["lower", "kept"]

_CHUNK = re.compile(
    r"""(?:https?://|www\.)\S+ | [\w.+-]+@[\w-]+\.[\w.]+      # addresses
    | (?:[A-Za-z]\.){2,} | (?:Mr|Mrs|Ms|Dr|St|Prof|vs|etc|Jr|Sr)\.  # abbreviations
    | \d+(?:[.,:/]\d+)*                                      # numbers, times, dates
    | \w+(?:[-&]\w+)*                                        # words
    | (.)\1*                                                 # equal marks together
    """,
    re.VERBOSE | re.DOTALL,
)
_CLITIC = re.compile(
    r"^(\w+?)(n['\u2019]t|['\u2019](?:s|m|d|re|ve|ll))$|^(can)(not)$", re.IGNORECASE
)
_WITH_CLITIC = re.compile(r"\w+['\u2019](?:t|s|m|d|re|ve|ll)\b|\bcannot\b", re.IGNORECASE)


def treebank_words(text: str) -> list[str]:
    """The words of English text as its treebanks have them: *I do n't know .*

    >>> treebank_words("I don't know, she's from the U.S.")
    ['I', 'do', "n't", 'know', ',', 'she', "'s", 'from', 'the', 'U.S.']
    """
    found: list[str] = []
    for chunk in text.split():
        at = 0
        for word in _WITH_CLITIC.finditer(chunk):
            found += [part[0] for part in _CHUNK.finditer(chunk[at : word.start()])]
            cut = _CLITIC.match(word[0])
            found += [part for part in cut.groups() if part] if cut else [word[0]]
            at = word.end()
        found += [part[0] for part in _CHUNK.finditer(chunk[at:])]
    return found


class SpacedWords(Tokeniser):
    """A token per word, whose text is its words with a space between."""

    splitting: Splitting

    def pieces(self, text: str) -> list[str]:
        """The words of ``text``."""
        return cut(text, self.splitting)

    def text(self, pieces: Sequence[str]) -> str:
        """The words with a space between: what stood there before is not known."""
        return " ".join(pieces)

    def spans(self, pieces: Sequence[str]) -> list[Span]:
        """Which characters of :meth:`text` each word is."""
        found: list[Span] = []
        start = 0
        for piece in pieces:
            found.append((start, start + len(piece)))
            start += len(piece) + 1
        return found


class PlainWords(SpacedWords, TableTokeniser):
    """One token per word or mark; what is not in the vocabulary is ``unk``.

    Args:
        entries: the vocabulary.
        splitting: where running text is cut.
        case: whether words are looked up in lower case; pieces stay as they are written.
    """

    kind: ClassVar[str] = "plain_words"

    def __init__(
        self, entries: Sequence[str], *, splitting: Splitting = "words", case: Case = "lower"
    ) -> None:
        self.table, self.splitting, self.case = Table(entries), splitting, case

    def ids(self, pieces: Sequence[str]) -> list[int]:
        """The numbers of words, whoever cut them out."""
        return self.table.numbers(cased(pieces, self.case))

    def content(self) -> dict[str, Any]:
        """The entries in their order, and how they are found."""
        return {
            "entries": list(self.table.entries),
            "splitting": self.splitting,
            "case": self.case,
        }

    @classmethod
    def from_content(cls, content: dict[str, Any]) -> "PlainWords":
        """The tokeniser of stored entries."""
        splitting, case = content.get("splitting"), content.get("case")
        if splitting not in ("words", "treebank", "spaces") or case not in ("lower", "kept"):
            raise ValueError("needs splitting and case of plain words")
        return cls(stored_entries(content, "entries"), splitting=splitting, case=case)


class PlainWordsLearner(Learner):
    """How such a vocabulary is learned."""

    kind: Literal["plain_words"] = "plain_words"
    size: int | None = None
    """Entries at most, with the four special ones."""
    min_count: int = 1
    """How often a word must occur."""
    splitting: Splitting = "words"
    """Where running text is cut."""
    case: Case = "lower"
    """Whether words are looked up in lower case."""

    def learn(self, texts: Iterable[str]) -> PlainWords:
        """The most frequent words of ``texts``."""
        return self.learn_words(cut(text, self.splitting) for text in texts)

    def learn_words(self, sentences: Iterable[Sequence[str]]) -> PlainWords:
        """The same of sentences that are cut already."""
        words = (word for sentence in sentences for word in cased(sentence, self.case))
        entries = frequent(words, size=self.size, min_count=self.min_count)
        return PlainWords(entries, splitting=self.splitting, case=self.case)


def cut(text: str, splitting: Splitting) -> list[str]:
    """The words of a text."""
    if splitting == "spaces":
        return text.split()
    return treebank_words(text) if splitting == "treebank" else split(text)


def cased(words: Iterable[str], case: Case) -> list[str]:
    """Words as they are looked up."""
    return [word.lower() for word in words] if case == "lower" else list(words)
