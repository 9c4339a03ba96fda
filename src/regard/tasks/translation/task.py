"""Translation as a task: everything that training asks about it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

from pydantic import Field

from regard.config import Config
from regard.data.vocabulary import Learner, Vocabularies, learn_both, learner
from regard.training.flags import Flag
from regard.training.task import Comparison, Measure

from ..data_task import DATA, VOCABULARY, DataTask, data_flags
from .config import Data, LossConfig
from .files import FileData
from .grammar import GrammarData
from .typed.typing import Typing

if TYPE_CHECKING:
    from regard.data.batches import Pools
    from regard.models import Seq2Seq

    from .corpus import Batch
    from .objective import TranslationObjective
    from .predictor import Translator
    from .validation import TranslationValidator

Level = Literal["bpe", "unigram", "words", "characters"]


class VocabularyConfig(Config):
    """How the tokens of both languages are found."""

    level: Level = "bpe"
    """Kind of tokens: parts of words by sentencepiece, whole words, or characters."""
    source: Level | None = None
    """The same of the source alone, where it is another."""
    target: Level | None = None
    """The same of the target alone, where it is another."""
    size: int = Field(default=8000, ge=8)
    """Number of tokens at most."""
    sharing: Literal["joint", "separate"] = "joint"
    """One vocabulary for both languages, or one each, as there is where they are of two kinds."""
    fallback: Literal["bytes", "unknown"] = "bytes"
    """What becomes of characters that were never seen; parts of words only."""

    extension: int = Field(default=0, ge=0)
    """Words of a source that the vocabulary lacks and that have numbers of their own, for a model
    with a ``copying.extension`` as large."""

    @property
    def levels(self) -> tuple[Level, Level]:
        """The kinds of source and target."""
        return self.source or self.level, self.target or self.level

    def learn(self, data: Data) -> Vocabularies:
        """The vocabularies of ``data``.

        Raises:
            InputError: bad data, or nothing to learn from.
        """
        here, there = map(self._learner, self.levels)
        sources = (example.source for example in data.texts())
        targets = (example.target for example in data.texts())
        if here == there:
            return learn_both(here, sources=sources, targets=targets, sharing=self.sharing)
        return Vocabularies(here.learn(sources), there.learn(targets))

    def _learner(self, level: Level) -> Learner:
        settings: dict[str, object] = {"size": self.size}
        if level in ("bpe", "unigram"):
            settings["fallback"] = self.fallback
        return learner(level, **settings)


MEASURES = (
    Measure("bleu", "BLEU", best=100.0),
    Measure("chrf", "chrF", best=100.0),
    Measure("exact", "exact", best=1.0, percent=True),
    Measure("loss", "loss", best=0.0, better="lower", decimals=3),
    Measure("perplexity", "perplexity", best=1.0, better="lower", decimals=2),
    Measure("aer", "AER", best=0.0, better="lower", percent=True),
    Measure("rouge-l", "ROUGE-L", best=100.0),
    Measure("word-error", "word error", best=0.0, better="lower", percent=True),
    Measure("phoneme-error", "phoneme error", best=0.0, better="lower", percent=True),
)
"""Of greedy translations, with all references; the loss is the negative log-likelihood per target
token in nats; the alignment error rate is that of attention reading the reference; word and phoneme
error are those of pronunciations."""
TextMeasure = Literal["bleu", "chrf", "exact", "rouge-l", "word-error", "phoneme-error"]
"""What needs nothing but translations and references."""

FLAGS = (
    *data_flags("our own English-French grammar", "one source in a hundred of --data"),
    Flag("columns", ("task.data.columns",), DATA, default="1 2", needs="data"),
    Flag("fields", ("task.data.fields",), DATA, needs="data"),
    Flag("alignments", ("task.data.alignments",), DATA, needs="data"),
    Flag("valid_alignments", ("task.data.valid_alignments",), DATA, needs="data"),
    Flag("link_tokens", ("task.data.linked_words",), DATA, needs="data"),
    Flag("phrases", ("task.data.phrases",), DATA, needs="data"),
    Flag(
        "max_words",
        ("task.data.max_words", "task.data.filters.max_length"),
        DATA,
        help="Longest sentence, in words.",
        default="10 of the grammar, any of --data",
    ),
    Flag("source_words", ("task.data.source_words",), DATA, needs="data"),
    Flag("max_ratio", ("task.data.filters.max_ratio",), DATA, needs="data"),
    Flag("level", ("task.vocabulary.level",), VOCABULARY, by_recipe=True, of_codec=True),
    Flag("source_vocabulary", ("task.vocabulary.source",), VOCABULARY, of_codec=True),
    Flag("target_vocabulary", ("task.vocabulary.target",), VOCABULARY, of_codec=True),
    Flag("vocabulary", ("task.vocabulary.size",), VOCABULARY, of_codec=True),
    Flag("sharing", ("task.vocabulary.sharing",), VOCABULARY, by_recipe=True, of_codec=True),
    Flag("label_smoothing", ("task.loss.label_smoothing",), by_recipe=True),
    Flag("guided", ("task.loss.guided",), by_recipe=True),
    Flag("entropy", ("task.loss.entropy",)),
)
"""Its settings that have a flag; ``--set`` changes all others."""


class TranslationTask(DataTask):
    """Text to text, from pairs of sentences."""

    measures: ClassVar[tuple[Measure, ...]] = MEASURES
    own_flags: ClassVar[tuple[Flag, ...]] = FLAGS
    default_model: ClassVar[str] = "bahdanau-small"
    example: ClassVar[str] = 'regard translate --model {model} "The black cat ate the mouse."'

    kind: Literal["translation"] = "translation"
    data: Annotated[GrammarData | FileData, Field(discriminator="kind")] = GrammarData()
    """Where pairs come from."""
    vocabulary: VocabularyConfig = VocabularyConfig()
    """Which tokens there are."""
    loss: LossConfig = LossConfig()
    """What the loss is made of."""
    typing: Typing | None = Typing()
    """What is done, when it is used, for lines that are not as clean as the data; ``None`` reads
    all as it is. Sources of characters are."""
    scores: tuple[TextMeasure, ...] = ("bleu", "chrf", "exact")
    """What translations are measured by, beside what the run goes by."""
    link_above: float | None = Field(default=None, ge=0, lt=1)
    """Weight above which words are linked when the alignment error rate is measured; ``None`` links
    each target word to the source word it looks at most."""

    def measured_by(self, name: str) -> "TranslationTask":
        """The same with one measure more, if translations are enough for it."""
        if name in self.scores or name not in get_args(TextMeasure):
            return self
        return self.model_copy(update={"scores": (*self.scores, name)})

    def in_use(self) -> dict[str, Any]:
        """How lines are read."""
        return {"typing": None if self.typing is None else self.typing.model_dump(mode="json")}

    def learn(self) -> Vocabularies:
        """The vocabularies of the data."""
        return self.vocabulary.learn(self.data)

    def pools(self, codec: Vocabularies, *, longest: int | None) -> "Pools[Batch]":
        """The pairs to train on, as token numbers."""
        return self.data.pools(codec, longest=longest, extension=self.vocabulary.extension)

    def objective(self, model: "Seq2Seq") -> "TranslationObjective":
        """Cross entropy, and what else is asked for."""
        from .objective import TranslationObjective

        return TranslationObjective(model, self.loss)

    def validator(
        self, codec: Vocabularies, *, max_tokens: int, longest: int | None
    ) -> "TranslationValidator":
        """Greedy translations of pairs held out, beside their references."""
        from regard.measures import Threshold

        from .validation import TranslationValidator

        return TranslationValidator(
            self.data.held_out(),
            self.data.samples(),
            codec,
            max_tokens=max_tokens,
            longest=longest,
            scores=self.scores,
            extension=self.vocabulary.extension,
            rule=None if self.link_above is None else Threshold(above=self.link_above),
        )

    def going_on(self, settings: Mapping[str, Any], codec: Vocabularies) -> "TranslationTask":
        """The same with the vocabularies of a model that is trained already."""
        told = settings.get("vocabulary") or _told_by(codec).model_dump()
        return super().going_on({"vocabulary": told}, codec)

    @property
    def about_samples(self) -> str:
        """What the data says of them."""
        return self.data.about_samples

    def about_codec(self, codec: Vocabularies) -> str:
        """Kind and sizes of the vocabularies."""
        sizes = f"{len(codec.source):,}"
        if codec.sharing == "separate":
            sizes += f" and {len(codec.target):,}"
        levels = " and ".join(dict.fromkeys(self.vocabulary.levels))
        return f"{levels}, {codec.sharing}, {sizes} tokens"

    def compared(self, before: "Translator", after: "Translator", count: int) -> Comparison:
        """Greedy translations of the first sentences held out."""
        from .comparison import compared, held_out

        return compared(before, after, held_out(self.data, count))


def _told_by(both: Vocabularies) -> VocabularyConfig:
    """What vocabularies themselves tell of how they were found."""
    here, there = ("bpe" if one.kind == "pieces" else one.kind for one in both)
    settings = {
        "level": there,
        "source": None if here == there else here,
        "size": max(8, len(both.target)),  # as small as settings allow
        "sharing": both.sharing,
    }
    return VocabularyConfig.model_validate(settings)


TASK = TranslationTask
