"""From a name or a config to a model."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from regard.config import problems
from regard.errors import ChoiceError

from .config import Seq2SeqConfig
from .registry import kinds, presets
from .seq2seq import Seq2Seq


def build(
    name_or_config: str | Seq2SeqConfig,
    *,
    source_vocab: int | None = None,
    target_vocab: int | None = None,
    **changes: Any,
) -> Seq2Seq:
    """A new model, with parameters drawn from torch's global generator.

    >>> model = build("bahdanau-small", source_vocab=8000, target_vocab=8000, hidden_dim=512)

    Args:
        name_or_config: a preset's name (``list(presets)``), or a config.
        source_vocab: number of source tokens; a config knows it already.
        target_vocab: number of target tokens; likewise.
        changes: fields of the config which are to be different.

    Raises:
        ChoiceError: an unknown name or field, or values that do not fit; all of them at once.
    """
    sizes = {"source_vocab": source_vocab, "target_vocab": target_vocab}
    given = {what: size for what, size in sizes.items() if size is not None}
    if isinstance(name_or_config, str):
        config = preset_config(name_or_config, **given)
        changed = changes
    else:
        config, changed = name_or_config, given | changes
    if changed:
        config = config_from(config.model_dump() | changed)
    return kinds[kind_of(config)].model(config)


def preset_config(name: str, **sizes: int) -> Seq2SeqConfig:
    """The config behind a preset's name.

    Raises:
        ChoiceError: no such preset, or a vocabulary is missing or empty.
    """
    preset = presets[name]
    missing = [what for what in ("source_vocab", "target_vocab") if what not in sizes]
    if missing:
        raise ChoiceError(
            f"the model {name!r} needs to know how many tokens there are: pass "
            f"{' and '.join(f'{what}=...' for what in missing)}"
        )
    try:
        return preset(source_vocab=sizes["source_vocab"], target_vocab=sizes["target_vocab"])
    except ValidationError as error:
        raise ChoiceError(f"the model {name!r} cannot be built: {problems(error)}") from None


def config_from(data: Mapping[str, Any]) -> Seq2SeqConfig:
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


def kind_of(config: Seq2SeqConfig) -> str:
    """The name of a config's kind."""
    kind = getattr(config, "kind", None)
    if not isinstance(kind, str):
        raise ChoiceError(
            f"a config needs a kind, one of {', '.join(kinds)}, and {type(config).__name__} has "
            "none; use the config of a model"
        )
    return kind
