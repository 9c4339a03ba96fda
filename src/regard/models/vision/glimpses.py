"""Recurrent attention: a model that moves its eye over a picture and says in the end what it saw.

Mnih et al. 2014 (https://arxiv.org/abs/1406.6247).
"""

import math
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import torch
from pydantic import Field
from torch import nn

from regard.nn.vision import Retina
from regard.types import Float, Tensor

from ..config import ModelConfig, Size
from .classifier_presets import GREY, SPREAD, Colours
from .encoder import PictureConfig
from .pyramid import entered

if TYPE_CHECKING:
    from regard.lens.pictures import Panel


class GlimpsesConfig(PictureConfig, ModelConfig):
    """A recurrent attention model."""

    kind: Literal["glimpses"] = "glimpses"
    labels: Size
    """Number of labels."""
    channels: Literal[1, 3] = 1
    """1 sees lightness alone, 3 sees colours."""
    num_glimpses: Size = 8
    """T, how often it looks."""
    patch_size: Size = 12
    """w, rows and columns of what it sees at each scale."""
    scales: Size = 4
    """S, each of them twice as wide as the one before and as coarse."""
    features: Literal["linear", "convolution"] = "linear"
    """What is made of the patches: one linear map, as published, or small convolutions first."""
    glimpse_dim: Size = 256
    """Width of what a glimpse is made into."""
    hidden_dim: Size = 256
    """H, width of the state."""
    cell: Literal["rnn", "gru"] = "rnn"
    """What carries the state: rectified linear units, as published, or gated ones."""
    supervised: Literal["last", "every"] = "last"
    """Which states learn the label: the last, as published, or all, which is learned faster."""
    deviation: float = Field(default=0.15, gt=0)
    """σ, how far a place that is tried out lies from the one that was meant."""


class Walk(NamedTuple):
    """Where the eye went over a batch of pictures, and what came of it."""

    told: Float[Tensor, "B T C"]
    """Logits of the classes from the state after every glimpse."""
    places: Float[Tensor, "B T 2"]
    """x and y of every glimpse, from −1 to 1; the first is the middle of the picture."""
    log_probs: Float[Tensor, "B T"]
    """Of each place having been drawn; 0 for the first, which is no choice."""
    baselines: Float[Tensor, "B T"]
    """The reward that was expected before each."""

    @property
    def logits(self) -> Float[Tensor, "B C"]:
        """From the last state: what counts."""
        return self.told[:, -1]


