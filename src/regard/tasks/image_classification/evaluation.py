"""How good classifiers of pictures are on those held out."""

from collections.abc import Mapping, Sequence
from typing import Any

from regard.errors import InputError
from regard.measures import Resampling

from ..labelling.evaluation import Report, evaluate
from .data import Example, LabelledPictures


def evaluation(
    predictors: Mapping[str, Any],
    data: Sequence[str] = (),
    *,
    columns: Sequence[str | int] = (),
    sentences: int = 1000,
    resampling: Resampling | None = None,
    pictures: str | None = None,
) -> Report:
    """Accuracy with its interval, macro F1, a table of all labels, confusion, significance.

    Args:
        predictors: by name.
        data: folders, tables, sheets or idx files; those digits of scikit-learn that a run on them
            keeps back, if there is none.
        columns: of label and name in a table.
        sentences: it has no sentences.
        resampling: how to find intervals.
        pictures: folder or zip of those that a table names.

    Raises:
        InputError: bad data, named by its place.
    """
    if columns and len(columns) != 2:
        raise InputError(f"--columns needs those of label and name, got {len(columns)}")
    chosen = (columns[0], columns[1]) if columns else None
    examples = _examples(LabelledPictures(pictures=pictures, columns=chosen), data)
    return evaluate(
        "image-classification",
        predictors,
        examples,
        resampling=resampling,
        things="pictures",
        steps="pictures",
    )


def _examples(source: LabelledPictures, data: Sequence[str]) -> list[Example]:
    if not data:
        return source.judged(source.size_for(None), source.valid_size)
    return source.model_copy(update={"train": tuple(data)}).examples()


EVALUATION = evaluation
