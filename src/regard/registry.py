"""Names to values, one registry per family, with an answer to misspelling."""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from difflib import get_close_matches
from typing import Generic, TypeVar

from .errors import ChoiceError
from .notebook import table

Value = TypeVar("Value")


SHOWN = 40
"""Names in a line."""


class Registry(Generic[Value]):
    """The named members of one family.

    Args:
        family: what a member is called in messages, e.g. ``"normaliser"``.
        calls: members that a name alone does not make, each with the call that does, e.g.
            ``{"top_k": "normalisers.TopK(k)"}``: messages offer them.
    """

    classes: "dict[str, type[Value]]"
    """Those that were registered as classes, also those that a name alone does not make."""

    def __init__(self, family: str, calls: Mapping[str, str] | None = None) -> None:
        self.family = family
        self._values: dict[str, Value] = {}
        self._calls = {} if calls is None else dict(calls)
        self.classes = {}

    def add(self, name: str, value: Value) -> None:
        """Register ``value``, which must never change, under ``name``."""
        assert name not in self._values, f"{self.family} {name!r} is registered twice"
        self._values[name] = value

    def forget(self, name: str) -> None:
        """Take back what was added under ``name``: a task or model of a test, when it is over."""
        del self._values[name]

    def add_class(self, kind: type[Value], name: str, home: str) -> None:
        """Register what a class makes without arguments, or else how it is called.

        Args:
            kind: a dataclass, or a class without fields.
            name: of its values.
            home: of the class, for messages, e.g. ``"scores"``.
        """
        own = fields(kind) if is_dataclass(kind) else ()
        needed = [f.name for f in own if f.init and f.default is f.default_factory is MISSING]
        if needed:
            self._calls[name] = f"{home}.{kind.__name__}({', '.join(needed)})"
        else:
            self.add(name, kind())
        self.classes[name] = kind

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._values))

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __repr__(self) -> str:
        names = [*self]
        more = f", … {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        return f"Registry({self.family!r}: {', '.join(names[:SHOWN])}{more})"

    def _repr_html_(self) -> str:
        return table((self.family,), [(name,) for name in self])

    def __getitem__(self, name: str) -> Value:
        """The value behind ``name``.

        Raises:
            ChoiceError: no such member, or one that needs parameters; the message offers the
                nearest name and lists all, or says what to pass.
        """
        if name in self._values:
            return self._values[name]
        if name in self._calls:
            raise ChoiceError(
                f"the {self.family} {name!r} has parameters: pass {self._calls[name]} instead of "
                "the name"
            )
        shown = {known: known for known in self._values}
        shown |= {known: f"{known} (needs {_needed(call)})" for known, call in self._calls.items()}
        near = get_close_matches(name.lower(), shown, n=1, cutoff=0.5)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        listed = ", ".join(shown[known] for known in sorted(shown))
        raise ChoiceError(f"unknown {self.family} {name!r}.{hint} Known: {listed}.")


def _needed(call: str) -> str:
    """What stands in the brackets of a call."""
    return call.partition("(")[2].removesuffix(")")
