"""From a name or a config to a model."""

from collections.abc import Mapping
from inspect import Parameter, signature
from typing import Any, overload

from pydantic import ValidationError
from torch import nn

from regard.config import problems
from regard.errors import ChoiceError

from .config import ModelConfig, Seq2SeqConfig
from .copying import Copying
from .registry import kinds, presets
from .seq2seq import Seq2Seq


@overload
def build(name_or_config: Seq2SeqConfig, **changes: Any) -> Seq2Seq: ...


@overload
def build(name_or_config: str | ModelConfig, **changes: Any) -> nn.Module: ...


def build(name_or_config: str | ModelConfig, **changes: Any) -> nn.Module:
    """A new model, with parameters drawn from torch's global generator.

    >>> model = build("bahdanau-small", source_vocab=8000, target_vocab=8000, hidden_dim=512)

    Args:
        name_or_config: a preset's name (``list(presets)``), or a config.
        changes: the sizes that a preset asks for, and fields of the config which are to be
            different.

    Raises:
        ChoiceError: an unknown name or field, or values that do not fit; all of them at once.
    """
    if isinstance(name_or_config, str):
        asked = preset_sizes(name_or_config)
        config = preset_config(
            name_or_config, **{what: size for what, size in changes.items() if what in asked}
        )
        changes = {what: value for what, value in changes.items() if what not in asked}
    else:
        config = name_or_config
    if changes:
        config = config_from(config.model_dump() | changes)
    made = kinds[kind_of(config)].model(config)
    if isinstance(config, Seq2SeqConfig) and config.copying is not None:
        assert isinstance(made, Seq2Seq)
        return Copying(made)
    return made


def preset_config(name: str, **sizes: Any) -> ModelConfig:
    """The config behind a preset's name.

    Args:
        name: the preset's.
        sizes: those it asks for, e.g. ``source_vocab`` and ``target_vocab``.

    Raises:
        ChoiceError: no such preset, or a size is missing, unknown or does not fit.
    """
    preset = presets[name]
    asked = preset_sizes(name)
    missing = [what for what, needed in asked.items() if needed and what not in sizes]
    if missing:
        counted = all(what.endswith("vocab") for what in missing)
        raise ChoiceError(
            f"the model {name!r} needs to know "
            f"{'how many tokens there are' if counted else 'its sizes'}: pass "
            f"{' and '.join(f'{what}=...' for what in missing)}"
        )
    unknown = [what for what in sizes if what not in asked]
    if unknown:
        raise ChoiceError(
            f"the model {name!r} takes {' and '.join(asked)}, got {' and '.join(unknown)} too"
        )
    try:
        return preset(**sizes)
    except ValidationError as error:
        raise ChoiceError(f"the model {name!r} cannot be built: {problems(error)}") from None


def config_from(data: Mapping[str, Any]) -> ModelConfig:
    """The config that these fields describe, e.g. those of a ``config.json``; ``kind`` says which.

    Raises:
        ChoiceError: an unknown kind or field, or values that do not fit; all of them at once.
    """
    if not isinstance(data.get("kind"), str):
        raise ChoiceError(
            f"a model's config needs a kind, one of {', '.join(kinds)}, got {data.get('kind')!r}"
        )
    kind = kinds[data["kind"]].config
    try:
        return kind.model_validate(dict(data))
    except ValidationError as error:
        fields = list(kind.model_fields)
        raise ChoiceError(
            f"a config of kind {data['kind']!r} does not fit: {problems(error, fields)}"
        ) from None


def kind_of(config: ModelConfig) -> str:
    """The name of a config's kind."""
    if not config.kind:
        raise ChoiceError(
            f"a config needs a kind, one of {', '.join(kinds)}, and {type(config).__name__} has "
            "none; use the config of a model"
        )
    return config.kind


def preset_sizes(name: str) -> dict[str, bool]:
    """The sizes that a preset takes, and whether it cannot do without them."""
    parameters = signature(presets[name]).parameters.values()
    return {each.name: each.default is Parameter.empty for each in parameters}
