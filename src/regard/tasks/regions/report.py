"""What was measured of models of regions, beside each other."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from regard.measures import Interval, Score

from ..reporting import one_or_several
from .attended import Attended

if TYPE_CHECKING:
    from rich.console import RenderableType


class System(NamedTuple):
    """What was found of one model."""

    name: str
    measures: Mapping[str, Score]
    """By name, the most important first."""
    classes: Mapping[str, Mapping[str, float]]
    """Of each label its measures, in percent."""
    attended: tuple[Attended, ...]
    """How well each gate knows where something is."""
    pictures: int
    seconds: float


class Versus(NamedTuple):
    """A system beside the first one."""

    first: str
    second: str
    measure: str
    difference: float
    interval: Interval


class Report(NamedTuple):
    """All that was found."""

    task: str
    systems: tuple[System, ...]
    versus: tuple[Versus, ...]

    def to_json(self) -> dict[str, Any]:
        """Of one system all about it, of several a list of them as ``models``."""
        return one_or_several(
            [self._record(one) for one in self.systems],
            versus=[one._asdict() | {"interval": one.interval._asdict()} for one in self.versus],
        )

    def _record(self, one: System) -> dict[str, Any]:
        return {
            "model": one.name,
            "task": self.task,
            "pictures": one.pictures,
            "scores": {name: score.value for name, score in one.measures.items()},
            "intervals": {
                name: None if score.interval is None else score.interval._asdict()
                for name, score in one.measures.items()
            },
            "classes": {label: dict(scores) for label, scores in one.classes.items()},
            "attention": [
                {
                    "module": gate.name,
                    "pointing": gate.pointing.value,
                    "interval": gate.pointing.interval and gate.pointing.interval._asdict(),
                    "at_random": gate.chance,
                    "iou": gate.iou,
                }
                for gate in one.attended
            ],
            "speed": {
                "pictures": one.pictures,
                "seconds": one.seconds,
                "pictures_per_second": one.pictures / max(one.seconds, 1e-9),
            },
        }

    def __rich__(self) -> "RenderableType":
        """Tables, the most important first."""
        from .tables import tables

        return tables(self)
