"""A reader with its codec, ready to answer; nothing of training."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar, overload

from regard.data.annotated import LabelCodec
from regard.data.reading import Question, ReadingCodec
from regard.errors import InputError

from ..described import Described
from .form import form, form_of
from .sample import Answered

AHEAD = 512
"""Questions that are read before the first of them is answered."""

Asked = Question | tuple[str, str] | Mapping[str, Any]
"""A question of :mod:`regard.data.reading`, ``(passage, question)``, or both as a mapping."""


class Reader(Described):
    """Answers questions about passages.

    >>> reader = regard.load("en-reader")
    >>> reader(passage="Anna came from Rome in 1987.", question="When did Anna come?").answer
    '1987'
    >>> reader(passage=text, question=["Who came?", "When?"])          # a list of samples

    A passage may be of any length: a reader of spans reads a long one in windows that overlap; a
    reader of stories reads the last sentences, and ``cut`` says how many it did not. A blank
    question, or one about a blank passage, has no answer.

    Args:
        model: a reader of spans or of stories.
        codec: between text and numbers.
    """

    asked_about: ClassVar[str] = "passage"
    """What ``regard answer`` needs beside a question."""

    def __init__(self, model: Any, codec: LabelCodec) -> None:
        self.model, self.codec = model, codec
        self.form_name = form_of(model)
        self._form = form(self.form_name)

    codec_from = staticmethod(ReadingCodec.from_files)

    @overload
    def __call__(self, passage: str | Sequence[str], question: str) -> Answered: ...

    @overload
    def __call__(self, passage: str | Sequence[str], question: list[str]) -> list[Answered]: ...

    def __call__(
        self, passage: str | Sequence[str], question: str | list[str]
    ) -> Answered | list[Answered]:
        """The answer to one question, or a list of those to several about the same passage.

        Args:
            passage: running text, or a list of sentences.
            question: one, or a list of them.
        """
        asked = [question] if isinstance(question, str) else question
        found = list(self.predict(_asked(passage, one) for one in asked))
        return found[0] if isinstance(question, str) else found

    def predict(
        self, inputs: Iterable[Asked], *, looks: bool = False, max_tokens: int | None = None
    ) -> Iterator[Answered]:
        """An answer to every question, in their order.

        Args:
            inputs: questions with their passages; they need never end.
            looks: nothing more is computed: where it looked is known anyway.
            max_tokens: padded tokens of a batch.
        """
        stream = map(as_question, inputs)
        while some := list(islice(stream, AHEAD)):
            full = [one for one in some if one.question.strip() and one.passage.strip()]
            found = iter(
                self._form.answered(self.model, self.codec, full, max_tokens=max_tokens)
                if full
                else ()
            )
            for one in some:
                blank = not (one.question.strip() and one.passage.strip())
                yield Answered(one.question, one.passage, "") if blank else next(found)

    def about_codec(self) -> dict[str, str]:
        """What it reads and writes."""
        return {"answers": self.form_name, "tokens": f"{len(self.codec.tokens):,}"}


def as_question(one: Asked) -> Question:
    """A question, however it was asked.

    Raises:
        InputError: a mapping without passage or question.
    """
    if isinstance(one, Question):
        return one
    if isinstance(one, Mapping):
        missing = [name for name in ("passage", "question") if name not in one]
        if missing:
            raise InputError(f"a question needs {missing[0]!r}, got {', '.join(map(str, one))}")
        return _asked(one["passage"], one["question"])
    return _asked(*one)


def _asked(passage: str | Sequence[str], question: str) -> Question:
    if isinstance(passage, str):
        return Question(passage, question.strip(), ())
    return Question("\n".join(passage), question.strip(), (), tuple(passage))


PREDICTOR = Reader
