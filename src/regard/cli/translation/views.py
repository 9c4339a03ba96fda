"""What ``regard show`` draws: a sentence, a translation, and some part of a model between them."""

from dataclasses import dataclass
from typing import NamedTuple

from regard.lens.alignments import AlignmentView
from regard.tasks.translation.predictor import Translator
from regard.tasks.translation.sample import Translation
from regard.tasks.translation.views import Head, Unit, forced_view, head_views, translation_view

from ...errors import ChoiceError
from .options import SearchOptions


class Looked(NamedTuple):
    """A translation and its views in one model."""

    target: str
    views: list[AlignmentView]


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """What is to be drawn, for any model.

    Args:
        text: the sentence.
        translation: a translation of it; the model's own if ``None``.
        layer: a decoder layer; every one if ``None``.
        head: some of its heads; ``None`` without a layer is what the model calls its alignment.
        tokens: whether tokens have rows and columns, not words.
        search: how the model's own translation is found.
    """

    text: str
    translation: str | None
    layer: int | None
    head: Head | None
    tokens: bool
    search: SearchOptions

    def by(self, translator: Translator, name: str) -> Looked:
        """How one model looks at it.

        Args:
            translator: the model.
            name: what it is called above the picture.

        Raises:
            InputError: the model does not look at its source, or a sentence is blank.
            RangeError: it has no such layer or head.
        """
        own = None if self.translation is not None else self._own(translator)
        target = self.translation or "" if own is None else own.text
        unit: Unit = "tokens" if self.tokens else "words"
        if self.head is None:
            view = None if own is None else translation_view(own, unit=unit, model=name)
            # Where its own translation cannot be drawn, reading it again says why.
            drawn = view or forced_view(translator, self.text, target, unit=unit, model=name)
            return Looked(target, [drawn])
        views = head_views(
            translator,
            self.text,
            target,
            layer=self.layer,
            head=self.head,
            unit=unit,
            model=name,
        )
        return Looked(target, views)

    def _own(self, translator: Translator) -> Translation:
        """What the model makes of the sentence."""
        [found] = translator.translate(
            [self.text],
            strategy=self.search.strategy(),
            limits=self.search.limits(),
            aligned=self.head is None,
        )
        return found


def head_from(text: str | None, layer: int | None) -> Head | None:
    """The heads that are meant by what was typed: a number, ``mean``, ``all``, ``alignment``.

    Raises:
        ChoiceError: something else, or a layer of what the model chooses by itself.
    """
    if text is None:
        return None if layer is None else "mean"
    if text == "alignment":
        if layer is not None:
            raise ChoiceError(
                "--head alignment is where the model says it looks; leave out --layer"
            )
        return None
    if text == "mean":
        return "mean"
    if text == "all":
        return "all"
    if text.isascii() and text.isdigit():
        return int(text)
    raise ChoiceError(f"--head needs a number from 0, mean, all or alignment, got {text!r}")
