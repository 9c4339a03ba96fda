"""Parts of words, learned by sentencepiece.

Kudo and Richardson 2018 (https://arxiv.org/abs/1808.06226); byte pair encoding: Sennrich et al.
2016 (https://arxiv.org/abs/1508.07909); unigram: Kudo 2018 (https://arxiv.org/abs/1804.10959).
"""

import base64
import binascii
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Literal

from regard.errors import InputError, RegardError
from regard.extras import need

from .splitting import Span, byte_spans, spell, unspell
from .tokeniser import BOS, EOS, PAD, SPECIALS, UNK, Fallback, Learner, Tokeniser

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

    def begins(self, piece: str) -> bool:
        """Whether a space stands before its letters."""
        return piece.startswith(SPACE) and piece[1:2].isalnum()

    def shown(self, piece: str) -> str:
        """Without the low line."""
        return piece.replace(SPACE, " ").strip()

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


class PiecesLearner(Learner):
    """How parts of words are learned."""

    kind: Literal["bpe", "unigram"] = "bpe"
    """Byte pair encoding, or the unigram language model."""
    size: int = 8000
    """Entries at most; a small corpus gives fewer."""
    fallback: Fallback = "bytes"
    """What becomes of a character that is not in the corpus; bytes take 256 entries."""

    def learn(self, texts: Iterable[str]) -> Pieces:
        """The model of ``texts``, trained by one thread.

        Raises:
            InputError: no text, or more characters than ``size`` has room for.
            MissingExtraError: sentencepiece is not installed.
        """
        trainer = need("sentencepiece", "a vocabulary of parts of words").SentencePieceTrainer
        model = io.BytesIO()
        lines = _Lines(texts)
        try:
            trainer.train(
                sentence_iterator=iter(lines),
                model_writer=model,
                model_type=self.kind,
                vocab_size=self.size,
                hard_vocab_limit=False,
                byte_fallback=self.fallback == "bytes",
                character_coverage=1.0,
                normalization_rule_name="identity",
                add_dummy_prefix=False,
                remove_extra_whitespaces=False,
                max_sentence_length=2**20,
                num_threads=1,
                minloglevel=2,
                pad_id=PAD,
                unk_id=UNK,
                bos_id=BOS,
                eos_id=EOS,
            )
        except RuntimeError as error:
            raise lines.error or self._complaint(lines, str(error)) from None
        return Pieces(model.getvalue())

    def _complaint(self, lines: "_Lines", error: str) -> InputError:
        if not lines.count:
            return InputError("a vocabulary needs text to be learned from, got none")
        if "required_chars" in error:
            return InputError(
                f"{self.kind} needs a vocabulary with room for every character of the corpus, "
                f"size={self.size} is too small; make it larger"
            )
        return InputError(f"sentencepiece could not learn {self.kind} from this text: {error}")


class _Lines:
    """Text as the trainer wants it; keeps an error that it would turn into its own."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = texts
        self.count = 0
        self.error: RegardError | None = None

    def __iter__(self) -> Iterator[str]:
        try:
            for text in self._texts:
                flat = " ".join(text.splitlines())
                if flat:
                    self.count += 1
                    yield f" {flat}"
        except RegardError as error:
            self.error = error
            raise
