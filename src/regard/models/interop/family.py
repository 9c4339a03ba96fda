"""What a family of models says, and the two ways between it and ours."""

import re
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from pydantic import ValidationError

from regard.config import problems
from regard.errors import ChoiceError, RegardError
from regard.registry import Registry
from regard.types import Tensor

from ..config import ModelConfig
from ..outline import outline
from .rules import Rules, Weights, read, write
from .settings import Settings


@runtime_checkable
class Family(Protocol):
    """Models of one architecture, as ``transformers`` stores them."""

    buffers: ClassVar[tuple[str, ...]] = ()
    """How names end whose numbers follow from the config."""
    spare: ClassVar[tuple[str, ...]] = ()
    """How names begin that belong to a task of its training, and may be left out."""

    def stripped(self, name: str) -> str:
        """A name without what only some files put before it."""
        return name

    def written(self, name: str, config: Any) -> str:
        """The same name as their newest version writes it."""
        return name

    def prepared(self, theirs: Weights) -> Weights:
        """Their tensors, where some are more than one of ours, or less."""
        return theirs

    def finished(self, theirs: Weights) -> Weights:
        """The same the other way round."""
        return theirs

    @abstractmethod
    def config(self, settings: Settings, theirs: Mapping[str, Tensor]) -> ModelConfig:
        """What ours is built from.

        Args:
            settings: the fields of their config.
            theirs: the tensors, by names that are stripped.
        """

    @abstractmethod
    def settings(self, config: Any) -> dict[str, Any]:
        """The fields of their config.

        Raises:
            ChoiceError: the family has no such model.
        """

    @abstractmethod
    def rules(self, config: Any) -> Rules:
        """Which tensor is which; theirs by names that are stripped."""


TIMES = 4
"""Tensors of ours for each of theirs, at most: some hold queries, keys and values in one."""
PLAIN = {"query_key_norm": False, "head_bias": None}
"""What most families have no word for."""

families: Registry[Family] = Registry("family of models")
"""By ``model_type``."""


class Imported(NamedTuple):
    """A model of theirs as ours."""

    config: ModelConfig
    weights: Weights
    left_out: tuple[str, ...]
    """Names of theirs that belonged to a task of the training, and are nowhere now."""


class Exported(NamedTuple):
    """A model of ours as theirs."""

    settings: dict[str, Any]
    """For ``config.json``."""
    weights: Weights


def imported(settings: Mapping[str, Any], weights: Mapping[str, Tensor]) -> Imported:
    """A model of ours that computes what one of theirs does.

    >>> found = imported(model.config.to_dict(), model.state_dict())
    >>> ours = build(found.config)
    >>> ours.load_state_dict(found.weights)

    Args:
        settings: the fields of ``config.json``.
        weights: the state dict, by their names.

    Raises:
        ChoiceError: no such family, fields that are not understood, names that are missing or
            left over.
        ShapeError: tensors of other shapes than the config says.
    """
    kind = settings.get("model_type")
    if not isinstance(kind, str):
        raise ChoiceError(f"config.json needs a model_type, one of {', '.join(families)}")
    family = families[kind]
    theirs = {family.stripped(name): value for name, value in weights.items()}
    left_out = tuple(sorted(name for name in theirs if name.startswith(family.spare)))
    used = {
        name: value
        for name, value in theirs.items()
        if name not in left_out and not name.endswith(family.buffers)
    }
    asked = Settings(settings)
    config = _config(family, asked, used)
    asked.done()
    shapes = shapes_of(config, tensors=TIMES * len(used))  # first: it knows when there are too many
    return Imported(config, read(family.rules(config), family.prepared(used), shapes), left_out)


def _config(family: Family, asked: Settings, theirs: Mapping[str, Tensor]) -> ModelConfig:
    """What ours is built from, whatever their fields hold."""
    try:
        return family.config(asked, theirs)
    except RegardError:
        raise
    except ValidationError as error:
        raise ChoiceError(f"config.json does not fit: {problems(error)}") from None
    except (TypeError, ValueError, KeyError, AttributeError, ArithmeticError) as error:
        raise ChoiceError(f"config.json does not fit: {error!r:.100}") from None


def exported(config: ModelConfig, weights: Mapping[str, Tensor], kind: str) -> Exported:
    """One of theirs that computes what a model of ours does.

    Args:
        config: what ours is built from.
        weights: its ``state_dict()``.
        kind: the family, as ``model_type``.

    Raises:
        ChoiceError: no such family, or it has no such model.
    """
    family = families[kind]
    settings = {"model_type": kind, **family.settings(config)}
    dtype = str(next(iter(weights.values())).dtype).removeprefix("torch.")
    theirs = family.finished(write(family.rules(config), weights))
    named = {family.written(name, config): value for name, value in theirs.items()}
    return Exported({**settings, "dtype": dtype}, named)


def shapes_of(config: ModelConfig, *, tensors: int) -> dict[str, tuple[int, ...]]:
    """Names and shapes of all tensors of a model, none of which is made.

    Args:
        config: what it is built from.
        tensors: how many it may have.

    Raises:
        ChoiceError: it has far more.
    """
    model = outline(config, tensors=tensors)
    return {name: tuple(value.shape) for name, value in model.state_dict().items()}


def without(prefix: str, name: str) -> str:
    """A name without a prefix, and norms by their newer names."""
    name = re.sub(r"LayerNorm\.gamma$", "LayerNorm.weight", name)
    name = re.sub(r"LayerNorm\.beta$", "LayerNorm.bias", name)
    return name.removeprefix(prefix)


def require(config: Any, fields: Mapping[str, Any]) -> None:
    """Raise unless a config has these values, which are all that a family knows.

    Raises:
        ChoiceError: another value.
    """
    for name, wanted in fields.items():
        found = getattr(config, name)
        if found != wanted:
            raise ChoiceError(
                f"models of this family have {name} {wanted!r}, and this one has {found!r}"
            )
