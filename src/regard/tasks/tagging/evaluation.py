"""How good taggers are on files held out."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from ..evaluation import Columns, EvaluationConfig
from ..labelling.evaluation import Report, evaluate
from .data import TaggedFiles, TaggedGrammar


class TaggingEvaluation(EvaluationConfig):
    """Accuracy with its interval, macro F1, a table of all tags, confusion, accuracy by length."""

    data: tuple[str, ...] = ()
    """Files of tagged sentences; our own grammar if there are none."""
    columns: Columns = ()
    """Where the tag stands in them: its name, or its number from 1."""
    sentences: int = 1000
    """Of our own grammar, how many."""

    def measured(self, predictors: Mapping[str, Any]) -> Report:
        """Everything about predictors, beside each other."""
        if self.data:
            column = self.columns[-1] if self.columns else None
            files = TaggedFiles(train=self.data, column=column)
            examples = [one for path in files.train for one in files.read(path)]
        else:
            examples = list(
                islice(TaggedGrammar(valid_size=self.sentences).held_out(), self.sentences)
            )
        return evaluate("tagging", predictors, examples, resampling=self.resampling)


EVALUATION = TaggingEvaluation
