"""Between running text and tokens."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field

from regard.config import Config
from regard.errors import InputError

from ..vocabulary import Tokeniser, learner
from ..vocabulary.catalogue import from_bytes

TOKENS = "tokens.json"


class TextCodec(NamedTuple):
    """What a model of text reads."""

    tokens: Tokeniser

    def sizes(self) -> dict[str, int]:
        """What a model's config needs to know."""
        return {"vocab": len(self.tokens)}

    def files(self) -> dict[str, bytes]:
        """What a checkpoint keeps."""
        return {TOKENS: self.tokens.to_bytes()}


def codec_from(files: Mapping[str, bytes], folder: Path) -> TextCodec:
    """What :meth:`TextCodec.files` gave.

    Raises:
        InputError: a file is missing or damaged.
    """
    if TOKENS not in files:
        raise InputError(f"{folder / TOKENS}: needs to be there, and is not")
    return TextCodec(from_bytes(files[TOKENS], folder / TOKENS))


class VocabularyConfig(Config):
    """How the tokens of running text are found."""

    level: Literal["bpe", "unigram", "words", "characters"] = "bpe"
    """Kind of tokens: parts of words by sentencepiece, whole words, or characters."""
    size: int = Field(default=8000, ge=8)
    """Number of tokens at most."""

    def learn(self, texts: Iterable[str]) -> TextCodec:
        """The codec of some texts.

        Raises:
            InputError: there is nothing to learn from.
        """
        return TextCodec(learner(self.level, size=self.size).learn(texts))
