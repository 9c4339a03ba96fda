"""How good autoencoders are on texts or pictures held out, beside each other."""

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from regard.data.grammar import Grammar
from regard.data.pairs.lines import composed, lines
from regard.errors import ChoiceError, InputError
from regard.measures import Hits, Resampling, Score, compare_counts
from regard.measures.ratio import Ratio

from ..evaluation import Columns, EvaluationConfig
from ..reporting import Bucket, Versus, by_length
from .data import PictureFiles
from .predictor_of_pictures import PictureReconstructor
from .sample import ReconstructedPicture, ReconstructedText

if TYPE_CHECKING:
    from rich.console import RenderableType

LONGEST = 10
"""Tokens of a sentence of the grammar's split ``test`` at most."""
EDGES = (2, 4, 6, 8, 10, 20, 40)
Counts = Hits | Ratio


class System(NamedTuple):
    """What was found of one model."""

    name: str
    counts: Mapping[str, Counts]
    """By measure, the first of which systems are compared by."""
    scores: Mapping[str, Score]
    lengths: tuple[Bucket, ...]
    """Texts that came back exactly, by their tokens."""
    seconds: float


class Report(NamedTuple):
    """All that was found."""

    things: str
    """``texts`` or ``pictures``."""
    size: int
    """How many of them."""
    systems: tuple[System, ...]
    versus: tuple[Versus, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Of one system all about it, of several a list of them as ``models``."""
        systems = [self._record(one) for one in self.systems]
        found = systems[0] if len(systems) == 1 else {"models": systems}
        test = {"test": {self.things: self.size}}
        return found | test | {"versus": [one.to_json() for one in self.versus]}

    def __rich__(self) -> "RenderableType":
        """Tables, the most important first."""
        from .tables import tables

        return tables(self)

    def _record(self, one: System) -> dict[str, Any]:
        intervals = {name: score.interval for name, score in one.scores.items()}
        return {
            "model": one.name,
            "task": "autoencoding",
            "scores": {name: score.value for name, score in one.scores.items()},
            "intervals": {
                name: None if found is None else found._asdict()
                for name, found in intervals.items()
            },
            "by_length": [bucket._asdict() for bucket in one.lengths],
            "speed": {
                "seconds": one.seconds,
                f"{self.things}_per_second": self.size / one.seconds,
            },
        }


class AutoencodingEvaluation(EvaluationConfig):
    """Texts: the share that comes back exactly, by length, and of tokens in their place; pictures:
    squared error and peak signal-to-noise ratio. All with intervals, and significance."""

    data: tuple[str, ...] = ()
    """Files of lines, or pictures as for training. Without any, sentences of our grammar of up to
    ten tokens that are never trained on, or digits that a run on them keeps back."""
    columns: Columns = ()
    """Where label and name stand in a table of pictures: names, or numbers from 1."""
    sentences: int = 1000
    """Of the grammar, how many."""
    pictures: str | None = None
    """Folder or zip of the pictures that a table names."""

    def measured(self, predictors: Mapping[str, Any]) -> Report:
        """Everything about predictors, all of texts or all of pictures, beside each other.

        Raises:
            InputError: bad data, named by its place.
            ChoiceError: models of texts and of pictures together.
        """
        kinds = {isinstance(one, PictureReconstructor) for one in predictors.values()}
        if len(kinds) > 1:
            raise ChoiceError("evaluate needs models of texts or of pictures, got some of either")
        if kinds == {True}:
            inputs = _pictures(predictors, self.data, self.columns, self.pictures)
            return _report("pictures", predictors, inputs, OF_PICTURES, self.resampling)
        if self.columns or self.pictures is not None:
            raise InputError("--columns and --pictures are for pictures, these models read text")
        inputs = texts_of(self.data, self.sentences)
        return _report("texts", predictors, inputs, OF_TEXTS, self.resampling)


def _report(
    things: str,
    predictors: Mapping[str, Any],
    inputs: Sequence[Any],
    measured: "Measured",
    resampling: Resampling | None,
) -> Report:
    systems = [_system(name, one, inputs, measured, resampling) for name, one in predictors.items()]
    first, *others = systems
    measure = next(iter(first.counts))
    versus = [
        Versus(
            first.name,
            one.name,
            measure,
            compare_counts(first.counts[measure], one.counts[measure], resampling),
        )
        for one in others
        if resampling is not None
    ]
    return Report(things, len(inputs), tuple(systems), tuple(versus))


def texts_of(data: Sequence[str], sentences: int) -> list[str]:
    """Lines of files, or sentences of the grammar that are never trained on.

    Raises:
        InputError: there is none.
    """
    if not data:
        drawn = islice(Grammar(split="test", max_words=LONGEST), sentences)
        return [pair.source_text for pair in drawn]
    read = (composed(line.text).strip() for path in data for line in lines(path))
    found = [text for text in read if text]
    if not found:
        raise InputError(f"{data[0]}: needs text, got nothing but blank lines")
    return found


def _pictures(
    predictors: Mapping[str, PictureReconstructor],
    data: Sequence[str],
    columns: Sequence[str | int],
    pictures: str | None,
) -> list[Any]:
    """Pictures as predictors take them."""
    if columns and len(columns) != 2:
        raise InputError(f"--columns needs those of label and name, got {len(columns)}")
    chosen = (columns[0], columns[1]) if columns else None
    if data:
        source = PictureFiles(train=tuple(data), pictures=pictures, columns=chosen)
        return [one.content for one in source.seen()]
    import torch

    first = next(iter(predictors.values()))
    kept = PictureFiles().held_out_pixels(first.codec.size)
    return list(torch.from_numpy(kept).permute(0, 3, 1, 2))


Measured = Callable[[Sequence[Any]], tuple[dict[str, Counts], tuple[Bucket, ...]]]


def _system(
    name: str,
    predictor: Any,
    inputs: Sequence[Any],
    measured: Measured,
    resampling: Resampling | None,
) -> System:
    list(predictor.predict(inputs[:1]))  # what is slow the first time is not counted
    start = time.perf_counter()
    samples = list(predictor.predict(inputs))
    seconds = time.perf_counter() - start
    counts, lengths = measured(samples)
    scores = {what: one.score(resampling) for what, one in counts.items()}
    return System(name, counts, scores, lengths, seconds)


def _of_texts(
    samples: Sequence[ReconstructedText],
) -> tuple[dict[str, Counts], tuple[Bucket, ...]]:
    exact = np.array([(one.exact, 1) for one in samples], dtype=np.int64)
    tokens = np.array([one.right for one in samples], dtype=np.int64)
    hits = Hits(exact, "exact")
    lengths = by_length(
        [max(1, len(one.words) + one.cut) for one in samples],
        lambda rows: hits.value(exact[rows].sum(axis=0)),
        EDGES,
    )
    return {"exact": hits, "token_accuracy": Hits(tokens, "token accuracy")}, lengths


def _of_pictures(
    samples: Sequence[ReconstructedPicture],
) -> tuple[dict[str, Counts], tuple[Bucket, ...]]:
    errors = np.array([(one.error, 1.0) for one in samples])
    ratios = np.array([(one.psnr, 1.0) for one in samples])
    return {"psnr": Ratio(ratios, "PSNR"), "squared_error": Ratio(errors, "squared error")}, ()


OF_TEXTS: Measured = _of_texts
OF_PICTURES: Measured = _of_pictures
EVALUATION = AutoencodingEvaluation
