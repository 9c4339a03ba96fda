"""One update of the parameters, from one or more batches."""

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import torch

from regard.errors import ChoiceError, DivergedError

from .objective import Batch, Loss
from .optimisation import adam, set_rate
from .processes import Processes
from .settings import OptimisationConfig


class Update(NamedTuple):
    """What one update did, over all processes."""

    loss: float
    """What was minimised, per target."""
    parts: Mapping[str, float]
    """What else the objective tells, per target."""
    gradient_norm: float
    """Length of the gradient before it was clipped."""
    rate: float
    """Learning rate."""
    targets: int
    """Predictions, such as target tokens."""
    made: bool = True
    """Whether parameters changed; in float16 a step with too large a scale is left out."""


class Updater:
    """Makes updates: backward through every batch, then one step of the optimiser.

    Args:
        processes: who takes part, and the objective as they share it.
        config: rate, clipping, accumulation, precision.
    """

    def __init__(self, processes: Processes, config: OptimisationConfig) -> None:
        self.processes = processes
        self.config = config
        self.optimiser = adam(processes.own, config)
        self._scaler = torch.amp.GradScaler(
            processes.device.type, enabled=config.precision == "float16"
        )

    def try_out(self) -> None:
        """Find out whether the model computes in the precision that was asked for.

        Raises:
            ChoiceError: it does not, on this device.
        """
        if self.config.precision == "float32":
            return
        try:
            with self._precision(), torch.no_grad():
                self.processes.objective(self.processes.own.empty_batch().to(self.processes.device))
        except (RuntimeError, NotImplementedError) as error:
            why = str(error).partition("\n")[0]
            raise ChoiceError(
                f"this model cannot compute in {self.config.precision} on "
                f"{self.processes.device} ({why}); choose another precision, as float32"
            ) from None

    def update(self, step: int, batches: Sequence[Batch]) -> Update:
        """Update number ``step``, counted from 1, from these batches together.

        Raises:
            DivergedError: loss or gradient is no number; nothing was changed.
        """
        targets = sum(batch.num_targets for batch in batches)
        losses = [self._backward(batch, targets, last=batch is batches[-1]) for batch in batches]
        sums = [torch.stack([loss.total.detach(), *loss.parts.values()]) for loss in losses]
        means = self.processes.total(torch.stack(sums).sum(dim=0)) / targets
        loss, *others = means.tolist()
        parts = dict(zip(losses[0].parts, others, strict=True))
        self._scaler.unscale_(self.optimiser)
        norm = self.processes.clip(self.config.clip).item()
        overflowed = self._scaler.is_enabled() and not math.isfinite(norm)
        if not math.isfinite(loss) or not (overflowed or math.isfinite(norm)):
            self.optimiser.zero_grad(set_to_none=True)
            raise _diverged(step, batches, loss=loss, norm=norm)
        rate = self.config.rate * self.config.schedule(step)
        set_rate(self.optimiser, rate)
        self._scaler.step(self.optimiser)
        self._scaler.update()
        self.optimiser.zero_grad(set_to_none=True)
        self.processes.own.after_step(parts)
        return Update(loss, parts, norm, rate, targets, made=not overflowed)

    def state_dict(self) -> dict[str, Any]:
        """Everything learned, and all else that the next update depends on but the data."""
        learned = self.processes.state_dict(self.optimiser)
        return {**learned, "scaler": self._scaler.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from there."""
        self.processes.load_state_dict(state, self.optimiser)
        self._scaler.load_state_dict(state["scaler"])

    def _backward(self, batch: Batch, targets: int, *, last: bool) -> Loss:
        """Add the gradient of one batch; gradients of processes meet with the last one."""
        processes = self.processes
        batch = batch.to(processes.device)
        with nullcontext() if last else processes.apart():
            with self._precision():
                loss: Loss = processes.objective(batch)
            # Processes take the mean of their gradients; of sums, it is too small by their number.
            share = loss.total * (processes.count / targets)
            self._scaler.scale(share).backward()
        return Loss(loss.total.detach(), loss.parts)

    def _precision(self) -> AbstractContextManager[Any]:
        if self.config.precision == "float32":
            return nullcontext()
        return torch.autocast(self.processes.device.type, getattr(torch, self.config.precision))


def _diverged(step: int, batches: Sequence[Batch], *, loss: float, norm: float) -> DivergedError:
    numbers = [number for batch in batches for number in batch.indices.tolist()]
    shown = ", ".join(map(str, numbers[:8])) + (", …" if len(numbers) > 8 else "")
    what = f"its gradient has length {norm}" if math.isfinite(loss) else f"it is {loss}"
    return DivergedError(
        f"step {step} needs a finite loss, but {what} on the batch of examples {shown}; the update "
        "was not made: go on from the last checkpoint in a new run, with --init-from and a lower "
        "--rate or --clip"
    )
