"""How good taggers are on files held out."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from regard.measures import Resampling

from ..labelling.evaluation import Report, evaluate
from .data import TaggedFiles, TaggedGrammar


def evaluation(
    predictors: Mapping[str, Any],
    data: Sequence[str] = (),
    *,
    columns: Sequence[str | int] = (),
    sentences: int = 1000,
    resampling: Resampling | None = None,
) -> Report:
    """Accuracy with its interval, macro F1, a table of all tags, confusion, accuracy by length.

    Args:
        predictors: by name.
        data: files of tagged sentences; our grammar if there is none.
        columns: where the tag stands, one name or number.
        sentences: of the grammar.
        resampling: how to find intervals.

    Raises:
        InputError: bad data, named by file and line.
    """
    if data:
        column = columns[-1] if columns else None
        files = TaggedFiles(train=tuple(data), column=column)
        examples = [one for path in files.train for one in files.read(path)]
    else:
        examples = list(islice(TaggedGrammar(valid_size=sentences).held_out(), sentences))
    return evaluate("tagging", predictors, examples, resampling=resampling)


EVALUATION = evaluation
