"""The words of ``regard train``; what is not given is the recipe's."""

from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter

Several = Parameter(consume_multiple=True, negative=())

DATA = Group("Data", sort_key=1)
VOCABULARY = Group("Vocabulary", sort_key=2)
TRAINING = Group("Training", sort_key=3)
BUDGET = Group("When it ends", sort_key=4)


class Options:
    """Some words of a command line."""

    def given(self) -> dict[str, Any]:
        """Those that were said."""
        said = {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in said.items() if value not in (None, ())}


def words(options: Options) -> list[str]:
    """What was said, as it is written."""
    names = {"size": "vocabulary"}
    return [f"--{names.get(name, name).replace('_', '-')}" for name in options.given()]


@Parameter(name="*", group=DATA)
@dataclass(frozen=True, kw_only=True)
class DataOptions(Options):
    """Where pairs come from."""

    data: Annotated[tuple[str, ...], Several] = ()
    """Pairs: a TSV, JSONL, or a source file and its translations; .gz too, - for stdin. Our own
    English-French grammar if not given."""
    valid: Annotated[tuple[str, ...], Several] = ()
    """The same to validate on; one source in a hundred is kept back if not given."""
    columns: tuple[int, int] | None = None
    """Columns of source and target in a TSV, counted from 1."""
    alignments: str | None = None
    """Gold links of the pairs, '0-0 1-2' per line, blank where there is none."""
    valid_alignments: str | None = None
    """The same for --valid."""
    linked_words: Literal["spaced", "split"] | None = None
    """What links count: what stands between spaces, or the words and marks that
    regard data words prints."""
    phrases: float | None = None
    """Share of the aligned pairs out of which a phrase is learned too, as a pair of its own."""
    max_words: int | None = None
    """Longest sentence, in words."""
    max_ratio: float | None = None
    """How many times longer one side of a pair may be than the other."""


@Parameter(name="*", group=VOCABULARY)
@dataclass(frozen=True, kw_only=True)
class VocabularyOptions(Options):
    """What tokens are."""

    level: Literal["bpe", "unigram", "words", "characters"] | None = None
    """Kind of tokens."""
    size: Annotated[int | None, Parameter(name="--vocabulary")] = None
    """Number of tokens at most."""
    sharing: Literal["joint", "separate"] | None = None
    """One vocabulary for both languages, or one each."""


@Parameter(name="*", group=TRAINING)
@dataclass(frozen=True, kw_only=True)
class TrainingOptions(Options):
    """How to train."""

    batch_tokens: int | None = None
    """Padded tokens of a batch, of every process; longer pairs are left out, and counted."""
    accumulate: int | None = None
    """Batches per update."""
    rate: float | None = None
    """Highest learning rate."""
    word_rate: float | None = None
    """How many times faster embeddings and output layer learn."""
    warmup: int | None = None
    """Updates until the rate is at its highest; if not given, a tenth of those that the budget
    allows, at most 1000, and 100 for a model that goes on --from another."""
    schedule: Literal["constant", "inverse_square_root", "linear", "cosine"] | None = None
    """How the rate goes on from there; the last two come down to 0 at --steps."""
    clip: float | None = None
    """Longest gradient."""
    weight_decay: float | None = None
    """Decoupled, of matrices."""
    label_smoothing: float | None = None
    """Share of the target's probability that goes to all tokens alike."""
    guided: float | None = None
    """Weight of the loss that makes attention look where gold alignments say."""
    entropy: float | None = None
    """Weight of the entropy term of hard attention."""
    average: float | None = None
    """Decay of the average of the weights; 0 for none."""
    precision: Literal["float32", "bfloat16", "float16"] | None = None
    """Of matrix products."""
    spread: Literal["replicated", "sharded"] | None = None
    """Under torchrun: a whole model in every process, or a part of it."""
    validate_every: int | None = None
    """Updates between validations; if not given, as many as make ten, at most 1000."""
    save_every: int | None = None
    """Updates between checkpoints."""
    measure: Literal["loss", "bleu", "chrf", "exact"] | None = None
    """What the best weights are chosen by."""
    seed: int | None = None
    """Of weights, order and all that is dropped or drawn."""


@Parameter(name="*", group=BUDGET)
@dataclass(frozen=True, kw_only=True)
class BudgetOptions(Options):
    """When a run ends."""

    minutes: float | None = None
    """After so many minutes of training, those before it was resumed included."""
    steps: int | None = None
    """After so many updates."""
    patience: int | None = None
    """After so many validations in a row without a new best."""
    goal: float | None = None
    """When the measure is this good."""
