"""One update of the parameters, from one or more batches: optimiser, rate, clipping, precision.

Weights averaged over the steps of a run are better than those of any single step.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.optim import SGD, AdamW

from regard.errors import ChoiceError, DivergedError, RangeError
from regard.kernels.reduced_precision import bfloat16_products, multiplies_bfloat16
from regard.types import Tensor

from .objective import Batch, Loss
from .processes import Processes
from .settings import OptimisationConfig


class Averaged:
    r"""The exponential moving average of a module's parameters.

    .. math:: \bar\theta_t = d_t \bar\theta_{t-1} + (1 - d_t) \theta_t, \quad
              d_t = \min\!\left(d, \tfrac{1 + t}{10 + t}\right)

    The decay grows in the first steps, so that where the run began is soon forgotten.

    Args:
        module: whose parameters; they are averaged in place, name by name.
        decay: d, how much of the average stays in each step; 0 does without an average.
    """

    def __init__(self, module: nn.Module, decay: float) -> None:
        if not 0 <= decay < 1:
            raise RangeError(f"an average needs a decay from 0 to below 1, got {decay}")
        self.decay = decay
        self._parameters = dict(module.named_parameters())
        first = {parameter: name for name, parameter in self._parameters.items()}
        self._names = {
            name: first[parameter]
            for name, parameter in module.named_parameters(remove_duplicate=False)
        }
        self._averages = {
            name: parameter.detach().clone()
            for name, parameter in self._parameters.items()
            if decay
        }

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Take the parameters after ``step`` updates into the average."""
        if not self.decay:
            return
        decay = min(self.decay, (1 + step) / (10 + step))
        averages = list(self._averages.values())
        current: list[Tensor] = [self._parameters[name] for name in self._averages]
        torch._foreach_lerp_(averages, current, 1 - decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The averages are the module's parameters, until the end of the block."""
        if not self.decay:
            yield
            return
        self._exchange()
        try:
            yield
        finally:
            self._exchange()

    @torch.no_grad()
    def _exchange(self) -> None:
        for name, parameter in self._parameters.items():
            average = self._averages[name]
            kept = parameter.detach().clone()
            parameter.copy_(average)
            average.copy_(kept)

    def state_dict(self) -> dict[str, Tensor]:
        """The averages by the names of the parameters, tied ones under each of theirs."""
        return {name: self._averages[first] for name, first in self._names.items() if self.decay}

    @torch.no_grad()
    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Go on with these averages."""
        for name, average in self._averages.items():
            average.copy_(state[name])


def adam(module: nn.Module, config: OptimisationConfig) -> AdamW:
    """The optimiser of all parameters of ``module``."""
    return AdamW(
        groups(module, config),
        lr=config.rate,
        betas=config.betas,
        eps=config.epsilon,
        fused=True,
    )


def descent(module: nn.Module, config: OptimisationConfig) -> SGD:
    """Stochastic gradient descent with Nesterov's momentum (Sutskever et al. 2013, section 2)."""
    return SGD(
        groups(module, config),
        lr=config.rate,
        momentum=config.momentum,
        nesterov=config.momentum > 0,
        fused=True,
    )


OPTIMISERS: dict[str, Callable[[nn.Module, OptimisationConfig], torch.optim.Optimizer]] = {
    "adamw": adam,
    "sgd": descent,
}


def groups(module: nn.Module, config: OptimisationConfig) -> list[dict[str, Any]]:
    """The parameters of ``module``, those together that learn alike."""
    parameters = [parameter for parameter in module.parameters() if parameter.requires_grad]
    times = dict.fromkeys(parameters, 1.0)
    for group, members in rate_groups(module).items():
        times |= dict.fromkeys(members, config.rate_factors.get(group, 1.0))
    found = [
        {
            "params": [
                parameter
                for parameter in parameters
                if times[parameter] == factor and (parameter.ndim > 1) == matrix
            ],
            "weight_decay": config.weight_decay if matrix else 0.0,
            "times": factor,
        }
        for factor in (1.0, *sorted({*times.values()} - {1.0}))
        for matrix in (True, False)
    ]
    return [group for group in found if group["params"]]


def set_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """The rate of the next update; some parameters may have a multiple of it."""
    for group in optimiser.param_groups:
        group["lr"] = rate * group.get("times", 1.0)


EMBEDDINGS = "embeddings"
"""The group of what has a row for each token."""


def rate_groups(module: nn.Module) -> dict[str, set[nn.Parameter]]:
    """Parameters that may have a learning rate of their own, by the names their modules give."""
    found: dict[str, set[nn.Parameter]] = {}
    for part in module.modules():
        ask: Callable[[], dict[str, list[nn.Parameter]]] = getattr(part, "rate_groups", dict)
        named = {EMBEDDINGS: list(part.parameters())} if isinstance(part, nn.Embedding) else ask()
        for group, parameters in named.items():
            found.setdefault(group, set()).update(parameters)
    return dict(sorted(found.items(), reverse=True))  # embeddings last: they win a shared matrix


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
        self.optimiser = OPTIMISERS[config.method](processes.own, config)
        self._reduced = config.precision == "bfloat16" and multiplies_bfloat16(processes.device)
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
            with self._products(), self._autocast(), torch.no_grad():
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
        with self._products():
            losses = [self._backward(one, targets, last=one is batches[-1]) for one in batches]
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
        with nullcontext() if last else processes.no_gradient_sync():
            with self._autocast():
                loss: Loss = processes.objective(batch)
            # Processes take the mean of their gradients; of sums, it is too small by their number.
            share = loss.total * (processes.count / targets)
            self._scaler.scale(share).backward()
        return Loss(loss.total.detach(), loss.parts)

    def _products(self) -> AbstractContextManager[None]:
        """What passes run in, forward and backward."""
        return bfloat16_products() if self._reduced else nullcontext()

    def _autocast(self) -> AbstractContextManager[Any]:
        """What forward passes run in."""
        precision = self.config.precision
        if self._reduced or precision == "float32":
            return nullcontext()
        return torch.autocast(self.processes.device.type, getattr(torch, precision))


def _diverged(step: int, batches: Sequence[Batch], *, loss: float, norm: float) -> DivergedError:
    numbers = [number for batch in batches for number in batch.indices.tolist()]
    shown = ", ".join(map(str, numbers[:8])) + (", …" if len(numbers) > 8 else "")
    what = f"its gradient has length {norm}" if math.isfinite(loss) else f"it is {loss}"
    return DivergedError(
        f"step {step} needs a finite loss, but {what} on the batch of examples {shown}; the update "
        "was not made: go on from the last checkpoint in a new run, with --init-from and a lower "
        "--rate or --clip"
    )
