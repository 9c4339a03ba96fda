"""Parts of words, learned by sentencepiece.

Kudo and Richardson 2018 (https://arxiv.org/abs/1808.06226); byte pair encoding: Sennrich et al.
2016 (https://arxiv.org/abs/1508.07909); unigram: Kudo 2018 (https://arxiv.org/abs/1804.10959).
"""

import base64
import binascii
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from regard.errors import InputError
from regard.extras import need

from .byte_pieces import byte_spans, spell, unspell
from .spans import Span
from .tokeniser import SPECIALS, UNK, Tokeniser

SPACE = "\u2581"
"""How sentencepiece writes a space."""


class Pieces(Tokeniser):
    """Parts of words; the text comes back as it was, space for space.

    A word is cut the same way at the start of the text and inside it, because a space is put in
    front of the text. Without normalisation of any kind. A vocabulary without bytes takes what it
    does not know for ``unk``, and a low line for a space.

    Args:
        model: what sentencepiece learned, in its own format.

    Raises:
        InputError: something else.
        MissingExtraError: sentencepiece is not installed.
    """

    kind: ClassVar[str] = "pieces"

    def __init__(self, model: bytes) -> None:
        self.model = model
        processor = need("sentencepiece", "a vocabulary of parts of words").SentencePieceProcessor
        try:
            self._processor = processor(model_proto=model)
        except (RuntimeError, ValueError):
            raise InputError("needs a model of sentencepiece, got something else") from None
        self._spells = self._processor.piece_to_id("<0x00>") != UNK

    def __len__(self) -> int:
        return len(self._processor)

    def pieces(self, text: str) -> list[str]:
        """Parts of words; a low line ``▁`` at the start of a piece is a space."""
        found: list[str] = []
        for place, part in enumerate(self._parts(text)):
            if place:
                found.extend(spell(SPACE) if self._spells else [SPACE])
            found.extend(self._processor.encode(part, out_type=str))
        return found

    def ids(self, pieces: Sequence[str]) -> list[int]:
        """The numbers of ``pieces``."""
        found: list[int] = self._processor.piece_to_id(list(pieces))
        return found

    def encode(self, text: str) -> list[int]:
        """The numbers of the parts of words."""
        if SPACE in text:
            return self.ids(self.pieces(text))
        found: list[int] = self._processor.encode(f" {text}", out_type=int) if text else []
        return found

    def pieces_of(self, ids: Iterable[int]) -> list[str]:
        """The parts of words of token numbers; the unknown is ``<unk>``."""
        kept = self._kept(ids)
        return [self._processor.id_to_piece(number) for number in kept]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of token numbers; what was unknown reads ``⁇``."""
        text: str = self._processor.decode(self._kept(ids))
        return text.removeprefix(" ")

    def _kept(self, ids: Iterable[int]) -> list[int]:
        kept = [number for number in ids if number == UNK or not 0 <= number < len(SPECIALS)]
        for number in kept:
            if not 0 <= number < len(self):
                raise InputError(f"token {number} is not among the {len(self)} of the vocabulary")
        return kept

    def text(self, pieces: Sequence[str]) -> str:
        """The pieces in a row, without the space in front."""
        return unspell([piece.replace(SPACE, " ") for piece in pieces]).removeprefix(" ")

    def spans(self, pieces: Sequence[str]) -> list[Span]:
        """Which characters of the text each piece stands for; a space belongs to the next word."""
        space = len(pieces) > 0 and pieces[0].startswith(SPACE)  # text() leaves it out
        return [(max(start - space, 0), end - space) for start, end in byte_spans(pieces)]

    def content(self) -> dict[str, Any]:
        """The model as text."""
        return {"model": base64.b64encode(self.model).decode("ascii")}

    @classmethod
    def from_content(cls, content: dict[str, Any]) -> "Pieces":
        """The tokeniser of a stored model."""
        try:
            return cls(base64.b64decode(content["model"], validate=True))
        except (KeyError, TypeError, binascii.Error):
            raise InputError("needs a model in the field 'model'") from None

    def _parts(self, text: str) -> list[str]:
        """The text between the low lines, which sentencepiece would take for spaces."""
        return f" {text}".split(SPACE) if text else []
