"""What the user asked for, for every topic."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from regard.errors import ChoiceError, RangeError
from regard.registry import Registry

Value = TypeVar("Value")
Tell = Callable[[str], None]
"""Called with a line about each piece of work before it starts."""

UNTRAINED_LENGTH = 32
"""Tokens of every answer of a model that does not know where to end."""

COMMON = ("topic", "quick", "only", "threads")
TAKEN = {
    "kernels": ("repeats",),
    "modules": ("repeats",),
    "training": ("data", "repeats", "environments", "max_tokens"),
    "decoding": ("data", "model", "repeats", "environments", "length"),
    "mechanisms": ("data", "test", "minutes", "out"),
}
"""Which settings a topic has besides those that all have."""

WORDS = {
    "data": "text to train on",
    "test": "text to measure on",
    "model": "a run to translate with",
    "minutes": "a time to train",
    "repeats": "a number of rounds",
}
"""Options that are refused where they mean nothing."""


@dataclass(frozen=True)
class Settings:
    """What to measure, how long, and with what.

    Args:
        topic: what is measured.
        quick: fewer sizes, fewer and shorter rounds, small models.
        only: names of suites, architectures, ways or mechanisms; empty for all.
        repeats: rounds; None lets the topic decide.
        threads: of everybody.
        data: files of pairs; none for the grammar.
        test: files of pairs to measure on.
        model: the folder of a run that decodes; None for random weights.
        minutes: of training, for each mechanism; None for the task's own.
        environments: where the environments of the peers are.
        max_tokens: the budget of a batch in training.
        length: tokens of every answer; None: as the model likes, or 32 of random weights.
        out: folder of the runs of mechanisms.
    """

    topic: str = "kernels"
    quick: bool = False
    only: tuple[str, ...] = ()
    repeats: int | None = None
    threads: int = 2
    data: tuple[Path, ...] = ()
    test: tuple[Path, ...] = ()
    model: Path | None = None
    minutes: float | None = None
    environments: Path = Path(".bench-nmt")
    max_tokens: int = 4096
    length: int | None = None
    out: Path = Path("bench-results")

    @property
    def forced(self) -> int | None:
        """Tokens of every answer; ``None``: a model that was trained knows where to end."""
        return UNTRAINED_LENGTH if self.length is None and self.model is None else self.length

    def check(self) -> None:
        """See that every option means something here, and that there is something to do.

        Raises:
            ChoiceError: an option of another topic.
            RangeError: fewer than one thread, repeat or token, or no time.
        """
        for name, meaning in WORDS.items():
            if name not in TAKEN[self.topic] and getattr(self, name) not in (None, ()):
                told = f"--{name} is {meaning}, and {self.topic} need none; leave it out"
                raise ChoiceError(told)
        counts = {"thread": self.threads, "repeat": self.repeats, "token": self.length}
        for what, number in counts.items():
            if number is not None and number < 1:
                raise RangeError(f"bench needs at least 1 {what}, got {number}")
        if self.minutes is not None and self.minutes <= 0:
            raise RangeError(f"bench needs more than 0 minutes, got {self.minutes:g}")

    def choose(self, kind: str, known: Mapping[str, Value]) -> tuple[Value, ...]:
        """What ``only`` names, or everything, in the usual order.

        Args:
            kind: what they are, for the message.
            known: all there are.

        Raises:
            ChoiceError: there is none of such a name.
        """
        self.check()
        registry: Registry[Value] = Registry(kind)
        for name, value in known.items():
            registry.add(name, value)
        wanted = [registry[name] for name in self.only]
        return tuple(value for value in known.values() if not wanted or value in wanted)

    def to_json(self) -> dict[str, Any]:
        """What the topic has of them; files without their folders."""
        taken = {*COMMON, *TAKEN[self.topic]} - {"out"}
        names = [field.name for field in fields(self) if field.name in taken]
        return {name: _plain(getattr(self, name)) for name in names}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value.name if isinstance(value, Path) else value
