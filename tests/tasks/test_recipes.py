"""What all recipes promise."""

import pytest

from regard.task_registry import recipe_function, task_class
from regard.training import Budget

MODELS = {
    "translation": "bahdanau-small",
    "fill-mask": "bert-tiny",
    "word-vectors": "word-vectors",
    "tagging": "bilstm-tagger",
    "text-classification": "lstm-classifier",
    "text-generation": "gpt-tiny",
    "question-answering": "story-reader",
    "visual-question-answering": "stacked-attention",
    "captioning": "soft-captioner",
    "autoencoding": "autoencoder",
    "image-classification": "cnn",
    "object-detection": "detector-small",
    "segmentation": "unet-small",
}


@pytest.mark.parametrize("kind", MODELS)
def test_a_run_may_be_planned_for_a_single_step(kind):
    settings, _ = recipe_function(kind)(MODELS[kind], task_class(kind)(), Budget(steps=1))
    assert settings.budget.steps == 1
    assert settings.validate_every == settings.save_every == 1
