"""What tagging and classification answer alike."""

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from regard.data.annotated import LabelCodec
from regard.training.flags import Flag
from regard.training.task import Comparison, Fact, Measure

from ..data_task import DATA, DataTask, data_flags, vocabulary_flags
from .data import Data, labels_of
from .vocabulary import VocabularyConfig

if TYPE_CHECKING:
    from regard.data.batches import Pools

    from .batch import Batch
    from .objective import LabelObjective
    from .validation import LabelValidator

MEASURES = (
    Measure("accuracy", "accuracy", best=1.0, percent=True, decimals=2),
    Measure("macro_f1", "macro F1", best=1.0, percent=True, decimals=2),
    Measure("loss", "loss", best=0.0, better="lower", decimals=3),
)
"""Share of labels that are right, the mean F1 of all labels, and the negative log-likelihood of a
label in nats."""


def label_flags(default: str, *more: Flag) -> tuple[Flag, ...]:
    """The settings of such a task as words of ``regard train``."""
    return (
        *data_flags(default, "one text in twenty of --data"),
        *more,
        Flag("max_words", ("task.data.max_words",), DATA, default="12 of the grammar"),
        *vocabulary_flags("size", "min_count", "splitting"),
        Flag("label_smoothing", ("task.label_smoothing",), by_recipe=True),
    )


class LabelTask(DataTask):
    """Labels of text, from examples."""

    measures: ClassVar[tuple[Measure, ...]] = MEASURES
    adopts: ClassVar[tuple[str, ...]] = ("fill-mask",)
    per_word: ClassVar[bool]
    """Whether every word has a label, or every text."""
    data: Data
    """Where texts come from."""
    vocabulary: VocabularyConfig
    """Which tokens there are."""
    label_smoothing: float = Field(default=0.0, ge=0, lt=1)
    """Share of the probability that all labels get alike."""
    also_weight: float = Field(default=0.5, gt=0)
    """Weight of the losses of other kinds of labels, where some are learned beside these."""
    min_label_count: int = Field(default=1, ge=1)
    """How often a label must come in the data to be learned; one that comes less is refused."""

    def learn(self) -> LabelCodec:
        """Tokens, characters and labels of the data."""
        read = list(self.data.examples())
        return self.vocabulary.learn(read, labels_of(read, least=self.min_label_count))

    def pools(self, codec: LabelCodec, *, longest: int | None) -> "Pools[Batch]":
        """The texts to train on, as numbers."""
        return self.data.pools(codec, per_word=self.per_word, longest=longest)

    def objective(self, model: Any) -> "LabelObjective":
        """Cross entropy."""
        from .objective import LabelObjective

        return LabelObjective(
            model,
            smoothing=self.label_smoothing,
            per_word=self.per_word,
            also=[len(labels) for labels in self.data.also_known],
            weight=self.also_weight,
        )

    def validator(
        self, codec: LabelCodec, *, max_tokens: int, longest: int | None
    ) -> "LabelValidator":
        """Labels of texts held out."""
        from regard.task_registry import predictor_class

        from .validation import LabelValidator

        return LabelValidator(
            self.data.held_out(),
            codec,
            predictor_class(self.kind),
            per_word=self.per_word,
            max_tokens=max_tokens,
            longest=longest,
        )

    def adopted(self, origin: Any) -> Any:
        """The encoder and the tokens of a model of hidden tokens, and a new head."""
        from .adoption import adopted

        read = list(self.data.examples())
        labels = labels_of(read, least=self.min_label_count)
        splitting = self.vocabulary.splitting
        return adopted(origin, labels, per_word=self.per_word, splitting=splitting)

    @property
    def about_samples(self) -> str:
        """The first of those that are validated on."""
        return "texts it is validated on"

    def about_codec(self, codec: LabelCodec) -> str:
        """Sizes of what was learned."""
        spelled = "" if codec.characters is None else f", {len(codec.characters):,} characters"
        return f"{len(codec.tokens):,} {self.vocabulary.level}{spelled}, {len(codec.labels)} labels"

    def facts(self, codec: LabelCodec) -> list[Fact]:
        """Codec, data and whose it is."""
        first, *others = super().facts(codec)
        return [first, Fact("labels", ", ".join(codec.labels)), *others]

    def compared(self, before: Any, after: Any, count: int) -> Comparison:
        """The labels of the first texts held out."""
        from .validation import compared

        return compared(before, after, self.data.held_out()[:count])
