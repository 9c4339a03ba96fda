"""Captioning as a task: everything that training asks about it."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from regard.config import Config
from regard.data.running import TextCodec
from regard.data.vocabulary.plain_words import PlainWordsLearner
from regard.training.flags import Flag
from regard.training.task import Comparison, Measure

from ..data_task import DATA, data_flags, vocabulary_flags
from ..seeing.task import SeeingTask
from .data import CaptionFiles, SceneCaptions
from .loss import CaptionLossConfig

if TYPE_CHECKING:
    from regard.data.batches import Pools

    from .corpus import Batch
    from .objective import CaptionObjective
    from .validation import CaptionValidator

MEASURES = (
    Measure("bleu4", "BLEU-4", best=100.0),
    Measure("exact", "exactly right", best=1.0, percent=True),
    Measure("pointing", "pointing", best=1.0, percent=True),
    Measure("loss", "nats per token", best=0.0, better="lower", decimals=3),
)
"""BLEU-4 as papers on captioning print it; the share of captions that are, marks aside, one of
those that are right; of nouns whose map is largest on what they stand for, in scenes; and the
negative log-likelihood of a token."""

FLAGS = (
    *data_flags("scenes of our own", "one picture in twenty"),
    Flag("pictures", ("task.data.pictures",), DATA, needs="data"),
    Flag("picture_size", ("task.reading.size", "model.grid.size"), DATA, by_recipe=True),
    Flag("maps", ("task.reading.folder",), DATA, default="the user's cache"),
    *vocabulary_flags("size", "min_count"),
    Flag("doubly_stochastic", ("task.loss.doubly_stochastic",), by_recipe=True),
    Flag(
        "guided", ("task.loss.guided",), help="How much it counts that nouns look where things are."
    ),
    Flag("label_smoothing", ("task.loss.label_smoothing",), by_recipe=True),
)


class VocabularyConfig(Config):
    """Which words captions are made of."""

    size: int = Field(default=10_000, ge=8)
    """Number of words at most."""
    min_count: int = Field(default=1, ge=1)
    """How often a word must come to be learned."""
    marks: Literal["kept", "left out"] = "kept"
    """Whether commas and points are written too."""

    def learn(self, texts: Any) -> TextCodec:
        """The words of some captions, in lower case.

        Raises:
            InputError: there is nothing to learn from.
        """
        learner = PlainWordsLearner(size=self.size, min_count=self.min_count)
        return TextCodec(learner.learn(map(self.plain, texts)))

    def plain(self, text: str) -> str:
        """A caption as it is learned."""
        from regard.measures.captions import caption_words

        return caption_words(text) if self.marks == "left out" else text.lower()


class CaptioningTask(SeeingTask):
    """A picture to a sentence, from captioned pictures."""

    measures: ClassVar[tuple[Measure, ...]] = MEASURES
    own_flags: ClassVar[tuple[Flag, ...]] = FLAGS
    default_model: ClassVar[str] = "soft-captioner"
    example: ClassVar[str] = "regard caption --model {model} picture.png --show"

    kind: Literal["captioning"] = "captioning"
    data: Annotated[SceneCaptions | CaptionFiles, Field(discriminator="kind")] = SceneCaptions()
    """Where captioned pictures come from."""
    vocabulary: VocabularyConfig = VocabularyConfig()
    """Which words captions are made of."""
    loss: CaptionLossConfig = CaptionLossConfig()
    """The terms of the loss."""

    def learn(self) -> TextCodec:
        """The words of the captions."""
        return self.vocabulary.learn(self.data.texts())

    def pools(self, codec: TextCodec, *, longest: int | None) -> "Pools[Batch]":
        """Captions to train on, with their pictures."""
        return self.data.pools(codec, self.reading, longest)

    def objective(self, model: Any) -> "CaptionObjective":
        """Cross entropy, and what is asked of attention."""
        from .objective import CaptionObjective

        return CaptionObjective(model, self.loss)

    def validator(
        self, codec: TextCodec, *, max_tokens: int, longest: int | None
    ) -> "CaptionValidator":
        """Captions of pictures held out."""
        from .validation import CaptionValidator

        held_out = self.data.held_out()
        return CaptionValidator(held_out, codec, self.reading, max_tokens=max_tokens)

    @property
    def about_samples(self) -> str:
        """The first of those that are validated on."""
        return "pictures it is validated on"

    def about_codec(self, codec: TextCodec) -> str:
        """How many words there are."""
        return f"{len(codec.tokens):,} words"

    def compared(self, before: Any, after: Any, count: int) -> Comparison:
        """The captions of the first pictures held out."""
        from .validation import compared

        return compared(before, after, self.data.held_out()[:count])


TASK = CaptioningTask
