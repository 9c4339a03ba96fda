"""Names to values, one registry per family, with an answer to misspelling."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Generic, TypeVar

from .errors import ChoiceError

Value = TypeVar("Value")


class Registry(Generic[Value]):
    """The named members of one family.

    Args:
        family: what a member is called in messages, e.g. ``"normaliser"``.
    """

    def __init__(self, family: str) -> None:
        self.family = family
        self._values: dict[str, Value] = {}

    def add(self, name: str, value: Value) -> None:
        """Register ``value``, which must never change, under ``name``."""
        assert name not in self._values, f"{self.family} {name!r} is registered twice"
        self._values[name] = value

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._values))

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __getitem__(self, name: str) -> Value:
        """The value behind ``name``.

        Raises:
            ChoiceError: no such member; the message offers the nearest name and lists all.
        """
        if name not in self._values:
            near = get_close_matches(name.lower(), self._values, n=1, cutoff=0.5)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            known = ", ".join(self)
            raise ChoiceError(f"unknown {self.family} {name!r}.{hint} Known: {known}.")
        return self._values[name]
