"""Settings as they are typed: mistakes in them are told by the options that set them."""

import re
from typing import Any, TypeVar

from pydantic import ValidationError

from .config import Config, problems
from .errors import ChoiceError

Made = TypeVar("Made", bound=Config)

NAMES = {
    "size": "--beam",
    "n": "--n-best",
    "sentences": "--batch",
    "above": "--threshold",
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
        raise ChoiceError(_by_options(problems(error, named=_named), config)) from None


def _named(place: tuple[int | str, ...]) -> str:
    field = next((part for part in reversed(place) if isinstance(part, str)), "")
    return _option(field) if field else ""


def _option(field: str) -> str:
    return NAMES.get(field, f"--{field.replace('_', '-')}")


def _by_options(said: str, config: type[Config]) -> str:
    """A sentence about several fields, with the options in place of them.

    A plain word is only meant as a field where the sentence begins with it.
    """

    def option(word: re.Match[str]) -> str:
        return _option(word[0]) if word[0] in config.model_fields else word[0]

    return re.sub(r"^\w+(?= needs)|\w+_\w+", option, said)
