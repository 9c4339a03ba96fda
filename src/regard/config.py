"""Settings as values: frozen, checked, and nothing unknown."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


class Config(BaseModel):
    """Settings that never change once made; an unknown one is refused, and so is what is no number.

    Each field's docstring is its help text.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_default=True,
        use_attribute_docstrings=True,
        allow_inf_nan=False,  # JSON has no word for them
    )


NEEDS = {
    "greater_than": "more than {gt:.10g}",
    "greater_than_equal": "at least {ge:.10g}",
    "less_than": "less than {lt:.10g}",
    "less_than_equal": "at most {le:.10g}",
    "finite_number": "a finite number",
}
"""What a value needs to be, by the kind of problem that pydantic has with it."""


def problems(
    error: ValidationError,
    fields: Sequence[str] = (),
    named: Callable[[tuple[int | str, ...]], str] | None = None,
) -> str:
    """All that is wrong with some settings, in one line.

    Args:
        error: from pydantic.
        fields: names there are, for a hint where there is no such name.
        named: what the place of a field is called; its names with dots between if not given.
    """
    return "; ".join(
        _problem(part, fields, named or dotted) for part in error.errors(include_url=False)
    )


def dotted(place: tuple[int | str, ...]) -> str:
    """A place in settings, as it is written in Python."""
    return ".".join(map(str, place))


def _problem(
    part: "ErrorDetails", fields: Sequence[str], named: Callable[[tuple[int | str, ...]], str]
) -> str:
    place, kind = part["loc"], part["type"]
    where = named(place)
    if kind in NEEDS:
        need = NEEDS[kind].format(**part.get("ctx", {}))
        return f"{where} needs {need}, got {part['input']}"
    if kind != "extra_forbidden":
        said = part["msg"].removeprefix("Value error, ")
        return f"{where}: {said}" if where else said
    near = get_close_matches(where, fields, n=1, cutoff=0.5) if len(place) == 1 else []
    hint = f", did you mean {near[0]!r}?" if near else ""
    return f"unknown field {where!r}{hint}"
