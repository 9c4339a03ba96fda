"""bAbI: stories with questions between their sentences.

Weston et al. 2015 (https://arxiv.org/abs/1502.05698)::

    1 Anna went to the garden.
    2 Anna took the apple.
    3 Where is the apple? <TAB> garden <TAB> 2 1

A line begins with its number; 1 begins a story. A question has tabs before its answer and before
the numbers of the sentences that hold it, in the order of the reasoning. Numbers count questions
too, which are no sentences of the story.
"""

from collections.abc import Iterator
from pathlib import Path

from regard.errors import InputError

from ..pairs.lines import Place, lines, name_of
from .checks import checked
from .question import Answer, Question


def read_stories(path: Path | str) -> Iterator[Question]:
    """The questions of a file, each with the sentences before it.

    Raises:
        InputError: bad data, named by file and line.
    """
    group = Path(name_of(path)).name.partition(".")[0]
    sentences: list[str] = []
    numbers: dict[int, int] = {}
    for line in lines(path):
        if not line.text.strip():
            continue
        number, text = _numbered(line.text, line.place)
        if number == 1:
            sentences, numbers = [], {}
        if "\t" in text:
            yield _question(text, sentences, numbers, group, line.place)
        elif not text.strip():
            raise InputError(f"{line.place}: needs a sentence behind its number, got none")
        else:
            numbers[number] = len(sentences)
            sentences.append(text.strip())


def _numbered(text: str, place: Place) -> tuple[int, str]:
    number, _, rest = text.partition(" ")
    if not number.isdecimal():
        raise InputError(
            f"{place}: a story needs a number before every sentence, got {text!r:.60}; other data "
            "needs a name that ends in .json, .jsonl or .tsv"
        )
    return int(number), rest


def _question(
    text: str, sentences: list[str], numbers: dict[int, int], group: str, place: Place
) -> Question:
    question, answer, *told = (cell.strip() for cell in text.split("\t"))
    supports = told[0].split() if told else []
    unknown = [one for one in supports if not one.isdecimal() or int(one) not in numbers]
    if unknown:
        raise InputError(
            f"{place}: needs numbers of sentences of this story behind the answer, got "
            f"{unknown[0]!r:.40}"
        )
    return checked(
        Question(
            passage="\n".join(sentences),
            question=question,
            answers=(Answer(answer),),
            sentences=tuple(sentences),
            supports=tuple(numbers[int(one)] for one in supports),
            group=group,
            id=str(place),
            place=place,
        )
    )
