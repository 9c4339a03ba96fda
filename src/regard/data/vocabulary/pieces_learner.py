"""Training of sentencepiece, the same model for the same text."""

import io
from collections.abc import Iterable, Iterator
from typing import Literal

from regard.errors import InputError, RegardError
from regard.extras import need

from .pieces import Pieces
from .tokeniser import BOS, EOS, PAD, UNK, Fallback, Learner


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
