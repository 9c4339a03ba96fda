"""The Vision Transformer: patches as tokens."""

from typing import Annotated, Literal

import torch
from pydantic import Field, model_validator
from torch import nn
from torch.nn.functional import gelu, interpolate, pad

from regard.nn import AttentionPooling, MultiHeadAttention
from regard.nn.position import Position
from regard.nn.vision import PatchEmbedding
from regard.positions import grid2d
from regard.types import Float, Tensor

from ..config import Config, Probability, Size
from ..dropout import Dropout
from .encoder import COLOURS, PictureConfig, PictureEncoder
from .grid_rotary import GridRotary

PositionName = Literal["learned", "sinusoidal", "rotary", "none"]
Side = int | tuple[int, int]


class PatchLayersConfig(Config):
    """Transformer layers over the patches of a picture."""

    model_dim: Size = 96
    """Width of tokens."""
    num_layers: Size = 4
    """How many layers."""
    num_heads: Size = 4
    """Heads of each attention."""
    hidden_dim: Size = 192
    """Width between the two maps of a feed-forward sublayer."""
    norm_eps: Annotated[float, Field(gt=0)] = 1e-6
    """What norms add to the variance, so that nothing is divided by zero."""
    dropout: Probability = 0.0
    """Of what the sublayers add."""
    attention_dropout: Probability = 0.0
    """Of attention weights."""
    layer_dropout: Probability = 0.0
    """With which the last layer is left out for a picture; the first never is, those between are by
    their place (stochastic depth, Huang et al. 2016, https://arxiv.org/abs/1603.09382)."""

    @model_validator(mode="after")
    def _heads_fit(self) -> "PatchLayersConfig":
        if self.model_dim % self.num_heads:
            raise ValueError(
                f"model_dim needs to be a multiple of num_heads, got {self.model_dim} and "
                f"{self.num_heads}"
            )
        return self


