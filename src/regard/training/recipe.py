"""Where to start: settings for a model on some data, to be changed by who knows better."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from regard.task_registry import recipe_function, task_class

from .changes import MODEL, Flat, Names, merged, nested
from .settings import Budget, Settings

if TYPE_CHECKING:
    from regard.models.config import ModelConfig


class Recipe(NamedTuple):
    """How to train a model on some data."""

    settings: Settings
    changes: Mapping[str, Any]
    """Fields of the model's config which are better different on this data."""

    def changed(self, changes: Mapping[str, Any] | None = None, /, **more: Any) -> "Recipe":
        """The same with some settings changed; paths that begin with ``model.`` change the model.

        >>> recipe("bahdanau-small", GrammarData()).changed({"model.hidden_dim": 64}, rate=1e-3)

        Raises:
            ChoiceError: an unknown name, or values that do not fit; all of them at once.
        """
        names = Names(type(self.settings.task))
        return self.merged(names.said({**(changes or {}), **more}), names)

    def merged(self, said: Flat, names: Names) -> "Recipe":
        """The same with changes by their paths."""
        own = {path: value for path, value in said.items() if path.startswith(f"{MODEL}.")}
        rest = {path: value for path, value in said.items() if path not in own}
        fields = {path.removeprefix(f"{MODEL}."): value for path, value in own.items()}
        return Recipe(merged(self.settings, rest, names), {**self.changes, **fields})


def recipe_for(model: "str | ModelConfig", said: Flat, names: Names, kind: str) -> Recipe:
    """The recipe of a task for a model, with all that was said.

    Args:
        model: a preset's name, or the config of a model that is trained already.
        said: by :meth:`Names.said`: what of it is about data and budget decides the rest, too.
        names: of the task's settings.
        kind: of the task.

    Raises:
        ChoiceError: no such preset, or values that do not fit.
    """
    told = nested({path: value for path, value in said.items() if path.partition(".")[0] != MODEL})
    settings = {**told.get("task", {}), "kind": kind}
    task = names.checked(lambda: task_class(kind).model_validate(settings), "task")
    budget = names.checked(lambda: Budget.model_validate(told.get("budget", {})), "budget")
    return recipe_function(kind)(model, task, budget).merged(said, names)
