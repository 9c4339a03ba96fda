"""Settings as values: frozen, checked, and nothing unknown."""

from collections.abc import Sequence
from difflib import get_close_matches

from pydantic import BaseModel, ConfigDict, ValidationError


class Config(BaseModel):
    """Settings that never change once made; an unknown one is refused.

    Each field's docstring is its help text.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_default=True, use_attribute_docstrings=True
    )


def problems(error: ValidationError, fields: Sequence[str] = ()) -> str:
    """All that is wrong with some settings, in one line.

    Args:
        error: from pydantic.
        fields: names there are, for a hint where there is no such name.
    """
    return "; ".join(
        _problem(part["loc"], part["type"], part["msg"], fields)
        for part in error.errors(include_url=False, include_context=False)
    )


def _problem(place: tuple[int | str, ...], kind: str, message: str, fields: Sequence[str]) -> str:
    where = ".".join(map(str, place))
    if kind != "extra_forbidden":
        said = message.removeprefix("Value error, ")
        return f"{where}: {said}" if where else said
    near = get_close_matches(where, fields, n=1, cutoff=0.5) if len(place) == 1 else []
    hint = f", did you mean {near[0]!r}?" if near else ""
    return f"unknown field {where!r}{hint}"
