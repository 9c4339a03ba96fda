"""A translated sentence, and where each of its words came from."""

from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from regard.data.pairs import Links
from regard.measures import pharaoh
from regard.notebook import heat, table
from regard.types import Float, Tensor

if TYPE_CHECKING:
    from rich.console import RenderableType

    from regard.lens.alignments import AlignmentView

DECIMALS = 6
"""Of weights in JSON."""
READABLE = 2_500
"""Weights that a notebook shows."""


class Translation(NamedTuple):
    """One way to say it, in words."""

    source: str
    text: str
    score: float
    """What it was ranked by; more is better."""
    log_prob: float
    """Logarithm of the model's probability of it."""
    finished: bool
    """Whether the model ended it; otherwise the limit did."""
    cut: int
    """Tokens at the end of the source that were not read, because it is too long."""
    source_words: tuple[str, ...]
    """Words and marks of ``source``."""
    target_words: tuple[str, ...]
    """Words and marks of ``text``."""
    weights: Float[Tensor, "J I"] | None
    """How much each target word looked at each source word; ``None`` if not asked for, or where a
    model does not look. What is missing to the sum of a row lies in ``end``."""
    links: Links
    """Which source and target words belong together, by the weights."""
    source_tokens: tuple[str, ...] = ()
    """What the model read, as its vocabulary writes it, without the end."""
    target_tokens: tuple[str, ...] = ()
    """What it wrote, likewise."""
    end: Float[Tensor, " J"] | None = None
    """How much each target word looked at no word: at the end of the source, where many heads rest.
    """
    token_weights: Float[Tensor, "T S"] | None = None
    """How much each step looked at each source token, as the model computed it: a row more than
    there are target tokens if it ``finished``, a column more than there are source tokens, the
    ends."""

    def to_json(self) -> dict[str, Any]:
        """The translation with its words, tokens, links and weights."""
        weights, end = None, None
        if self.weights is not None and self.end is not None:
            weights = [_rounded(row) for row in self.weights.tolist()]
            end = _rounded(self.end.tolist())
        return {
            "text": self.text,
            "words": list(self.target_words),
            "tokens": list(self.target_tokens),
            "score": self.score,
            "log_prob": self.log_prob,
            "finished": self.finished,
            "alignment": None if self.weights is None else pharaoh(self.links),
            "weights": weights,
            "end": end,
        }

    def views(self) -> "tuple[AlignmentView, ...]":
        """What there is to draw: the alignment, if the model looked."""
        from .views import translation_view

        view = translation_view(self)
        return () if view is None else (view,)

    def __rich__(self) -> "RenderableType":
        """The sentence, its translation, and the alignment between them if there is one."""
        from .views import drawn

        return drawn(self)

    def __repr__(self) -> str:
        looked = "" if self.weights is None else f", weights {tuple(self.weights.shape)}"
        return f"Translation({self.source!r} → {self.text!r}, score {self.score:.4g}{looked})"

    def _repr_html_(self) -> str:
        title = f"{self.source} → {self.text}"
        if self.weights is None or self.weights.numel() > READABLE:
            return table(("source", "translation", "score"), [(*self[:2], f"{self.score:.4g}")])
        keys, columns = list(self.source_words), self.weights
        if self.end is not None:
            keys, columns = [*keys, "(end)"], torch.cat([columns, self.end[:, None]], dim=-1)
        return heat(columns.tolist(), queries=self.target_words, keys=keys, title=title)


def to_json(translations: tuple[Translation, ...]) -> dict[str, Any]:
    """One source with its translations, the best first."""
    best = translations[0]
    return {
        "source": best.source,
        "source_words": list(best.source_words),
        "source_tokens": list(best.source_tokens),
        "cut": best.cut,
        "translations": [one.to_json() for one in translations],
    }


def _rounded(weights: list[float]) -> list[float]:
    return [round(weight, DECIMALS) for weight in weights]
