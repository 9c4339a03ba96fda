"""A residual network and a Vision Transformer as one would write them down, in torch alone."""

import torch
from torch import Tensor, nn
from torch.nn import functional

MEAN, STD = 127.5, 63.75


class PlainBlock(nn.Module):
    """Two convolutions beside a skip."""

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, width, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.norm1, self.norm2 = nn.BatchNorm2d(width), nn.BatchNorm2d(width)
        same = channels == width and stride == 1
        skip = nn.Sequential(
            nn.Conv2d(channels, width, 1, stride, bias=False), nn.BatchNorm2d(width)
        )
        self.skip = nn.Identity() if same else skip

    def forward(self, x: Tensor) -> Tensor:
        """The sum, positive."""
        added = self.norm2(self.second(functional.relu(self.norm1(self.first(x)))))
        return functional.relu(added + self.skip(x))


class PlainResNet(nn.Module):
    """Stem, stages, mean, logits."""

    def __init__(
        self, stem: int, widths: tuple[int, ...], blocks: tuple[int, ...], strides: tuple[int, ...]
    ) -> None:
        super().__init__()
        layers: list[nn.Module] = [
            nn.Conv2d(3, stem, 3, 1, 1, bias=False),
            nn.BatchNorm2d(stem),
            nn.ReLU(),
        ]
        channels = stem
        for width, count, stride in zip(widths, blocks, strides, strict=True):
            for number in range(count):
                layers.append(PlainBlock(channels, width, 1 if number else stride))
                channels = width
        self.body, self.output = nn.Sequential(*layers), nn.Linear(channels, 10)

    def forward(self, pixels: Tensor) -> Tensor:
        """Logits of bytes."""
        found: Tensor = self.output(self.body((pixels.float() - MEAN) / STD).mean(dim=(2, 3)))
        return found


class PlainLayer(nn.Module):
    """Attention and two maps, normalised before."""

    def __init__(self, width: int, heads: int, hidden: int) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.all, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x: Tensor) -> Tensor:
        """The tokens above ``x``."""
        three = self.all(self.before(x)).unflatten(-1, (3, self.heads, -1))
        query, key, value = three.permute(2, 0, 3, 1, 4)
        found = functional.scaled_dot_product_attention(query, key, value)
        x = x + self.out(found.transpose(1, 2).flatten(2))
        return x + self.down(functional.gelu(self.up(self.between(x))))


class PlainViT(nn.Module):
    """Patches, a class token, learned positions."""

    def __init__(
        self, patch: int, width: int, layers: int, heads: int, hidden: int, side: int = 32
    ) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.first = nn.Parameter(torch.zeros(1, 1, width))
        self.places = nn.Parameter(torch.randn(1, (side // patch) ** 2, width) * 0.02)
        self.layers = nn.Sequential(*(PlainLayer(width, heads, hidden) for _ in range(layers)))
        self.norm, self.output = nn.LayerNorm(width), nn.Linear(width, 10)

    def forward(self, pixels: Tensor) -> Tensor:
        """Logits of bytes."""
        x = self.patches((pixels.float() - MEAN) / STD).flatten(2).mT + self.places
        x = torch.cat([self.first.expand(len(x), -1, -1), x], dim=1)
        found: Tensor = self.output(self.norm(self.layers(x))[:, 0])
        return found