class Glimpses(nn.Module):
    r"""A retina at a place, a state that remembers, and a network that says where to look next.

    .. math:: g_t = f_g(\rho(x, l_{t-1}), l_{t-1}), \quad h_t = f_h(h_{t-1}, g_t), \quad
              l_t \sim \mathcal N(f_l(h_t), \sigma^2), \quad y = f_a(h_T)

    Mnih et al. 2014, section 3.1 (https://arxiv.org/abs/1406.6247). Theirs → ours: ρ →
    :class:`~regard.nn.vision.Retina`, f_g → ``what_proj``, ``where_proj`` and
    ``joined``, f_h → ``core``, f_l → ``place_proj``, f_a → ``label_proj``, b → ``baseline_proj``.
    In training places are drawn; in evaluation they are those that were meant. What a glimpse costs
    does not depend on the size of the picture.

    Differs from the paper: the first place is the middle of the picture, and the mean of the others
    passes through a tangent, which keeps it inside.

    Args:
        config: classes, retina, widths.
    """

    criterion: ClassVar[str] = "walk"
    """What it is trained by, see :mod:`regard.tasks.image_classification.criteria`."""

    def __init__(self, config: GlimpsesConfig) -> None:
        super().__init__()
        self.config = config
        self.retina = Retina(config.patch_size, config.scales)
        half = config.glimpse_dim // 2
        self.what_proj = _what(config, half)
        self.where_proj = nn.Linear(2, half)
        self.joined = nn.Linear(2 * half, config.glimpse_dim)
        self.core = _core(config)
        self.place_proj = nn.Linear(config.hidden_dim, 2)
        self.baseline_proj = nn.Linear(config.hidden_dim, 1)
        self.label_proj = nn.Linear(config.hidden_dim, config.labels)

    def forward(self, pixels: Tensor) -> Float[Tensor, "B C"]:
        """Logits of the classes."""
        return self.walk(pixels).logits

    def walk(self, pixels: Tensor) -> Walk:
        """Look so many times, and say what it was."""
        pictures = entered(pixels, self.config)
        if self.config.channels == 1:
            pictures = pictures.mean(dim=1, keepdim=True)
        levels = self.retina.levels(pictures)
        state = pictures.new_zeros(len(pictures), self.config.hidden_dim)
        place = pictures.new_zeros(len(pictures), 2)
        places, log_probs = [place], [place.new_zeros(len(place))]
        baselines, told = [place.new_zeros(len(place))], []
        for look in range(self.config.num_glimpses):
            state = self.core(self._glimpse(levels, place), state)
            told.append(self.label_proj(state))
            if look + 1 < self.config.num_glimpses:
                place, log_prob = self._next(state)
                places.append(place)
                log_probs.append(log_prob)
                baselines.append(self.baseline_proj(state.detach())[:, 0])
        parts = told, places, log_probs, baselines
        return Walk(*(torch.stack(part, dim=1) for part in parts))

    def panels(self, pixels: Tensor) -> "list[tuple[Panel, ...]]":
        """Of every picture the path of the eye, and what it saw sharply, to be drawn."""
        from regard.lens.pictures import Box, Panel

        places = ((self.walk(pixels).places + 1) / 2).cpu()  # (B, T, 2), shares of the picture
        half = torch.tensor(
            [self.config.patch_size / side / 2 for side in reversed(pixels.shape[2:])]
        )
        found: list[tuple[Panel, ...]] = []
        for path in places:
            edges = torch.cat([path - half, path + half], dim=-1).clamp(0, 1).tolist()
            boxes = [
                Box(left, top, right, bottom, str(number))
                for number, (left, top, right, bottom) in enumerate(edges, start=1)
            ]
            steps = [(x, y) for x, y in path.tolist()]
            told = f"{len(steps)} glimpses"
            found.append((Panel(told, path=steps), Panel("seen sharply", boxes=boxes)))
        return found

    def _glimpse(self, levels: list[Tensor], place: Float[Tensor, "B 2"]) -> Float[Tensor, "B W"]:
        """What was seen, and where."""
        what = torch.relu(self.what_proj(self.retina(levels, place)))
        where = torch.relu(self.where_proj(place))
        return torch.relu(self.joined(torch.cat([what, where], dim=-1)))

    def _next(
        self, state: Float[Tensor, "B H"]
    ) -> tuple[Float[Tensor, "B 2"], Float[Tensor, " B"]]:
        """The place to look at next, and the logarithm of its probability density.

        The state learns from what is right and wrong alone: the reward teaches only where to look.
        """
        mean = torch.tanh(self.place_proj(state.detach()))
        noise = torch.randn_like(mean) * self.config.deviation if self.training else 0.0
        place = (mean + noise).detach()
        return place.clamp(-1, 1), log_density(place, mean, self.config.deviation)


def log_density(
    place: Float[Tensor, "B 2"], mean: Float[Tensor, "B 2"], deviation: float
) -> Float[Tensor, " B"]:
    r"""Of a normal distribution in two directions alike.

    .. math:: \log p = -\sum_d \frac{(l_d - \mu_d)^2}{2 \sigma^2} + \log \sigma \sqrt{2 \pi}
    """
    squares = ((place - mean) / deviation).square().sum(dim=-1) / 2
    return -squares - 2 * math.log(deviation * math.sqrt(2 * math.pi))


class RectifiedCell(nn.Module):
    r"""The core as published.

    .. math:: h_t = \text{ReLU}(W_h h_{t-1} + W_g g_t + b)
    """

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.input_proj = nn.Linear(input_dim, hidden_dim)
        self.state_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Float[Tensor, "B W"], state: Float[Tensor, "B H"]) -> Float[Tensor, "B H"]:
        """The next state."""
        return torch.relu(self.input_proj(x) + self.state_proj(state))


def _core(config: GlimpsesConfig) -> nn.Module:
    made = {"rnn": RectifiedCell, "gru": nn.GRUCell}[config.cell]
    return made(config.glimpse_dim, config.hidden_dim)


def _what(config: GlimpsesConfig, out: int) -> nn.Module:
    """From patches (B, S, 3, w, w) to a vector."""
    scales, size = config.scales, config.patch_size
    if config.features == "linear":
        return nn.Sequential(nn.Flatten(), nn.Linear(scales * config.channels * size**2, out))
    small = (size + 1) // 2
    return nn.Sequential(
        nn.Flatten(1, 2),
        nn.Conv2d(scales * config.channels, 32, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2, ceil_mode=True),
        nn.Conv2d(32, 32, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.Flatten(),
        nn.Linear(32 * small**2, out),
    )


def glimpses_small(
    *,
    labels: int,
    height: int = 60,
    width: int = 60,
    mean: Colours = GREY,
    std: Colours = SPREAD,
) -> GlimpsesConfig:
    """Eight glimpses of 12 × 12 pixels at four scales."""
    return GlimpsesConfig(labels=labels, height=height, width=width, mean=mean, std=std)
