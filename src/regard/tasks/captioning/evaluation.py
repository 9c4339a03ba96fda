"""How good captioners are on pictures held out, beside each other."""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from regard.errors import InputError
from regard.measures import Hits
from regard.measures.captions import count_caption_matches
from regard.measures.match_counts import Counted

from ..evaluation import EvaluationConfig
from ..seeing.report import PictureReport, System, Table, beside
from .data import CaptionFiles, SceneCaptions
from .estimators import variance_table
from .example import Captioned
from .predictor import PictureCaptioner, Told
from .validation import BEST, Scored, scored

ORDERS = (1, 2, 3, 4)
AT_ONCE = 128


class CaptioningEvaluation(EvaluationConfig):
    """BLEU-1 to 4, exact captions and pointing with intervals; variance of hard attention.

    Captions are searched for with a beam of five.
    """

    data: tuple[str, ...] = ()
    """Files of captions; our own scenes if there are none."""
    pictures: str | None = None
    """Folder or zip of the pictures that --data names."""
    sentences: int = 1000
    """Of our own scenes, how many."""

    def measured(self, predictors: Mapping[str, Any]) -> PictureReport:
        """Everything about predictors, beside each other."""
        held_out = examples(self.data, self.pictures, self.sentences)
        systems = tuple(_system(name, one, held_out) for name, one in predictors.items())
        count = len(held_out)
        versus = beside(systems, self.resampling)
        return PictureReport("captioning", count, count, systems, versus, self.resampling)


def examples(data: Sequence[str], pictures: str | None, scenes: int) -> list[Captioned]:
    """What is measured on: the pictures of files, or scenes of the split ``test``."""
    from itertools import islice

    from regard.data.scenes import Scenes

    from .data import captioned

    if not data:
        return [
            captioned(one) for one in islice(Scenes(SceneCaptions().seed, split="test"), scenes)
        ]
    source = CaptionFiles(train=tuple(data), pictures=require_pictures(pictures))
    return source.read(source.train)


def require_pictures(pictures: str | None) -> str:
    """The folder or zip of the pictures.

    Raises:
        InputError: it was not given.
    """
    if pictures is None:
        raise InputError("--data needs --pictures, the folder or zip of what it names, got none")
    return pictures


def _system(name: str, predictor: PictureCaptioner, held_out: list[Captioned]) -> System:
    start = time.perf_counter()
    told = list(_told(predictor, held_out))
    seconds = time.perf_counter() - start
    texts, references = [one.text for one in told], [one.captions for one in held_out]
    rows = [scored(one, text) for one, text in zip(held_out, told, strict=True)]
    counted: dict[str, Counted] = {
        f"BLEU-{order}": count_caption_matches(texts, references, order=order)
        for order in reversed(ORDERS)
    }
    counted["exact"] = Hits(np.array([[one.right, 1] for one in rows], dtype=np.int64), "exact")
    if any(one.nouns for one in rows):
        counted["pointing"] = _pointing(rows)
    table = variance_table(predictor, held_out)
    tables: dict[str, Table] = {} if table is None else {"estimators": table}
    return System(name, counted, seconds, tables)


def _told(predictor: PictureCaptioner, held_out: list[Captioned]) -> Iterable[Told]:
    for start in range(0, len(held_out), AT_ONCE):
        images = [one.image() for one in held_out[start : start + AT_ONCE]]
        yield from predictor.captions(predictor.read(images), BEST, looks=True)


def _pointing(rows: Sequence[Scored]) -> Hits:
    counts = np.array([[one.hits, one.nouns] for one in rows], dtype=np.int64)
    return Hits(counts, "pointing")


EVALUATION = CaptioningEvaluation
