"""Question answering as a task: everything that training asks about it."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from regard.data.annotated import LabelCodec
from regard.data.reading import Question
from regard.training.flags import Flag
from regard.training.task import Comparison, Fact, Measure

from ..data_task import DATA, DataTask, data_flags, vocabulary_flags
from ..labelling.vocabulary import VocabularyConfig
from .data import FormName, QuestionFiles, ToldStories

if TYPE_CHECKING:
    from regard.data.batches import Pools
    from regard.training.objective import Objective

    from .form import Form
    from .validation import ReadingValidator

POOL = 1024
"""Stories of ours that are sorted by length together."""
READER = "flow-reader"
"""What is made around the words of another model."""


class QuestionAnsweringTask(DataTask):
    """Answers to questions about passages, from people's."""

    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("exact", "exact match", best=1.0, percent=True, decimals=2),
        Measure("f1", "F1", best=1.0, percent=True, decimals=2),
        Measure("loss", "loss", best=0.0, better="lower", decimals=3),
        Measure(
            "support", "attention on the sentences that hold the answer", best=1.0, percent=True
        ),
    )
    own_flags: ClassVar[tuple[Flag, ...]] = (
        *data_flags("stories that we tell ourselves", "one passage in twenty of --data"),
        Flag("layout", ("task.data.layout",), DATA, default="by the name's end", needs="data"),
        Flag("columns", ("task.data.columns",), DATA, default="1 2 3", needs="data"),
        Flag("answers", ("task.answers",), DATA, default="as the model gives them"),
        *vocabulary_flags("level", "size", "min_count", "splitting"),
        Flag("label_smoothing", ("task.label_smoothing",), by_recipe=True),
        Flag("guided", ("task.guided",), by_recipe=True),
        Flag("linear_start", ("task.linear_start",)),
    )
    default_model: ClassVar[str] = "story-reader"
    adopts: ClassVar[tuple[str, ...]] = ("word-vectors", "fill-mask")
    example: ClassVar[str] = (
        'regard answer --model {model} "Where is Anna?" --passage "Anna went home." --show'
    )

    kind: Literal["question-answering"] = "question-answering"
    data: Annotated[ToldStories | QuestionFiles, Field(discriminator="kind")] = ToldStories()
    """Where questions come from."""
    vocabulary: VocabularyConfig = VocabularyConfig()
    """Which tokens there are."""
    answers: FormName | None = None
    """Whether answers are spans of the passage, or words of a closed set; the model says it if it
    is not given."""
    label_smoothing: float = Field(default=0.0, ge=0, lt=1)
    """Share of the probability that all places of a passage get alike."""
    guided: float = Field(default=0.0, ge=0)
    """How much hops are trained to look at the sentences that hold the answer, where data tells."""
    linear_start: int = Field(default=0, ge=0)
    """Updates in which a reader of stories pools with scores instead of weights."""

    @property
    def form(self) -> FormName:
        """Spans, unless something else was said."""
        return self.answers or "spans"

    def learn(self) -> LabelCodec:
        """Tokens and answers of the data."""
        return self._chosen().learn(list(self.data.examples()), self.vocabulary)

    def pools(self, codec: LabelCodec, *, longest: int | None) -> "Pools[Any]":
        """The questions to train on, as numbers."""
        from regard.data.batches import EndlessPools, FinitePools

        chosen = self._chosen()
        if isinstance(self.data, ToldStories):
            name = repr(self.data)

            def encode(told: Any) -> Any:
                return chosen.encode(told, codec, longest=None)

            return EndlessPools(self.data.example, encode, name=name, size=POOL)
        return FinitePools(chosen.encode(self.data.examples(), codec, longest=longest))

    def objective(self, model: Any) -> "Objective[Any]":
        """Cross entropy of both ends of a span, or of a word."""
        return self._chosen().objective(model, self)

    def validator(
        self, codec: LabelCodec, *, max_tokens: int, longest: int | None
    ) -> "ReadingValidator":
        """Answers to questions held out."""
        from .validation import ReadingValidator

        return ReadingValidator(
            self.data.held_out(), codec, self.form, max_tokens=max_tokens, longest=longest
        )

    def adopted(self, origin: Any) -> Any:
        """A reader of spans that begins with the words, or the encoder, of another model."""
        from .adoption import with_encoder, with_vectors

        if origin.task["kind"] == "word-vectors":
            return with_vectors(origin, self.learn(), READER)
        return with_encoder(origin, READER)

    @property
    def about_samples(self) -> str:
        """The first of those that are validated on."""
        return "questions it is validated on"

    def about_codec(self, codec: LabelCodec) -> str:
        """Sizes of what was learned."""
        spelled = "" if codec.characters is None else f", {len(codec.characters):,} characters"
        told = f", {len(codec.labels)} answers" if codec.labels else ", answers are spans"
        return f"{len(codec.tokens):,} {self.vocabulary.level}{spelled}{told}"

    def facts(self, codec: LabelCodec) -> list[Fact]:
        """Codec, data, whose it is, and what the hops were told."""
        told = [Fact("hops were guided", f"by the sentences named in the data, × {self.guided:g}")]
        return super().facts(codec) + (told if self.guided else [])

    def compared(self, before: Any, after: Any, count: int) -> Comparison:
        """The answers to the first questions held out."""
        from .validation import compared

        held_out: list[Question] = self.data.held_out()
        step = max(1, len(held_out) // max(1, count))
        return compared(before, after, held_out[::step][:count])

    def _chosen(self) -> "Form":
        from .form import form

        return form(self.form)


TASK = QuestionAnsweringTask
