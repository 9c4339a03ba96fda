"""What a captioner or an answerer looks at: a grid of places over a picture, a vector for each."""

from functools import lru_cache
from typing import Annotated, Literal, NamedTuple

import torch
from pydantic import Field, TypeAdapter, field_validator
from torch import nn

from regard.errors import ShapeError
from regard.positions import Grid2d
from regard.types import Float, Tensor

from ..config import Config, Probability, Size
from ..dropout import Dropout
from .cnn import CNNConfig
from .encoder import PictureConfig, PictureEncoder, channels_last
from .encoders import EncoderConfig, build_encoder
from .normalisation import normalised

Channels = tuple[float, float, float]


class Extent(NamedTuple):
    """Rows and columns of a grid."""

    height: int
    width: int


class ConvGrid(Config):
    """A small CNN of the model's own, trained with it from the first step."""

    kind: Literal["conv"] = "conv"
    size: Size = 64
    """Pixels of a picture's side, as the model reads it."""
    channels: tuple[Size, ...] = (24, 32, 64, 128)
    """Of every stage; the first two stages and each after them see half as many rows and columns,
    but for the last, which sees those of the one before it."""
    mean: Channels = (0.5, 0.5, 0.5)
    """Of each colour, from 0 to 1; it is taken away."""
    std: Channels = (0.25, 0.25, 0.25)
    """What is left is divided by it."""

    @property
    def extent(self) -> Extent:
        """The grid: half the picture's side for all stages but the last."""
        side = self.size
        for _ in self.channels[:-1]:
            side = -(-side // 2)
        return Extent(side, side)

    @property
    def features(self) -> int:
        """Channels of the grid."""
        return self.channels[-1]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of a picture as the model reads it."""
        return 3, self.size, self.size

    def build(self) -> "ConvEncoder":
        """The module."""
        return ConvEncoder(self)


class EncodedGrid(Config):
    """Any encoder of pictures, trained with the model: CNNs with attention in blocks, ViTs."""

    kind: Literal["encoder"] = "encoder"
    encoder: EncoderConfig = CNNConfig(height=64, width=64, strides=(2, 2, 2))
    """Which, and its sizes; pictures are squares."""

    @field_validator("encoder")
    @classmethod
    def _is_square(cls, value: PictureConfig) -> PictureConfig:
        if value.height != value.width:
            raise ValueError(
                f"the encoder of a grid needs one height and width, got {value.height} and "
                f"{value.width}"
            )
        return value

    @property
    def size(self) -> int:
        """Pixels of a picture's side, as the model reads it."""
        return self.encoder.height

    @property
    def extent(self) -> Extent:
        """The grid."""
        return Extent(*_map_of(self.encoder.model_dump_json())[1:])

    @property
    def features(self) -> int:
        """Channels of the grid."""
        return _map_of(self.encoder.model_dump_json())[0]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of a picture as the model reads it."""
        return 3, self.size, self.size

    def build(self) -> PictureEncoder:
        """The module."""
        return build_encoder(self.encoder)


@lru_cache(maxsize=64)
def _map_of(config: str) -> tuple[int, int, int]:
    """Channels, rows and columns of an encoder's map; nothing is computed for it."""
    chosen = TypeAdapter[PictureConfig](EncoderConfig).validate_json(config)
    with torch.device("meta"):
        pixels = torch.empty(1, 3, chosen.height, chosen.width)
        found = build_encoder(chosen).eval()(pixels).shape
    return found[1], found[2], found[3]


class StoredGrid(Config):
    """Maps of a network that stays as it is: computed once for every picture, and kept."""

    kind: Literal["stored"] = "stored"
    network: str = "efficientnet-lite0"
    """Which; see :mod:`regard.models.vision.pretrained`."""
    features: Size = 1280
    """Channels of its maps."""
    height: Size = 7
    """Rows of its maps."""
    width: Size = 7
    """Columns of its maps."""
    dropout: Probability = 0.0
    """Probability with which a channel of a place is dropped in training."""

    @property
    def extent(self) -> Extent:
        """The grid."""
        return Extent(self.height, self.width)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of a picture as the model reads it."""
        return self.features, self.height, self.width

    def build(self) -> "StoredEncoder":
        """The module."""
        return StoredEncoder(self)


AnyGrid = ConvGrid | EncodedGrid | StoredGrid
GridConfig = Annotated[AnyGrid, Field(discriminator="kind")]
"""Where the grid comes from."""


class ConvEncoder(nn.Module):
    """3 × 3 convolutions with batch norm and ReLU, halved from stage to stage.

    No place of the grid sees much more than what lies around it: where a model looks at the grid is
    where it looks at the picture.

    Args:
        config: its sizes.
    """

    def __init__(self, config: ConvGrid) -> None:
        super().__init__()
        self.config = config
        stages: list[nn.Module] = []
        before = 3
        for number, width in enumerate(config.channels):
            stride = 2 if number == 0 else 1
            if number > 1:
                stages.append(nn.MaxPool2d(2, ceil_mode=True))
            stages += [
                nn.Conv2d(before, width, 3, stride=stride, padding=1, bias=False),
                nn.BatchNorm2d(width),
                nn.ReLU(),
            ]
            before = width
        self.stages = channels_last(nn.Sequential(*stages))

    def forward(self, pictures: Tensor) -> Float[Tensor, "B C Y X"]:
        """The grid of pictures, uint8 (B, 3, Y, X).

        Raises:
            ShapeError: pictures of another size.
        """
        side = self.config.size
        if pictures.dim() != 4 or pictures.shape[1:] != (3, side, side):
            raise ShapeError(
                f"this model needs pictures (B, 3, {side}, {side}), got {tuple(pictures.shape)}; "
                "resize them"
            )
        x = normalised(pictures, self.config.mean, self.config.std)
        return self.stages(x.contiguous(memory_format=torch.channels_last))


class StoredEncoder(nn.Module):
    """Maps as they come.

    Args:
        config: their sizes.
    """

    def __init__(self, config: StoredGrid) -> None:
        super().__init__()
        self.config = config
        self.dropout = Dropout(config.dropout)

    def forward(self, pictures: Tensor) -> Float[Tensor, "B C Y X"]:
        """Maps (B, C, Y, X) of any precision, as floats.

        Raises:
            ShapeError: maps of another network.
        """
        asked = (self.config.features, *self.config.extent)
        if pictures.dim() != 4 or pictures.shape[1:] != asked:
            raise ShapeError(
                f"this model needs maps (B, {', '.join(map(str, asked))}) of "
                f"{self.config.network}, got {tuple(pictures.shape)}"
            )
        return self.dropout(pictures.float())


class Annotations(nn.Module):
    r"""A grid as a sequence of vectors that know where they stand: annotation vectors.

    .. math:: a_i = \text{LayerNorm}(\text{ReLU}(W f_i + b) + p_i)

    Xu et al. 2015, section 3.1.1 (https://arxiv.org/abs/1502.03044), whose annotation vectors are
    the grid's own, f. Differs from the paper: W brings wide maps to the width of the model, and p,
    the sinusoidal position of each place, tells what is left of what.

    Args:
        grid: where it comes from.
        width: of the vectors.
        positions: whether p is added.
        dropout: probability with which a feature is dropped in training.
    """

    def __init__(self, grid: AnyGrid, width: int, *, positions: bool, dropout: float) -> None:
        super().__init__()
        self.encoder = grid.build()
        self.proj = nn.Linear(grid.features, width)
        rows, columns = grid.extent
        self.position = Grid2d(rows, columns, width) if positions else None
        self.norm, self.dropout = nn.LayerNorm(width), Dropout(dropout)

    def forward(self, pictures: Tensor) -> Float[Tensor, "B K M"]:
        """One vector for each place, row by row."""
        features = self.encoder(pictures).flatten(2).mT  # (B, K, C)
        x = self.proj(features.to(self.proj.weight.dtype)).relu()
        if self.position is not None:
            x = self.position(x)
        return self.dropout(self.norm(x))
