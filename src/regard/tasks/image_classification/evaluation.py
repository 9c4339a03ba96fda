"""How good classifiers of pictures are on those held out."""

from collections.abc import Mapping, Sequence
from typing import Any

from regard.errors import InputError

from ..evaluation import Columns, EvaluationConfig
from ..labelling.evaluation import Report, evaluate
from .data import Example, LabelledPictures


class PictureClassificationEvaluation(EvaluationConfig):
    """Accuracy with its interval, macro F1, a table of all labels, confusion, significance."""

    data: tuple[str, ...] = ()
    """Folders, tables, sheets or idx files; scikit-learn's digits, those that a run keeps
    back, if there are none."""
    columns: Columns = ()
    """Where label and name stand in a table: names, or numbers from 1."""
    pictures: str | None = None
    """Folder or zip of the pictures that a table names."""

    def measured(self, predictors: Mapping[str, Any]) -> Report:
        """Everything about predictors, beside each other."""
        columns = self.columns
        if columns and len(columns) != 2:
            raise InputError(f"--columns needs those of label and name, got {len(columns)}")
        chosen = (columns[0], columns[1]) if columns else None
        examples = _examples(LabelledPictures(pictures=self.pictures, columns=chosen), self.data)
        return evaluate(
            "image-classification",
            predictors,
            examples,
            resampling=self.resampling,
            things="pictures",
            steps="pictures",
        )


def _examples(source: LabelledPictures, data: Sequence[str]) -> list[Example]:
    if not data:
        return source.judged(source.size_for(None), source.valid_size)
    return source.model_copy(update={"train": tuple(data)}).examples()


EVALUATION = PictureClassificationEvaluation
