"""Configs made from words of the command line."""

from typing import Any, TypeVar

from pydantic import ValidationError

from ...config import Config, problems
from ...errors import ChoiceError

Made = TypeVar("Made", bound=Config)


def fitted(config: type[Made], **fields: Any) -> Made:
    """The config of these fields.

    Raises:
        ChoiceError: values that do not fit, all of them at once.
    """
    try:
        return config(**fields)
    except ValidationError as error:
        raise ChoiceError(f"these settings do not fit: {problems(error)}") from None
