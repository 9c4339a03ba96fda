"""How good classifiers are on files held out."""

from collections.abc import Mapping, Sequence
from typing import Any

from regard.errors import InputError
from regard.measures import Resampling

from ..labelling.evaluation import Report, evaluate
from .data import LabelledFiles, LabelledGrammar


def evaluation(
    predictors: Mapping[str, Any],
    data: Sequence[str] = (),
    *,
    columns: Sequence[str | int] = (),
    sentences: int = 1000,
    resampling: Resampling | None = None,
) -> Report:
    """Accuracy with its interval, macro F1, a table of all labels, confusion, accuracy by length.

    Args:
        predictors: by name.
        data: files of labelled texts; our grammar if there is none.
        columns: of label and text.
        sentences: of the grammar.
        resampling: how to find intervals.

    Raises:
        InputError: bad data, named by file and line.
    """
    if columns and len(columns) != 2:
        raise InputError(f"--columns needs those of label and text, got {len(columns)}")
    if data:
        chosen = (columns[0], columns[1]) if columns else None
        files = LabelledFiles(train=tuple(data), columns=chosen)
        examples = [one for path in files.train for one in files.read(path)]
    else:
        examples = LabelledGrammar(valid_size=sentences).held_out()
    return evaluate("text-classification", predictors, examples, resampling=resampling)


EVALUATION = evaluation
