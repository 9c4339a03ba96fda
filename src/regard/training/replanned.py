"""A run that goes on with another budget than it began with."""

from typing import TypeVar

from regard.errors import ChoiceError

from .config import Budget, RunConfig
from .schedules import Planned

Ending = TypeVar("Ending", bound=Planned)
"""A schedule that ends."""


def replanned(config: RunConfig, budget: Budget | None, *, step: int) -> RunConfig:
    """The settings to go on with: what is said of the budget is another, the rest stays.

    A schedule that comes down to its end with the budget comes down with the new one, as if it had
    been planned so from the beginning. One that has come to its end cannot be undone.

    Args:
        config: of the run so far.
        budget: what is to be different.
        step: how far the run is.

    Raises:
        ChoiceError: more steps are asked for, and the rate is zero by now.
    """
    chosen = config.budget.changed(budget)
    schedule = config.optimisation.schedule
    if isinstance(schedule, Planned) and chosen.steps is not None:
        if schedule(step) == 0 and step >= schedule.steps and chosen.steps > step:
            raise ChoiceError(
                f"this run has come to the end of its schedule: after step {schedule.steps} its "
                "rate is zero, and more steps would change nothing; go on from its weights in a "
                "new run, with --init-from"
            )
        planned = schedule.steps == config.budget.steps  # it ends with the budget
        if planned or chosen.steps > schedule.steps:
            schedule = _until(schedule, chosen.steps)
    optimisation = config.optimisation.model_copy(update={"schedule": schedule})
    return config.model_copy(update={"budget": chosen, "optimisation": optimisation})


def _until(schedule: Ending, steps: int) -> Ending:
    warmup = min(schedule.warmup, steps - 1)
    return schedule.model_copy(update={"steps": steps, "warmup": warmup})
