"""Scores and normalisers inside a config: by name, by value, or as they stand in a file."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Annotated, Any, TypeVar

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from regard.errors import ChoiceError
from regard.functional import normalisers, scores
from regard.functional.normalisers import Normaliser
from regard.functional.scores import Score
from regard.registry import Registry

Value = TypeVar("Value", Score, Normaliser)
Plain = str | dict[str, Any]
"""What a file holds: a name, or a name with its numbers, ``{"name": "top_k", "k": 8}``."""

LEARNED = ("additive", "concat", "general")
"""Scores whose parameters the attention makes for itself: a name says all."""


def read_score(choice: object) -> Score | str:
    """A score by name or by value, the value also as :func:`plain` writes it."""
    if isinstance(choice, Score):
        return choice
    if isinstance(choice, str) and choice in LEARNED:
        return choice
    return _read(choice, scores.named, {})


def read_normaliser(choice: object) -> Normaliser | str:
    """A normaliser by name or by value, the value also as :func:`plain` writes it."""
    if isinstance(choice, Normaliser):
        return choice
    return _read(choice, normalisers.named, normalisers.named.classes)


def plain(choice: Score | Normaliser | str) -> Plain:
    """A choice as names and numbers.

    Raises:
        ChoiceError: the value holds tensors, which belong into a model's weights.
    """
    if isinstance(choice, str):
        return choice
    held = {what: getattr(choice, what) for what in _parameters(choice)}
    if not all(number is None or isinstance(number, int | float) for number in held.values()):
        raise ChoiceError(
            f"a config needs a score or normaliser made of plain numbers, got {choice!r}; name one "
            f"of {', '.join(LEARNED)} and the model makes its own parameters"
        )
    return {"name": choice.name, **held}


def _read(
    choice: object, known: Registry[Value], numbered: Mapping[str, type[Value]]
) -> Value | str:
    """What a name or a table stands for; a name that needs no numbers stays a name.

    ``numbered`` are classes that may need numbers; all others make a value without any.
    """
    if isinstance(choice, str):
        name, numbers = choice, {}
    elif isinstance(choice, dict) and isinstance(choice.get("name"), str):
        numbers = {key: value for key, value in choice.items() if key != "name"}
        name = choice["name"]
    else:
        raise ChoiceError(
            f"a {known.family} needs a name, a value, or a table with its name and numbers, "
            f"got {type(choice).__name__}"
        )
    kind = numbered.get(name) or type(known[name])
    _check_numbers(known.family, kind, numbers)
    return choice if isinstance(choice, str) else kind(**numbers)


def _check_numbers(family: str, kind: type[Value], numbers: dict[str, Any]) -> None:
    asked = _parameters(kind)
    needed = {what for what, default in asked.items() if default is MISSING}
    if not needed <= set(numbers) <= set(asked):
        raise ChoiceError(
            f"the {family} {kind.name!r} takes {', '.join(asked) or 'no numbers'}, got "
            f"{', '.join(sorted(numbers)) or 'none'}; write them beside its name"
        )


def _parameters(value: Any) -> dict[str, Any]:
    """What a value, or its class, is made of, with the defaults."""
    return {field.name: field.default for field in fields(value)}


_SCHEMA = WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object"}]})

ScoreChoice = Annotated[
    Score | str, PlainValidator(read_score), PlainSerializer(plain, return_type=Plain), _SCHEMA
]
NormaliserChoice = Annotated[
    Normaliser | str,
    PlainValidator(read_normaliser),
    PlainSerializer(plain, return_type=Plain),
    _SCHEMA,
]
