"""Fill-mask as a task: everything that training asks about it."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from regard.data.running import GrammarText, TextCodec, TextFiles
from regard.data.running.codec import VocabularyConfig
from regard.training.flags import Flag
from regard.training.task import Comparison, Measure

from ..data_task import DATA, DataTask, data_flags, vocabulary_flags
from .masking import Masking

if TYPE_CHECKING:
    from regard.data.batches import Pools
    from regard.models import Bert

    from .batch import Batch
    from .objective import FillMaskObjective
    from .validation import FillMaskValidator

MEASURES = (
    Measure("accuracy", "masked accuracy", best=1.0, percent=True, decimals=2),
    Measure("loss", "loss", best=0.0, better="lower", decimals=3),
)
"""Share of hidden tokens that are guessed, and their negative log-likelihood in nats."""

MASKING = "Masking"
FLAGS = (
    *data_flags("English sentences of our own grammar", "one paragraph in a hundred of --data"),
    Flag("length", ("task.length",), DATA),
    *vocabulary_flags("level", "size"),
    Flag("hidden_share", ("task.masking.share",), MASKING),
    Flag("hidden_unit", ("task.masking.unit",), MASKING),
)
POOL = 2048
"""Sentences of the grammar that are sorted by length together."""


class FillMaskTask(DataTask):
    """Hidden tokens of running text."""

    measures: ClassVar[tuple[Measure, ...]] = MEASURES
    own_flags: ClassVar[tuple[Flag, ...]] = FLAGS
    default_model: ClassVar[str] = "bert-tiny"
    example: ClassVar[str] = 'regard fill --model {model} "The cat ___ on the mat."'

    kind: Literal["fill-mask"] = "fill-mask"
    data: Annotated[GrammarText | TextFiles, Field(discriminator="kind")] = GrammarText()
    """Where text comes from."""
    length: int = Field(default=128, ge=2)
    """Tokens of a text at most; longer paragraphs are cut."""
    vocabulary: VocabularyConfig = VocabularyConfig()
    """Which tokens there are."""
    masking: Masking = Masking()
    """Which of them are hidden."""

    def learn(self) -> TextCodec:
        """The tokens of the text."""
        return self.vocabulary.learn(self.data.paragraphs())

    def pools(self, codec: TextCodec, *, longest: int | None) -> "Pools[Batch]":
        """The text as numbers, other ones hidden every time."""
        from regard.data.batches import EndlessPools, FinitePools
        from regard.data.running.pools import DrawnPools

        from .corpus import encode

        def encoded(paragraphs: Any) -> Any:
            most, endless = self._at_most(longest), isinstance(self.data, GrammarText)
            rows = 1 if endless else None  # by their numbers, sentences are a text each
            return encode(paragraphs, codec.tokens, self.masking, longest=most, stretches=rows)

        if isinstance(self.data, GrammarText):
            name = f"{self.data!r}, {self.masking!r}"
            endless = EndlessPools(self.data.example, encoded, name=name, size=POOL)
            return DrawnPools(endless)
        return DrawnPools(FinitePools(encoded(self.data.paragraphs())))

    def objective(self, model: "Bert") -> "FillMaskObjective":
        """Cross entropy of the hidden tokens."""
        from .objective import FillMaskObjective

        return FillMaskObjective(model)

    def validator(
        self, codec: TextCodec, *, max_tokens: int, longest: int | None
    ) -> "FillMaskValidator":
        """Hidden tokens of text held out, always the same."""
        from .validation import FillMaskValidator

        return FillMaskValidator(
            self.data.held_out(),
            codec,
            self.masking,
            max_tokens=max_tokens,
            longest=self._at_most(longest),
        )

    def _at_most(self, longest: int | None) -> int:
        """Tokens of a text, without ``[CLS]``."""
        return self.length if longest is None else max(1, min(self.length, longest - 1))

    @property
    def about_samples(self) -> str:
        """Where a word is hidden."""
        return "texts it is validated on, a word hidden"

    def about_codec(self, codec: TextCodec) -> str:
        """Kind and number of tokens."""
        foreign = codec.tokens.kind == "tokenizer_json"
        level = "tokenizer.json" if foreign else self.vocabulary.level
        return f"{level}, {len(codec.tokens):,} tokens"

    def compared(self, before: Any, after: Any, count: int) -> Comparison:
        """Both models on the hidden tokens of the first texts held out."""
        from .validation import FillMaskValidator

        texts = self.data.held_out()[:count]
        validator = FillMaskValidator(
            texts, before.codec, self.masking, max_tokens=4096, longest=self.length
        )
        scores = [
            validator.validate(one.model).scores["accuracy"] or 0.0 for one in (before, after)
        ]
        pairs = zip(before(validator.holes), after(validator.holes), strict=True)
        changed = sum(one.text != other.text for one, other in pairs)
        return Comparison(len(texts), changed, "accuracy", *scores)


TASK = FillMaskTask
