"""How parameters are updated: Adam, its rate, clipping, precision."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.optim import AdamW

from .settings import OptimisationConfig


def adam(module: nn.Module, config: OptimisationConfig) -> AdamW:
    """The optimiser of all parameters of ``module``."""
    return AdamW(
        groups(module, config),
        lr=config.rate,
        betas=config.betas,
        eps=config.epsilon,
        fused=True,
    )


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
