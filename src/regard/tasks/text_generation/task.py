"""Text generation as a task: everything that training asks about it."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from regard.training.flags import Flag
from regard.training.task import Comparison, Measure

from ..data_task import DATA, DataTask, data_flags, vocabulary_flags
from .codec import TextCodec, VocabularyConfig
from .data import FileText, GrammarText

if TYPE_CHECKING:
    from regard.data.batches import Pools
    from regard.models.language import LanguageModel

    from .objective import LanguageObjective
    from .predictor import Generator
    from .validation import TextValidator
    from .windows import Batch

USUAL = 128
"""Tokens of a window, of models that do not say."""

MEASURES = (
    Measure("loss", "nats per token", best=0.0, better="lower", decimals=3),
    Measure("bits_per_character", "bits/char", best=0.0, better="lower", decimals=3),
    Measure("perplexity", "perplexity", best=1.0, better="lower", decimals=2),
)
"""Of text held out, in windows as in training; bits per character compare any vocabularies."""

FLAGS = (
    *data_flags("English sentences of our own grammar", "the last tenth of --data"),
    *vocabulary_flags("level", "size"),
    Flag("context", ("task.context",), DATA, default="what the model looks at"),
    Flag("streams", ("task.streams",), DATA),
)
"""Its settings that have a flag; ``--set`` changes all others."""


class TextGenerationTask(DataTask):
    """What comes next, from plain text."""

    measures: ClassVar[tuple[Measure, ...]] = MEASURES
    own_flags: ClassVar[tuple[Flag, ...]] = FLAGS
    default_model: ClassVar[str] = "gpt-tiny"
    example: ClassVar[str] = 'regard generate "Once upon" --model {model}'

    kind: Literal["text-generation"] = "text-generation"
    data: Annotated[GrammarText | FileText, Field(discriminator="kind")] = GrammarText()
    """Where text comes from."""
    vocabulary: VocabularyConfig = VocabularyConfig()
    """Which tokens there are."""
    context: int | None = Field(default=None, ge=1)
    """Tokens of a window; as many as the model looks at, if not given."""
    streams: int = Field(default=0, ge=0)
    """Recurrent models: places of the text that are read on side by side, the state carried from
    batch to batch; 0 begins anew with every window."""

    def window(self, longest: int | None) -> int:
        """Tokens of a window, of a model that looks at ``longest``."""
        asked = self.context or (USUAL if longest is None else longest)
        return asked if longest is None else min(asked, longest)

    def learn(self) -> TextCodec:
        """The tokens of the text."""
        return self.vocabulary.learn(self.data.train_text())

    def pools(self, codec: TextCodec, *, longest: int | None) -> "Pools[Batch]":
        """The text to train on, in windows or streams."""
        from .windows import StreamPools, WindowPools

        text, length = codec.encode(self.data.train_text()), self.window(longest)
        if self.streams:
            return StreamPools(text, length=length, streams=self.streams)
        return WindowPools(text, length=length)

    def objective(self, model: "LanguageModel") -> "LanguageObjective":
        """The negative log-likelihood."""
        from .objective import LanguageObjective

        return LanguageObjective(model, self.streams)

    def validator(
        self, codec: TextCodec, *, max_tokens: int, longest: int | None
    ) -> "TextValidator":
        """The same on text held out."""
        from .validation import TextValidator

        return TextValidator(
            self.data.valid_text(),
            codec,
            length=self.window(longest),
            max_tokens=max_tokens,
            carried=self.streams > 0,
        )

    @property
    def about_samples(self) -> str:
        """Nothing was given to it."""
        return "what it writes from nothing"

    def about_codec(self, codec: TextCodec) -> str:
        """Kind and number of tokens."""
        return f"{self.vocabulary.level}, {len(codec.tokeniser):,} tokens"

    def compared(self, before: "Generator", after: "Generator", count: int) -> Comparison:
        """The first windows held out, and which of them the two would continue differently."""
        from .comparison import compared

        return compared(before, after, self.data.valid_text(), count)


TASK = TextGenerationTask
