"""A question about a passage, and what people answered."""

from typing import NamedTuple

from regard.errors import InputError

from ..pairs.lines import Place


class Answer(NamedTuple):
    """What somebody answered."""

    text: str
    start: int | None = None
    """Its first character in the passage; ``None`` where nobody says which of its places it is."""


class Question(NamedTuple):
    """A question about one passage."""

    passage: str
    """As it is written: places of answers count its characters."""
    question: str
    answers: tuple[Answer, ...]
    """The best or only one first; none where nobody has answered."""
    sentences: tuple[str, ...] | None = None
    """The passage sentence by sentence, where the data says which they are."""
    supports: tuple[int, ...] = ()
    """The sentences that hold the answer, counted from 0, in the order of the reasoning."""
    group: str = ""
    """What it is measured with, such as the task or the source it comes from."""
    id: str = ""
    place: Place | None = None
    """Where it was read."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The answers as text."""
        return tuple(answer.text for answer in self.answers)


def located(one: Question) -> Question:
    """The same with a place for every answer: the first where its words stand.

    Raises:
        InputError: an answer that does not stand in its passage, or not where it should.
    """
    return one._replace(answers=tuple(_located(answer, one) for answer in one.answers))


def _located(answer: Answer, one: Question) -> Answer:
    start = answer.start
    if start is None:
        start = one.passage.find(answer.text)
        if start < 0:
            start = one.passage.lower().find(answer.text.lower())
    there = one.passage[max(start, 0) : max(start, 0) + len(answer.text)]
    if start < 0 or there.lower() != answer.text.lower():
        where = "" if answer.start is None else f" at character {answer.start}"
        came = f", there is {there!r:.60}" if where and there else ""
        raise InputError(
            f"{one.place or 'a question'}: needs an answer that stands in its passage, got "
            f"{answer.text!r:.60} to {one.question!r:.80}, which does not{where}{came}; correct "
            "it, or learn answers as words: --answers words"
        )
    return Answer(answer.text, start)
