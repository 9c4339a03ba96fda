"""Every module of ``regard.nn.vision`` with something to look at, and its parameters as lists."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from regard.nn import vision


class Answering(nn.Module):
    """Top-down attention as one call, which is how a model uses it."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = vision.TopDownAttention(5, 3, 7)

    def forward(self, regions: Tensor, questions: Tensor, lengths: Tensor) -> Tensor:
        context, _ = self.attention(questions, self.attention.prepare(regions, lengths))
        return context


def randomised(module: nn.Module, seed: int = 0) -> nn.Module:
    """The module in float64 and evaluation, with nothing left at the value it starts from."""
    generator = torch.Generator().manual_seed(seed)
    module = module.double().eval()
    for name, tensor in module.state_dict().items():
        if tensor.is_floating_point():
            drawn = torch.randn(tensor.shape, generator=generator, dtype=tensor.dtype) * 0.5
            # Variances are positive, and a ReLU behind a norm is to let something through.
            positive = name.endswith(("running_var", "norm.bias"))
            tensor.copy_(drawn.abs() + 0.5 if positive else drawn)
    return module


def parameters(module: nn.Module) -> dict[str, Any]:
    """Parameters and buffers as nested lists, by name."""
    return {name: tensor.tolist() for name, tensor in module.state_dict().items()}


def draw(*shape: int, seed: int = 1) -> Tensor:
    """Normal numbers in float64."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


@dataclass(frozen=True, eq=False)
class Case:
    """A module, what it is called with, and the shapes of the weights that a capture shows."""

    name: str
    make: Callable[[], nn.Module]
    inputs: Callable[[], tuple[Tensor, ...]]
    captured: dict[str, tuple[int, ...]]

    def __str__(self) -> str:
        return self.name


def _image() -> tuple[Tensor, ...]:
    return (draw(2, 6, 5, 7),)


def _non_local(**choices: Any) -> Callable[[], nn.Module]:
    return lambda: vision.NonLocal(6, hidden_channels=3, **choices)


CASES = [
    Case("se", lambda: vision.SqueezeExcitation(6, 2), _image, {"": (2, 1, 6)}),
    Case("channel", lambda: vision.ChannelAttention(6, 2), _image, {"": (2, 1, 6)}),
    Case("spatial", lambda: vision.SpatialAttention(3), _image, {"": (2, 1, 5, 7)}),
    Case(
        "cbam",
        lambda: vision.CBAM(6, reduction=2, kernel_size=3),
        _image,
        {"channel": (2, 1, 6), "spatial": (2, 1, 5, 7)},
    ),
    Case("eca", lambda: vision.EfficientChannelAttention(6), _image, {"": (2, 1, 6)}),
    Case("global_context", lambda: vision.GlobalContext(6, 2), _image, {"": (2, 1, 35)}),
    Case("coordinate", lambda: vision.CoordinateAttention(6), _image, {"": (2, 1, 5, 7)}),
    Case("embedded_gaussian", _non_local(), _image, {"": (2, 35, 35)}),
    Case("gaussian", _non_local(pairwise="gaussian"), _image, {"": (2, 35, 35)}),
    Case("dot", _non_local(pairwise="dot", norm="batch"), _image, {"": (2, 35, 35)}),
    Case("concat", _non_local(pairwise="concat", subsample=2), _image, {"": (2, 35, 12)}),
    *(
        Case(
            f"residual_{activation}",
            lambda activation=activation, units=units: vision.ResidualAttention(
                8,
                activation=activation,
                num_outer_units=0,
                num_trunk_units=1,
                num_mask_units=units,
            ),
            lambda: (draw(2, 8, 5, 7),),
            {"": (2, 8, 5, 7)},
        )
        for activation, units in (("mixed", 1), ("channel", 0), ("spatial", 0))
    ),
    Case(
        "top_down",
        Answering,
        lambda: (draw(2, 4, 5), draw(2, 3, seed=2), torch.tensor([4, 2])),
        {"attention": (2, 1, 4)},
    ),
    Case(
        "patches",
        lambda: vision.PatchEmbedding(7, patch_size=(2, 3), num_class_tokens=1),
        lambda: (draw(2, 3, 4, 9),),
        {},
    ),
]
