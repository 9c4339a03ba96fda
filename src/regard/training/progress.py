"""The counters of a run: steps, time, the best validation so far."""

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
    best_loss: float | None = None
    """The loss of the best one, where a task tells it."""

    def take(self, validation: Validation, measure: Measure) -> bool:
        """Note a validation; whether it is the best so far.

        Of those that are equally good the one with the lowest loss is: of few examples all may be
        right long before a model is sure of them. Patience does not wait for that.
        """
        found, loss = measure.gain(validation.scores[measure.name]), validation.scores.get("loss")
        better = self.best is None or found > self.best
        surer = found == self.best and _below(loss, self.best_loss)
        self.validated = self.step
        self.stale = 0 if better else self.stale + 1
        if better or surer:
            self.best, self.best_step, self.best_loss = found, self.step, loss
        return better or surer

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
        state = {"best_loss": None} | state  # those of earlier versions have none
        if state.keys() != asdict(self).keys():
            raise ValueError(f"progress needs {', '.join(asdict(self))}, got {', '.join(state)}")
        for name, value in state.items():
            if not isinstance(value, int | float | None):
                raise ValueError(f"progress needs a number as {name}, got {value!r}")
            setattr(self, name, value)


def _below(loss: float | None, other: float | None) -> bool:
    return loss is not None and other is not None and loss < other
