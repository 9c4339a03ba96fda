"""Words by the first part of each: one token a word, of a vocabulary of parts of words."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from .pieces import Pieces
from .plain_words import SpacedWords, Splitting
from .tokenizer_json import TokenizerJson


class FirstPieces(SpacedWords):
    """One token per word: the first part that a vocabulary of parts cuts it into.

    So a model of parts of words labels words: as Devlin et al. 2019, section 5.3
    (https://arxiv.org/abs/1810.04805), which reads the other parts too.

    Args:
        parts: the vocabulary.
        splitting: where running text is cut.
    """

    kind: ClassVar[str] = "first_pieces"

    def __init__(self, parts: Pieces | TokenizerJson, *, splitting: Splitting = "words") -> None:
        self.parts, self.splitting = parts, splitting
        self.pad, self.unk, self.bos, self.eos = parts.pad, parts.unk, parts.bos, parts.eos

    def __len__(self) -> int:
        return len(self.parts)

    def ids(self, pieces: Sequence[str]) -> list[int]:
        """The numbers of the first parts of words, whoever cut them out."""
        return [(self.parts.encode(word) or [self.unk])[0] for word in pieces]

    def pieces_of(self, ids: Iterable[int]) -> list[str]:
        """The first parts of words."""
        return self.parts.pieces_of(ids)

    def content(self) -> dict[str, Any]:
        """The vocabulary, and where words end."""
        return {**self.parts.content(), "splitting": self.splitting}

    @classmethod
    def from_content(cls, content: dict[str, Any]) -> "FirstPieces":
        """The tokeniser of a stored vocabulary."""
        splitting = content.get("splitting")
        if splitting not in ("words", "treebank", "spaces"):
            raise ValueError("needs splitting of words")
        parts = TokenizerJson if "tokenizer" in content else Pieces
        return cls(parts.from_content(content), splitting=splitting)
