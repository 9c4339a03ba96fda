"""``regard answer``: a question about a passage or a picture to its answer."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ..errors import ChoiceError, InputError
from .computing import ComputeOptions
from .flags import Switch

if TYPE_CHECKING:
    from ..tasks.question_answering.sample import Answered

TASKS = ("question-answering", "visual-question-answering")
USUAL = {"passage": "en-reader", "picture": "scene-vqa"}
"""Which model of the zoo answers unless another is named, by what it is asked about."""
STANDARD_INPUT = "-"
AHEAD = 64
"""Questions that are read at most before the first of them is answered."""


def answer(
    *questions: str,
    passage: str | None = None,
    picture: Path | None = None,
    detector: str | None = None,
    model: str | None = None,
    file: Path | None = None,
    show: Switch = False,
    out: Path | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    pace: ComputeOptions | None = None,
) -> None:
    """Answer questions about a passage or a picture, as the model reads the one or the other.

    A question in is a line out: the answer and how sure it is, with a tab between. A reader of
    passages answers with words of the passage; a reader of stories, a sentence a line, with a word,
    after some looks at the sentences. --show shades what was asked about by where the model looked.

    Args:
        questions: Questions, one each; lines of stdin if neither this nor --file is given.
        passage: What they are about: text, the name of a file of text, or - for stdin.
        picture: The picture they are about, for models that look at pictures.
        detector: What finds the regions of a picture, for a model that looks at boxes: the folder
            of a model of object-detection, or a name of the zoo.
        model: The folder of a run or of a checkpoint, or a name of the zoo; en-reader for passages
            and scene-vqa for pictures if not given.
        file: A file of questions, a line each.
        show: Draw on stderr what is behind each answer.
        out: Draw it into a file ending in .png, .svg or .html; for one question.
        as_json: Print a JSON object per question.
        pace: Where to compute.
    """
    from .console import speak_utf8
    from .files import require_end
    from .verbs import _show, draw, predictor_for

    if out is not None:
        require_end(out, "--out")
    given = {"passage": passage, "picture": picture}
    usual = USUAL["picture" if picture is not None else "passage"]
    device = (pace or ComputeOptions()).start()
    speak_utf8()
    predictor = predictor_for(model or usual, TASKS, verb="answer", device=device)
    about = _about(predictor, given, model or usual)
    about |= _regions(predictor, detector, picture, model or usual)
    asked = _questions(questions, file, passage, one=out is not None)
    looks = show or out is not None or as_json
    for number, sample in enumerate(_samples(predictor, asked, about, looks), start=1):
        _warn(number, sample)
        print(json.dumps(sample.to_json(), ensure_ascii=False) if as_json else sample)
        if show:
            _show(sample)
        if out is not None:
            draw(out, [sample], model or usual)


def _about(predictor: Any, given: dict[str, Any], model: str) -> dict[str, Any]:
    """What the model is to read, by its name: that, and nothing else, was given.

    Raises:
        ChoiceError: it was not given, or what the model does not read was.
    """
    needed: str = predictor.asked_about
    others = [name for name, value in given.items() if value is not None and name != needed]
    if given[needed] is None or others:
        came = f"--{others[0]}" if others else "neither --passage nor --picture"
        raise ChoiceError(
            f"{model} answers questions about a {needed}: needs --{needed}, got {came}"
        )
    return {needed: passage_of(given[needed]) if needed == "passage" else given[needed]}


def _regions(
    predictor: Any, detector: str | None, picture: Path | None, model: str
) -> dict[str, Any]:
    """The boxes that a detector finds in the picture, where the model looks at boxes.

    Raises:
        ChoiceError: there is a detector, and the model does not look at boxes, or the reverse.
    """
    looks_at_boxes = getattr(predictor.model.config, "regions", None) == "boxes"
    if looks_at_boxes != (detector is not None):
        need = "needs --detector, which finds them" if looks_at_boxes else "takes no --detector"
        what = "boxes" if looks_at_boxes else "a grid" if picture else "words"
        raise ChoiceError(f"{model} looks at {what}: it {need}")
    if detector is None:
        return {}
    from ..tasks.visual_question_answering.proposals import proposed
    from .models import folder_of

    (boxes,) = proposed(folder_of(detector, "--detector"), [str(picture)])
    return {"boxes": boxes}


def passage_of(said: str) -> str:
    """The text that was said, or what a file or the standard input holds.

    Raises:
        InputError: the file cannot be read, or there is no such file.
    """
    from ..data.pairs.lines import lines

    if said != STANDARD_INPUT:
        path = Path(said)
        is_name = path.suffix != "" and not any(letter.isspace() for letter in said)
        try:
            is_file = path.is_file()
        except (OSError, ValueError):  # too long for a name, or what no name may hold
            is_file, is_name = False, False
        if not is_file:
            if is_name and not path.name.endswith((".", "?", "!")):
                raise InputError(
                    f"--passage needs text, or a file that is there, and {said} is not"
                )
            return said
    return "\n".join(line.text for line in lines(said))


def _questions(
    questions: tuple[str, ...], file: Path | None, passage: str | None, *, one: bool
) -> Iterator[list[str]]:
    """Questions in groups; other than one are refused where there must be ``one``."""
    from .console import groups

    if passage == STANDARD_INPUT and not questions and file is None:
        raise ChoiceError("answer reads the passage from stdin, so it needs questions before it")
    found = groups(questions, file, AHEAD)
    if not one:
        return found
    every = [line for group in found for line in group]
    if len(every) != 1:
        raise ChoiceError(f"--out is for one question, got {len(every)}")
    return iter([every])


def _samples(
    predictor: Any, asked: Iterator[list[str]], about: dict[str, Any], looks: bool
) -> Iterator[Any]:
    for group in asked:
        inputs = [{**about, "question": question} for question in group]
        yield from predictor.predict(inputs, looks=looks)
        sys.stdout.flush()


def _warn(number: int, sample: "Answered") -> None:
    """What a reader should know of an answer before it is trusted."""
    words, unknown = getattr(sample, "words", ()), getattr(sample, "unknown", 0)
    if not sample.question.strip():
        print(f"line {number}: needs a question, got a blank", file=sys.stderr)
    if getattr(sample, "cut", 0):
        print(
            f"line {number}: too long, the first {sample.cut:,} sentences of the story were not "
            "read",
            file=sys.stderr,
        )
    if words and unknown == len(words):
        print(f"line {number}: the model knows none of the question's words", file=sys.stderr)
