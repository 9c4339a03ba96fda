"""From the words of the command line to settings."""

from typing import Any

from pydantic import ValidationError

from regard.data.pairs import Filters
from regard.tasks.translation.recipe import Recipe, recipe

from ...errors import ChoiceError
from ...models.config import ModelConfig
from ...tasks.translation import FileData, GrammarData
from ...training.config import Budget, Settings
from ...training.schedules import Constant, Cosine, InverseSquareRoot, Linear, Warmed
from ..translation.fitting import unfit
from .options import BudgetOptions, DataOptions, TrainingOptions, VocabularyOptions

OPTIMISATION = ("rate", "clip", "weight_decay", "accumulate", "precision")
LOSS = ("label_smoothing", "guided", "entropy")
RUN = ("average", "validate_every", "save_every", "measure", "seed", "spread")
NAMES = {
    "max_tokens": "--batch-tokens",
    "size": "--vocabulary",
    "max_length": "--max-words",
    "train": "--data",
    "embeddings": "--word-rate",
    "linear": "--warmup",
    "cosine": "--warmup",
}
"""Options whose fields are called something else."""
FILES = ("valid", "columns", "alignments", "valid_alignments", "linked_words", "phrases")


def recipe_from(
    model: str | ModelConfig,
    data: DataOptions,
    vocabulary: VocabularyOptions,
    training: TrainingOptions,
    budget: BudgetOptions,
) -> Recipe:
    """The recipe of a model with all that was said on the command line.

    Raises:
        ChoiceError: values that do not fit, all of them at once.
    """
    try:
        start = recipe(model, data_from(data), Budget(**budget.given()))
        fields = start.settings.model_dump()
        said = training.given()
        fields["task"]["vocabulary"] |= vocabulary.given()
        fields["task"]["loss"] |= some(said, LOSS)
        fields["optimisation"] |= some(said, OPTIMISATION)
        if training.word_rate is not None:
            fields["optimisation"]["rate_factors"]["embeddings"] = training.word_rate
        fields |= some(said, RUN)
        if training.batch_tokens is not None:
            fields["batch"]["max_tokens"] = training.batch_tokens
        if training.seed is not None:
            fields["batch"]["seed"] = training.seed
        fields["optimisation"]["schedule"] = schedule(
            fields["optimisation"]["schedule"], training, budget.steps
        )
        return start._replace(settings=Settings.model_validate(fields))
    except ValidationError as error:
        raise ChoiceError(unfit(error, NAMES)) from None


def budget_from(options: BudgetOptions) -> Budget:
    """The budget that was said."""
    try:
        return Budget(**options.given())
    except ValidationError as error:
        raise ChoiceError(unfit(error, NAMES)) from None


def data_from(options: DataOptions) -> GrammarData | FileData:
    """The data that was named, or else the grammar."""
    given = options.given()
    if not options.data:
        wrong = [name for name in (*FILES, "max_ratio") if name in given]
        if wrong:
            raise ChoiceError(f"--{wrong[0].replace('_', '-')} needs --data, which was not given")
        return GrammarData(**some(given, ("max_words",)))
    filters = Filters(max_length=options.max_words, max_ratio=options.max_ratio)
    named = some(given, FILES)
    return FileData(train=options.data, filters=filters, **named)


def schedule(usual: dict[str, Any], training: TrainingOptions, steps: int | None) -> dict[str, Any]:
    """The schedule that was asked for, or the recipe's for as many steps as were asked for."""
    kinds: dict[str, type[Warmed]] = {
        "constant": Constant,
        "inverse_square_root": InverseSquareRoot,
        "linear": Linear,
        "cosine": Cosine,
    }
    name = training.schedule or usual["kind"]
    known = kinds[name].model_fields
    if "steps" in known and steps is None and "steps" not in usual:
        raise ChoiceError(f"the schedule {name!r} needs to know where it ends: pass --steps")
    fields = {key: value for key, value in usual.items() if key in known} | {"kind": name}
    if steps is not None and "steps" in known:
        fields["steps"] = steps
        fields["warmup"] = min(fields["warmup"], steps // 2)
    if training.warmup is not None:
        fields["warmup"] = training.warmup
    return fields


def some(said: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Those of these names that were said."""
    return {name: said[name] for name in names if name in said}
