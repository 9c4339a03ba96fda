"""How word vectors are best trained: settings to start from."""

from regard.data.batches import BatchConfig
from regard.data.running import GrammarText
from regard.models.config import ModelConfig
from regard.training.schedules import Linear
from regard.training.settings import Budget, OptimisationConfig, Recipe, Settings

from .task import WordVectorsTask

GRAMMAR_STEPS, FILE_STEPS = 600, 5000


def recipe(model: str | ModelConfig, task: WordVectorsTask, budget: Budget | None = None) -> Recipe:
    """Adam, linearly down to zero at the last step.

    Args:
        model: a preset's name, or the config of a model that is trained already.
        task: what is learned.
        budget: when it ends.
    """
    usual = GRAMMAR_STEPS if isinstance(task.data, GrammarText) else FILE_STEPS
    chosen = Budget(steps=usual).changed(budget)
    steps = chosen.steps or usual
    often = max(1, steps // 5)
    settings = Settings(
        task=task,
        batch=BatchConfig(max_tokens=2048),
        optimisation=OptimisationConfig(
            rate=2e-2, schedule=Linear(steps=steps, warmup=min(100, steps // 10)), clip=100.0
        ),
        budget=chosen,
        validate_every=often,
        save_every=often,
    )
    return Recipe(settings, {})


RECIPE = recipe