class ViTConfig(PictureConfig, PatchLayersConfig):
    """Dosovitskiy et al. 2021 (https://arxiv.org/abs/2010.11929)."""

    kind: Literal["vit"] = "vit"
    patch_size: Annotated[Side, Field()] = 4
    """Pixels of a patch: of a square, or height and width."""
    pooling: Literal["class_token", "attention", "mean"] = "class_token"
    """What stands for the picture: a token before the patches, patches weighed by a learned query
    (Zhai et al. 2022, https://arxiv.org/abs/2106.04560), or their mean."""
    position: PositionName = "learned"
    """How a patch knows where it stands."""
    registers: Annotated[int, Field(ge=0)] = 0
    """Tokens beside those of the picture, where what is of all of it may lie (Darcet et al. 2024,
    https://arxiv.org/abs/2309.16588); nothing reads them at the end."""

    @property
    def before(self) -> int:
        """Tokens that stand before the patches."""
        return self.registers + (self.pooling == "class_token")

    @property
    def grid(self) -> tuple[int, int]:
        """Patches of a picture, down and across; a rest is filled up."""
        down, across = sides(self.patch_size)
        return -(-self.height // down), -(-self.width // across)


def fitting(
    positions: Float[Tensor, "N M"], grid: tuple[int, int], wanted: tuple[int, int]
) -> Float[Tensor, "n M"]:
    """Learned positions of a grid on another one, interpolated."""
    if wanted == grid:
        return positions
    map_of = positions.mT.unflatten(-1, grid).unsqueeze(0)  # (1, M, h, w)
    found = interpolate(map_of, size=wanted, mode="bicubic", antialias=True)
    return found[0].flatten(1).mT


def sides(size: Side) -> tuple[int, int]:
    """Height and width."""
    return (size, size) if isinstance(size, int) else size


class VisionLayer(nn.Module):
    r"""Attention among patches, then a map of each, both beside the identity.

    .. math:: x' = x + \text{MHA}(\text{LN}(x)), \quad y = x' + \text{MLP}(\text{LN}(x'))

    Dosovitskiy et al. 2021, Eq. 2 and 3.
    """

    def __init__(
        self, config: PatchLayersConfig, skipped: float, position: Position | None
    ) -> None:
        super().__init__()
        dim = config.model_dim
        self.norm1, self.norm2 = (nn.LayerNorm(dim, eps=config.norm_eps) for _ in range(2))
        self.attention = MultiHeadAttention(
            dim, config.num_heads, position=position, dropout=config.attention_dropout
        )
        self.expand = nn.Linear(dim, config.hidden_dim)
        self.reduce = nn.Linear(config.hidden_dim, dim)
        self.dropout = Dropout(config.dropout)
        self.skipped = skipped

    def forward(self, x: Float[Tensor, "B N M"]) -> Float[Tensor, "B N M"]:
        """Tokens that have looked at each other."""
        x = x + self._kept(self.dropout(self.attention(self.norm1(x))))
        return x + self._kept(self.dropout(self.reduce(gelu(self.expand(self.norm2(x))))))

    def _kept(self, added: Float[Tensor, "B N M"]) -> Float[Tensor, "B N M"]:
        if not (self.training and self.skipped):
            return added
        kept = torch.rand(len(added), 1, 1, device=added.device) >= self.skipped
        return added * (kept / (1 - self.skipped)).to(added.dtype)


def vision_layers(config: PatchLayersConfig, position: Position | None) -> nn.Sequential:
    """All layers, drawn as in the paper's code: maps of small normal numbers."""
    last = max(1, config.num_layers - 1)
    made = nn.Sequential(
        *(
            VisionLayer(config, config.layer_dropout * number / last, position)
            for number in range(config.num_layers)
        )
    )
    for part in made.modules():
        if isinstance(part, nn.Linear):
            nn.init.trunc_normal_(part.weight, std=0.02)
            nn.init.zeros_(part.bias)
    return made


class ViT(PictureEncoder):
    """A Transformer over patches of any size, of pictures of any size.

    Learned positions of another size than that of the config are interpolated. The map is that of
    the patches; the vector of a picture is what the pooling makes of them. Capture shows attention
    as ``layers.n.attention``: (B, H, N, N), of class token and registers first, then the patches
    row by row.
    """

    def __init__(self, config: ViTConfig) -> None:
        super().__init__(config)
        self.config: ViTConfig = config
        dim = config.model_dim
        self.patches = PatchEmbedding(
            dim,
            patch_size=config.patch_size,
            channels=COLOURS,
            num_class_tokens=config.before,
            remainder="pad",
        )
        nn.init.normal_(self.patches.class_tokens, std=0.02)
        rotary = config.position == "rotary"
        self.rotary = GridRotary(dim // config.num_heads, before=config.before) if rotary else None
        rows, columns = config.grid
        learned = config.position == "learned"
        self.positions = (
            nn.Parameter(torch.zeros(rows * columns, dim).normal_(std=0.02)) if learned else None
        )
        self.layers = vision_layers(config, self.rotary)
        self.norm = nn.LayerNorm(dim, eps=config.norm_eps)
        pools = config.pooling == "attention"
        self.attention_pooling = AttentionPooling(dim) if pools else None
        self.output_dim = dim

    def tokens(self, pixels: Float[Tensor, "B 3 Y X"]) -> tuple[Tensor, tuple[int, int]]:
        """All tokens (B, N, M) behind the last norm, and the grid of the patches."""
        grid = self.patches.grid(*pixels.shape[2:])
        x = self.patches(pixels)  # (B, N, M)
        if (where := self._positions(grid, x)) is not None:
            x = x + pad(where, (0, 0, self.config.before, 0))
        if self.rotary is not None:
            self.rotary.grid = grid
        return self.norm(self.layers(x)), grid

    def features(self, pixels: Float[Tensor, "B 3 Y X"]) -> Float[Tensor, "B M y x"]:
        """The patches as a map."""
        tokens, grid = self.tokens(pixels)
        return tokens[:, self.config.before :].mT.unflatten(-1, grid)

    def pool(self, pixels: Float[Tensor, "B 3 Y X"]) -> Float[Tensor, "B M"]:
        """The class token, or what is pooled of the patches."""
        tokens, _ = self.tokens(pixels)
        if self.config.pooling == "class_token":
            return tokens[:, 0]
        patches = tokens[:, self.config.before :]
        if self.attention_pooling is not None:
            return self.attention_pooling(patches).squeeze(-2)
        return patches.mean(dim=1)

    def _positions(self, grid: tuple[int, int], like: Tensor) -> Tensor | None:
        """What is added to the patches, (h w, M)."""
        if self.config.position == "sinusoidal":
            return grid2d(*grid, self.output_dim, dtype=like.dtype, device=like.device)
        return None if self.positions is None else fitting(self.positions, self.config.grid, grid)
