"""Visual question answering as a task: everything that training asks about it."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from regard.errors import ChoiceError
from regard.training.flags import Flag
from regard.training.task import Comparison, Measure, Units

from ..data_task import DATA, data_flags, vocabulary_flags
from ..seeing.task import SeeingTask
from .codec import AnswerCodec, VocabularyConfig
from .data import QuestionFiles, SceneQuestions
from .loss import AnswerLossConfig

if TYPE_CHECKING:
    from regard.data.batches import Pools

    from .corpus import Batch
    from .objective import AnswerObjective
    from .validation import AnswerValidator

MEASURES = (
    Measure("accuracy", "accuracy", best=1.0, percent=True, decimals=2),
    Measure("pointing", "pointing", best=1.0, percent=True),
    Measure("loss", "loss", best=0.0, better="lower", decimals=3),
)
"""Share of the answers that are exactly right; of those about things whose place is known, share
of the maps that are largest on one; and the negative log-likelihood of an answer in nats."""

FLAGS = (
    *data_flags("scenes of our own", "one picture in twenty"),
    Flag("pictures", ("task.data.pictures",), DATA, needs="data"),
    Flag(
        "valid_pictures",
        ("task.data.valid_pictures",),
        DATA,
        default="where the others are",
        needs="data",
    ),
    Flag("detector", ("task.data.detector",), DATA, default="boxes that data brings", needs="data"),
    Flag("picture_size", ("task.reading.size", "model.grid.size"), DATA, by_recipe=True),
    Flag("maps", ("task.reading.folder",), DATA, default="the user's cache"),
    *vocabulary_flags("size", "answers", "min_answers"),
    Flag("scoring", ("task.loss.scoring",)),
)


class VisualQuestionAnsweringTask(SeeingTask):
    """A question about a picture to an answer, from questions with their answers."""

    measures: ClassVar[tuple[Measure, ...]] = MEASURES
    own_flags: ClassVar[tuple[Flag, ...]] = FLAGS
    default_model: ClassVar[str] = "bottom-up-top-down"
    example: ClassVar[str] = (
        'regard answer --model {model} "what color is the shape?" --picture picture.png --show'
    )

    kind: Literal["visual-question-answering"] = "visual-question-answering"
    data: Annotated[SceneQuestions | QuestionFiles, Field(discriminator="kind")] = SceneQuestions()
    """Where questions come from."""
    vocabulary: VocabularyConfig = VocabularyConfig()
    """Which words and answers are learned."""
    loss: AnswerLossConfig = AnswerLossConfig()
    """What is taken of the logits."""

    def learn(self) -> AnswerCodec:
        """Words of questions, and answers."""
        return self.vocabulary.learn(self.data.questions())

    def pools(self, codec: AnswerCodec, *, longest: int | None) -> "Pools[Batch]":
        """Pictures with their questions."""
        return self.data.pools(codec, self.reading)

    def objective(self, model: Any) -> "AnswerObjective":
        """Cross entropy."""
        from .objective import AnswerObjective

        if model.config.regions == "boxes" and self.data.kind == "files" and not self.data.detector:
            raise ChoiceError(
                "model.regions=boxes needs boxes of pictures in files: --detector names the folder "
                "of a model that finds them"
            )
        return AnswerObjective(model, self.loss)

    def validator(
        self, codec: AnswerCodec, *, max_tokens: int, longest: int | None
    ) -> "AnswerValidator":
        """Answers to questions held out."""
        from .validation import AnswerValidator

        return AnswerValidator(self.data.held_out(), codec, self.reading)

    @property
    def units(self) -> Units:
        """Questions: those about a picture lie together."""
        return Units("questions", "questions")

    @property
    def about_samples(self) -> str:
        """The first of those that are validated on."""
        return "questions it is validated on"

    def about_codec(self, codec: AnswerCodec) -> str:
        """How many words and answers there are."""
        return f"{len(codec.tokens):,} words, {len(codec.answers):,} answers"

    def compared(self, before: Any, after: Any, count: int) -> Comparison:
        """The answers about the first pictures held out."""
        from .validation import compared

        return compared(before, after, self.data.held_out()[:count])


TASK = VisualQuestionAnsweringTask
