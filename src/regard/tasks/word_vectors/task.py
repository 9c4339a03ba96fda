"""Word vectors as a task: everything that training asks about it."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from regard.data.running import GrammarText, TextFiles
from regard.training.flags import Flag
from regard.training.task import Measure

from ..data_task import DataTask, data_flags, vocabulary_flags
from .codec import WordCodec, learned
from .sampling import Sampling

if TYPE_CHECKING:
    from regard.data.batches import Pools
    from regard.models import WordVectors

    from .corpus import Batch
    from .objective import WordVectorsObjective
    from .validation import WordVectorsValidator

MEASURES = (
    Measure("ranked", "ranked", best=1.0, percent=True, decimals=2),
    Measure("loss", "loss", best=0.0, better="lower", decimals=3),
)
"""How often a word beside another is nearer to it than one drawn at random, half being chance; and
the loss of a pair."""
LONGEST = 4096
"""Words of a paragraph that are read."""
FLAGS = (
    *data_flags("English sentences of our own grammar", "one paragraph in a hundred of --data"),
    *vocabulary_flags("size", "min_count", within="task"),
    Flag("method", ("task.method",)),
    Flag("window", ("task.sampling.window",)),
    Flag("negatives", ("task.sampling.negatives",)),
)


class WordVectorsTask(DataTask):
    """A vector for every word, by the company it keeps."""

    measures: ClassVar[tuple[Measure, ...]] = MEASURES
    own_flags: ClassVar[tuple[Flag, ...]] = FLAGS
    default_model: ClassVar[str] = "word-vectors"
    example: ClassVar[str] = "regard embed --model {model} --nearest cat"

    kind: Literal["word-vectors"] = "word-vectors"
    data: Annotated[GrammarText | TextFiles, Field(discriminator="kind")] = GrammarText(
        vocabulary_sentences=20_000
    )
    """Where text comes from."""
    size: int = Field(default=20_000, ge=2)
    """Number of words at most."""
    min_count: int = Field(default=5, ge=1)
    """How often a word must come to have a vector."""
    method: Literal["skip-gram", "cbow"] = "skip-gram"
    """Whether a word predicts those beside it, or they predict the word."""
    sampling: Sampling = Sampling()
    """Which pairs are learned from."""

    def learn(self) -> WordCodec:
        """The words of the text."""
        return learned(self.data.paragraphs(), size=self.size, min_count=self.min_count)

    def pools(self, codec: WordCodec, *, longest: int | None) -> "Pools[Batch]":
        """The text as numbers, other pairs drawn every time."""
        from regard.data.batches import FinitePools
        from regard.data.running.pools import DrawnPools

        from .corpus import encode

        most = longest or LONGEST
        texts = encode(self.data.paragraphs(), codec, self.sampling, longest=most)
        return DrawnPools(FinitePools(texts))

    def objective(self, model: "WordVectors") -> "WordVectorsObjective":
        """Negative sampling."""
        from .objective import WordVectorsObjective

        return WordVectorsObjective(model, negatives=self.sampling.negatives, method=self.method)

    def validator(
        self, codec: WordCodec, *, max_tokens: int, longest: int | None
    ) -> "WordVectorsValidator":
        """Pairs of text held out, always the same."""
        from .validation import WordVectorsValidator

        return WordVectorsValidator(self, codec, max_tokens=max_tokens)

    @property
    def about_data(self) -> str:
        """What is read."""
        return self.data.name

    @property
    def about_samples(self) -> str:
        """What lies near."""
        return "words and those that lie nearest"

    def about_codec(self, codec: WordCodec) -> str:
        """How many words there are."""
        return f"{len(codec.counts):,} words"


TASK = WordVectorsTask
