"""Translation as a task: everything that training asks about it."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from regard.data.batches import Pools
from regard.data.vocabulary import Vocabularies
from regard.measures import Threshold
from regard.models import Seq2Seq
from regard.training.task import Comparison, Fact, Measure, Task

from .batch import Batch
from .comparison import compared, held_out
from .files import FileData
from .grammar import GrammarData
from .objective import LossConfig, TranslationObjective
from .predictor import Translator
from .validation import MEASURES, TranslationValidator
from .vocabulary import VocabularyConfig


class TranslationTask(Task):
    """Text to text, from pairs of sentences."""

    measures: ClassVar[tuple[Measure, ...]] = MEASURES
    example: ClassVar[str] = 'regard translate --model {model} "The black cat ate the mouse."'

    kind: Literal["translation"] = "translation"
    data: Annotated[GrammarData | FileData, Field(discriminator="kind")] = GrammarData()
    """Where pairs come from."""
    vocabulary: VocabularyConfig = VocabularyConfig()
    """Which tokens there are."""
    loss: LossConfig = LossConfig()
    """What the loss is made of."""
    link_above: float | None = Field(default=None, ge=0, lt=1)
    """Weight above which words are linked when the alignment error rate is measured; ``None`` links
    each target word to the source word it looks at most."""

    def learn(self) -> Vocabularies:
        """The vocabularies of the data."""
        return self.vocabulary.learn(self.data)

    def pools(self, codec: Vocabularies, *, longest: int | None) -> Pools[Batch]:
        """The pairs to train on, as token numbers."""
        return self.data.pools(codec, longest=longest)

    def objective(self, model: Seq2Seq) -> TranslationObjective:
        """Cross entropy, and what else is asked for."""
        return TranslationObjective(model, self.loss)

    def validator(
        self, codec: Vocabularies, *, max_tokens: int, longest: int | None
    ) -> TranslationValidator:
        """Greedy translations of pairs held out, beside their references."""
        return TranslationValidator(
            self.data.held_out(),
            self.data.samples(),
            codec,
            max_tokens=max_tokens,
            longest=longest,
            rule=None if self.link_above is None else Threshold(above=self.link_above),
        )

    def located(self) -> "TranslationTask":
        """The same with absolute paths."""
        return self.model_copy(update={"data": self.data.located()})

    def going_on(self, settings: Mapping[str, Any], codec: Vocabularies) -> "TranslationTask":
        """The same with the vocabularies of a model that is trained already."""
        stored = settings.get("vocabulary")
        found = VocabularyConfig(**stored) if stored else _told_by(codec)
        return self.model_copy(update={"vocabulary": found})

    def flags(self) -> list[str]:
        """The data as words of ``regard train``."""
        return self.data.flags()

    @property
    def about_data(self) -> str:
        """What became of the lines of files."""
        return self.data.about

    @property
    def about_samples(self) -> str:
        """What the data says of them."""
        return self.data.about_samples

    def facts(self, codec: Vocabularies) -> list[Fact]:
        """Vocabulary, data and whose it is."""
        sizes = f"{len(codec.source):,}"
        if codec.sharing == "separate":
            sizes += f" and {len(codec.target):,}"
        return [
            Fact("vocabulary", f"{self.vocabulary.level}, {codec.sharing}, {sizes} tokens"),
            Fact("trained on", self.data.name),
            Fact("origin of the data", self.data.origin),
        ]

    def compared(self, before: Translator, after: Translator, count: int) -> Comparison:
        """Greedy translations of the first sentences held out."""
        return compared(before, after, held_out(self.data, count))

    def published(self) -> "TranslationTask":
        """The same without the folders of files."""
        return self.model_copy(update={"data": self.data.published()})


def _told_by(both: Vocabularies) -> VocabularyConfig:
    """What vocabularies themselves tell of how they were found."""
    kind = both.target.kind
    settings = {
        "level": "bpe" if kind == "pieces" else kind,
        "size": max(8, len(both.target)),  # as small as settings allow
        "sharing": both.sharing,
    }
    return VocabularyConfig.model_validate(settings)


TASK = TranslationTask
