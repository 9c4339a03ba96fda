"""How good classifiers are on files held out."""

from collections.abc import Mapping
from typing import Any

from regard.errors import InputError

from ..evaluation import Columns, EvaluationConfig
from ..labelling.evaluation import Report, evaluate
from .data import LabelledFiles, LabelledGrammar


class ClassificationEvaluation(EvaluationConfig):
    """Accuracy with its interval, macro F1, a table of all labels, confusion, lengths."""

    data: tuple[str, ...] = ()
    """Files of labelled texts; our own grammar if there are none."""
    columns: Columns = ()
    """Where label and text stand in them: names, or numbers from 1."""
    sentences: int = 1000
    """Of our own grammar, how many."""

    def measured(self, predictors: Mapping[str, Any]) -> Report:
        """Everything about predictors, beside each other."""
        columns = self.columns
        if columns and len(columns) != 2:
            raise InputError(f"--columns needs those of label and text, got {len(columns)}")
        if self.data:
            chosen = (columns[0], columns[1]) if columns else None
            files = LabelledFiles(train=self.data, columns=chosen)
            examples = [one for path in files.train for one in files.read(path)]
        else:
            examples = LabelledGrammar(valid_size=self.sentences).held_out()
        return evaluate("text-classification", predictors, examples, resampling=self.resampling)


EVALUATION = ClassificationEvaluation
