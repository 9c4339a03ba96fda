"""Configs made from words of the command line."""

import re
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
        raise ChoiceError(_by_options(unfit(error, NAMES), config)) from None


def unfit(error: ValidationError, names: Mapping[str, str]) -> str:
    """What is wrong with some options, in one line.

    Args:
        error: from pydantic.
        names: of options whose fields are called something else.
    """

    def named(place: tuple[int | str, ...]) -> str:
        if not place:
            return ""
        return _option(next(part for part in reversed(place) if isinstance(part, str)), names)

    return problems(error, named=named)


def _by_options(said: str, config: type[Config]) -> str:
    """A sentence about several fields, with the options in place of them.

    A plain word is only meant as a field where the sentence begins with it.
    """
    fields = config.model_fields

    def option(word: re.Match[str]) -> str:
        return _option(word[0], NAMES) if word[0] in fields else word[0]

    return re.sub(r"^\w+(?= needs)|\w+_\w+", option, said)


def _option(field: str, names: Mapping[str, str]) -> str:
    return names.get(field, f"--{field.replace('_', '-')}")
