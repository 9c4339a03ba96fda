"""How far a run is."""

from dataclasses import asdict, dataclass
from typing import Any

from .task import Measure, Validation


@dataclass
class Progress:
    """Counters that a resumed run goes on with."""

    step: int = 0
    """Updates made."""
    targets: int = 0
    """Predictions learned from, such as target tokens."""
    seconds: float = 0.0
    """Time taken, all stretches of the run together."""
    best: float | None = None
    """The highest gain so far, see :meth:`Measure.gain`."""
    best_step: int | None = None
    """When that was."""
    stale: int = 0
    """Validations since."""
    validated: int | None = None
    """When the last of them was."""

    def take(self, validation: Validation, measure: Measure) -> bool:
        """Note a validation; whether it is the best so far."""
        found = measure.gain(validation.scores[measure.name])
        better = self.best is None or found > self.best
        self.validated = self.step
        if better:
            self.best, self.best_step, self.stale = found, self.step, 0
        else:
            self.stale += 1
        return better

    def has_reached(self, goal: float, measure: Measure) -> bool:
        """Whether the best validation is at least as good as a value of the measure."""
        return self.best is not None and self.best >= measure.gain(goal)

    def state_dict(self) -> dict[str, Any]:
        """The counters."""
        return asdict(self)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from there.

        Raises:
            ValueError: it is no state of counters.
        """
        state = {("targets" if name == "tokens" else name): state[name] for name in state}
        if state.keys() != asdict(self).keys():
            raise ValueError(f"progress needs {', '.join(asdict(self))}, got {', '.join(state)}")
        for name, value in state.items():
            if not isinstance(value, int | float | None):
                raise ValueError(f"progress needs a number as {name}, got {value!r}")
            setattr(self, name, value)
