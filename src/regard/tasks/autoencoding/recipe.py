"""How autoencoders are best trained: settings to start from."""

from typing import Any

from regard.data.batches import BatchConfig
from regard.data.running import GrammarText
from regard.data.running.codec import VocabularyConfig
from regard.models.config import ModelConfig
from regard.training.settings import Budget, Recipe, half_wave

from .task import AutoencodingTask

WORDS = VocabularyConfig(level="words")
"""Of the grammar, which has few words."""
GRAMMAR_STEPS, FILE_STEPS, PICTURE_STEPS = 2000, 10_000, 2000
VOCABULARY_SENTENCES = 20_000
"""Of the grammar, which then has all of its words."""


def recipe(
    model: str | ModelConfig, task: AutoencodingTask | None = None, budget: Budget | None = None
) -> Recipe:
    """Adam, half a wave down to zero at the last step, and the average of the weights.

    Args:
        model: a preset's name, or the config of a model that is trained already.
        task: what is learned; sentences of our grammar if not given.
        budget: when it ends.
    """
    chosen = task or AutoencodingTask()
    endless = isinstance(chosen.data, GrammarText)
    if endless:
        chosen = _of_words(chosen)
    usual = PICTURE_STEPS if chosen.of_pictures else GRAMMAR_STEPS if endless else FILE_STEPS
    settings = half_wave(
        chosen,
        budget,
        steps=usual,
        rate=2e-3,
        batch=BatchConfig(max_tokens=64 if chosen.of_pictures else 2048),
        validations=10,
        weight_decay=0.0,
        measure="psnr" if chosen.of_pictures else "exact",
    )
    return Recipe(settings, {})


def _of_words(task: AutoencodingTask) -> AutoencodingTask:
    """All words of the grammar, where nothing was said of tokens."""
    update: dict[str, Any] = {}
    if "vocabulary" not in task.model_fields_set:
        update["vocabulary"] = WORDS
    if "vocabulary_sentences" not in task.data.model_fields_set:
        sentences = {"vocabulary_sentences": VOCABULARY_SENTENCES}
        update["data"] = task.data.model_copy(update=sentences)
    return task.model_copy(update=update)


RECIPE = recipe
