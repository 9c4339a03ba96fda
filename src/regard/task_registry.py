"""Tasks by name: the package in which each lives. One line makes a task known to the whole house.

A task's package has ``task.py`` with its :class:`regard.training.Task` as ``TASK``, and
``predictor.py`` with ``PREDICTOR``, what uses a trained model: a class that is called with a model
and a codec, whose ``codec_from(files, folder)`` reads the codec; ``recipe.py`` with ``RECIPE``,
which is called with a model, a task and a :class:`regard.training.Budget` and returns the settings
to start from; ``evaluation`` with ``EVALUATION``, the config of a test
(:class:`regard.tasks.evaluation.EvaluationConfig`), whose report has ``to_json()``, in which
``scores`` maps measures to numbers, shares in percent, and can be printed by rich. Nothing is
imported before it is asked for, and using a model asks for ``predictor.py`` alone.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from .registry import Registry

TASKS: Registry[str] = Registry("task")
TASKS.add("translation", "regard.tasks.translation")
TASKS.add("fill-mask", "regard.tasks.fill_mask")
TASKS.add("word-vectors", "regard.tasks.word_vectors")
TASKS.add("tagging", "regard.tasks.tagging")
TASKS.add("text-classification", "regard.tasks.text_classification")
TASKS.add("text-generation", "regard.tasks.text_generation")
TASKS.add("captioning", "regard.tasks.captioning")
TASKS.add("visual-question-answering", "regard.tasks.visual_question_answering")
TASKS.add("image-classification", "regard.tasks.image_classification")
TASKS.add("question-answering", "regard.tasks.question_answering")
TASKS.add("object-detection", "regard.tasks.object_detection")
TASKS.add("segmentation", "regard.tasks.segmentation")
TASKS.add("autoencoding", "regard.tasks.autoencoding")

USUAL = "translation"
"""The task that is meant where none is named."""


def task_class(kind: str) -> Any:
    """The :class:`regard.training.Task` of this name.

    Raises:
        ChoiceError: there is none.
    """
    return import_module(f"{TASKS[kind]}.task").TASK


def predictor_class(kind: str) -> Any:
    """The :class:`regard.training.task.Predictor` of this name.

    Raises:
        ChoiceError: there is none.
    """
    return import_module(f"{TASKS[kind]}.predictor").PREDICTOR


def recipe_function(kind: str) -> Any:
    """What makes the :class:`regard.training.Recipe` of a model, a task and a budget.

    Raises:
        ChoiceError: there is none.
    """
    return import_module(f"{TASKS[kind]}.recipe").RECIPE


def evaluation_class(kind: str) -> Any:
    """The :class:`regard.tasks.evaluation.EvaluationConfig` of this name: what measures models.

    Raises:
        ChoiceError: there is no such task.
    """
    return import_module(f"{TASKS[kind]}.evaluation").EVALUATION


EARLIER_FIELDS = {
    "data": "data",
    "vocabulary": "vocabulary",
    "objective": "loss",
    "link_above": "link_above",
}
"""Settings of translation that lay among all others then, and their names today."""
EARLIER_RATES = {"word_rate": "embeddings", "centre_rate": "window_centres"}
"""Fields of the optimisation then, and the groups of parameters whose rates they multiply."""


def upgraded(settings: Any) -> Any:
    """Stored settings as they are written today: those of translators once named no task."""
    if not isinstance(settings, Mapping) or "task" in settings or "model" not in settings:
        return settings
    task = {now: settings[then] for then, now in EARLIER_FIELDS.items() if then in settings}
    rest = {name: value for name, value in settings.items() if name not in EARLIER_FIELDS}
    if isinstance(rest.get("optimisation"), Mapping):
        rates = dict(rest["optimisation"])
        factors = {group: rates.pop(name, 1.0) for name, group in EARLIER_RATES.items()}
        rest["optimisation"] = rates | {"rate_factors": factors}
    return {"task": {"kind": "translation", **task}, **rest}
