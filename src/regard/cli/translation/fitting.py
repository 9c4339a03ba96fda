"""Configs made from words of the command line."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from ...config import Config, problems
from ...errors import ChoiceError

Made = TypeVar("Made", bound=Config)

NAMES = {
    "size": "--beam",
    "n": "--n-best",
    "sentences": "--batch",
}
"""Options whose fields are called something else."""


def fitted(config: type[Made], **fields: Any) -> Made:
    """The config of these fields.

    Raises:
        ChoiceError: values that do not fit, all of them at once.
    """
    try:
        return config(**fields)
    except ValidationError as error:
        raise ChoiceError(unfit(error, NAMES)) from None


def unfit(error: ValidationError, names: Mapping[str, str]) -> str:
    """What is wrong with some options, in one line.

    Args:
        error: from pydantic.
        names: of options whose fields are called something else.
    """

    def option(place: tuple[int | str, ...]) -> str:
        if not place:
            return ""
        field = next(part for part in reversed(place) if isinstance(part, str))
        return names.get(field, f"--{field.replace('_', '-')}")

    return problems(error, named=option)
