"""A model with its codec, ready to label text; nothing of training."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

from regard.data.annotated import Example, LabelCodec
from regard.data.annotated.codec import codec_from
from regard.data.pairs.lines import composed

from ..described import Described
from .corpus import encode
from .inference import Answer, answers

LONGEST = 1024
"""Tokens of a text that are read; what comes behind them is not."""
AHEAD = 2048
"""Texts that are read before the first of them is answered."""

S = TypeVar("S")
Content = str | Sequence[str]
"""A text, or its words."""


class Read(NamedTuple):
    """A text as the model reads it."""

    text: str
    pieces: tuple[str, ...]
    cut: int
    """Tokens that were left out."""
    unknown: int
    """Tokens that are not in the vocabulary."""


class LabelPredictor(Described, Generic[S]):
    """Labels text with a model.

    >>> predictor("The cat sat.")                          # one sample
    >>> predictor(["The cat sat.", "I saw her duck."])     # a list of them

    A text is read up to its first ``longest`` tokens.

    Args:
        model: a tagger or a classifier.
        codec: between text and numbers.
        longest: tokens of a text that are read; fewer where the model has no positions for them.
    """

    per_word: bool

    def __init__(self, model: Any, codec: LabelCodec, *, longest: int = LONGEST) -> None:
        self.model, self.codec = model, codec
        most = model.config.longest
        self.longest = longest if most is None else min(longest, most)

    codec_from = staticmethod(codec_from)

    def __call__(self, texts: str | Iterable[Content], *, looks: bool = False) -> S | list[S]:
        """The sample of one text, or a list of those of several."""
        if isinstance(texts, str):
            return next(self.predict([texts], looks=looks))
        return list(self.predict(texts, looks=looks))

    def predict(self, inputs: Iterable[Content], *, looks: bool = False) -> Iterator[S]:
        """A sample of every input, in their order, which may be texts or lists of words.

        Args:
            inputs: they need never end; some are read before the first is answered.
            looks: whether to keep where the model looked.
        """
        stream = iter(inputs)
        while some := [self._read(content) for content in islice(stream, AHEAD)]:
            full = [one for one in some if one.pieces]
            found = iter(self._answers(full, looks) if full else ())
            for one in some:
                yield self.sample(one, next(found) if one.pieces else None)

    @abstractmethod
    def sample(self, read: Read, answer: Answer | None) -> S:
        """What an answer says; ``None`` is that to a blank text."""

    def _answers(self, texts: list[Read], looks: bool) -> list[Answer]:
        examples = (Example(one.text, (), one.pieces) for one in texts)
        corpus = encode(examples, self.codec, per_word=True)  # of labels there are none
        return answers(self.model, corpus, looks=looks)

    def _read(self, content: Content) -> Read:
        plain = composed(content).strip() if isinstance(content, str) else [*map(composed, content)]
        pieces = self.codec.pieces(plain)
        kept = tuple(pieces[: self.longest])
        ids = self.codec.tokens.ids(kept)
        text = plain if isinstance(plain, str) else " ".join(plain)
        unknown = sum(number == self.codec.tokens.unk for number in ids)
        return Read(text, kept, len(pieces) - len(kept), unknown)

    def about_codec(self) -> dict[str, str]:
        """How many tokens and labels."""
        return {
            "tokens": f"{len(self.codec.tokens):,}",
            "labels": f"{len(self.codec.labels)}",
        }
