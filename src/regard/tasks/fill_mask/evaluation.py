"""How good models of hidden tokens are on files held out."""

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from regard.data.batches import BatchConfig, Batches, FinitePools
from regard.decoding.protocol import device_of, inference
from regard.measures import Resampling, Score
from regard.measures.ratio import Ratio

from ..evaluation import PlainTextEvaluation
from ..reporting import Bucket, Versus, beside_first, by_length, one_or_several
from .corpus import Texts, encode
from .masking import Masking
from .predictor import LONGEST, TOP, Filler

if TYPE_CHECKING:
    from rich.console import RenderableType

MAX_TOKENS = 8192


class System(NamedTuple):
    """What was found of one model."""

    name: str
    accuracy: Score
    """Share of hidden tokens that are guessed, in percent."""
    among: Score
    """Share of those that are among the likeliest five."""
    nats: Score
    """-ln p of a hidden token."""
    lengths: tuple[Bucket, ...]
    hidden: int
    hits: Ratio
    identity: str
    """Of texts and hidden tokens: only on the same are models compared."""
    tokens_per_second: float

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        told = {"accuracy": self.accuracy, "among_five": self.among, "nats": self.nats}
        return {
            "model": self.name,
            "task": "fill-mask",
            "scores": {name: score.value for name, score in told.items()},
            "intervals": {
                name: score.interval and score.interval._asdict() for name, score in told.items()
            },
            "hidden": self.hidden,
            "by_length": [bucket._asdict() for bucket in self.lengths],
            "speed": {"tokens_per_second": self.tokens_per_second},
        }


class Report(NamedTuple):
    """All that was found."""

    texts: int
    systems: tuple[System, ...]
    versus: tuple[Versus, ...]

    def to_json(self) -> dict[str, Any]:
        """Of one model all about it, of several a list of them as ``models``."""
        return one_or_several(
            [one.to_json() for one in self.systems],
            test={"texts": self.texts},
            versus=[one.to_json() for one in self.versus],
        )

    def __rich__(self) -> "RenderableType":
        """Scores, differences, accuracy by length."""
        from .tables import tables

        return tables(self)


class FillMaskEvaluation(PlainTextEvaluation):
    """Masked accuracy with its interval, the same among the likeliest five, nats, by length.

    Fifteen of a hundred tokens are hidden, whole words at once, always the same.
    """

    def measured(self, predictors: Mapping[str, Any]) -> Report:
        """Everything about predictors, beside each other."""
        resampling = self.resampling
        texts = self.texts()
        systems = tuple(_system(name, one, texts, resampling) for name, one in predictors.items())
        alike = [one for one in systems if one.identity == systems[0].identity]
        versus = beside_first(alike, "accuracy", resampling)
        return Report(len(texts), systems, versus)


def _system(
    name: str, filler: Filler, texts: Sequence[str], resampling: Resampling | None
) -> System:
    most = filler.model.config.longest or LONGEST
    corpus = encode(texts, filler.codec.tokens, Masking(), longest=most)
    begin = time.perf_counter()
    counts = _counts(filler, corpus)
    seconds = time.perf_counter() - begin
    hits, among, nats = (
        Ratio(np.stack([column, corpus.counts], axis=1), title, scale)
        for column, title, scale in zip(
            counts, ("accuracy", "among five", "nats"), (100.0, 100.0, 1.0), strict=True
        )
    )
    lengths = corpus.tokens.lengths
    return System(
        name=name,
        accuracy=hits.score(resampling),
        among=among.score(resampling),
        nats=nats.score(resampling),
        lengths=by_length(lengths.tolist(), lambda rows: hits.value(hits.counts[rows].sum(axis=0))),
        hidden=int(corpus.counts.sum()),
        hits=hits,
        identity=corpus.digest,
        tokens_per_second=int(lengths.sum()) / seconds,
    )


def _counts(filler: Filler, corpus: Texts) -> NDArray[np.float64]:
    """Of every text: hidden tokens that are guessed, among the likeliest five, and nats."""
    model, found = filler.model, np.zeros((3, len(corpus)))
    device = device_of(model)
    for batch in Batches(
        FinitePools(corpus), BatchConfig(max_tokens=MAX_TOKENS, order="by_length")
    ):
        own = batch.to(device)
        with inference(model):
            logits = model.output(model.features_at(own.places, own.tokens, own.lengths)).float()
            logs = logits.log_softmax(dim=-1).cpu()  # (R, V)
        best = logs.topk(min(TOP, logs.shape[-1]), dim=-1).indices == batch.targets[:, None]
        said = logs.gather(1, batch.targets[:, None]).squeeze(1)
        each = torch.stack([best[:, 0].double(), best.any(dim=1).double(), -said.double()])
        rows = batch.indices.repeat_interleave(batch.places.sum(dim=1))
        for sums, counts in zip(found, each.numpy(), strict=True):
            np.add.at(sums, rows.numpy(), counts)
    return found


EVALUATION = FillMaskEvaluation
