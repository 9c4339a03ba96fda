"""Images as sequences of patches."""

from typing import Literal

import torch
from torch import nn
from torch.nn.functional import pad

from regard.errors import ShapeError
from regard.functional.value import require_sizes
from regard.mechanism import mechanism
from regard.papers import DOSOVITSKIY_2021
from regard.types import Float, Tensor

from ..base import require_choice


@mechanism(
    "patch embedding",
    family="vision",
    equation="xₚ E,  P × P × C pixels to one token",
    cost="O(H W C M)",
    paper=DOSOVITSKIY_2021,
)
class PatchEmbedding(nn.Module):
    r"""An image cut into patches, each of them one linear map away from a token.

    .. math:: z = [x_{class}; \, x_p^1 E; \, \dots; \, x_p^N E], \quad N = H W / P^2

    Dosovitskiy et al. 2021, Eq. 1 (https://arxiv.org/abs/2010.11929), without its positions: add
    those of :mod:`regard.positions`. Theirs → ours: E → ``patch_proj``, a convolution whose stride
    is its size, x_class → ``class_tokens``, which start as zeros. Patches come row by row.
    O(H W C M) time.

    Args:
        dim: M, width of a token.
        patch_size: P, or height and width of a patch.
        channels: C of the images.
        image_size: the one size, or height and width, that images must have; ``None`` takes any.
        num_class_tokens: learned tokens in front of the patches: 1 to classify, 2 to distil, too.
        remainder: what becomes of sizes that patches do not fill: ``"refuse"``, or ``"pad"`` with
            zeros below and to the right.
    """

    def __init__(
        self,
        dim: int,
        *,
        patch_size: int | tuple[int, int] = 16,
        channels: int = 3,
        image_size: int | tuple[int, int] | None = None,
        num_class_tokens: int = 0,
        remainder: Literal["refuse", "pad"] = "refuse",
    ) -> None:
        super().__init__()
        self.patch_size = _sides(patch_size)
        self.image_size = None if image_size is None else _sides(image_size)
        require_sizes(self, dim=dim, channels=channels)
        require_sizes(self, patch_height=self.patch_size[0], patch_width=self.patch_size[1])
        if num_class_tokens:
            require_sizes(self, num_class_tokens=num_class_tokens)
        require_choice("remainder", remainder, ("refuse", "pad"))
        self.dim, self.channels, self.remainder = dim, channels, remainder
        self.patch_proj = nn.Conv2d(channels, dim, self.patch_size, self.patch_size)
        self.class_tokens = nn.Parameter(torch.zeros(num_class_tokens, dim))
        if self.image_size is not None:
            self.grid(*self.image_size)

    def grid(self, height: int, width: int) -> tuple[int, int]:
        """How many patches an image of this size is high and wide.

        Raises:
            ShapeError: patches do not fill it, and the remainder is refused.
        """
        down, across = self.patch_size
        if self.remainder == "refuse" and (height % down or width % across):
            raise ShapeError(
                f"PatchEmbedding needs images whose sides are multiples of the patch, {down} × "
                f"{across}, got {height} × {width}; resize or crop them, or use remainder='pad'"
            )
        return -(-height // down), -(-width // across)

    def forward(self, images: Float[Tensor, "B C Y X"]) -> Float[Tensor, "B N M"]:
        """Tokens: those of the class, then one per patch."""
        height, width = self._checked(images)
        rows, columns = self.grid(height, width)
        missing = columns * self.patch_size[1] - width, rows * self.patch_size[0] - height
        if any(missing):
            images = pad(images, (0, missing[0], 0, missing[1]))
        patches = self.patch_proj(images).flatten(2).mT  # (B, N, M)
        class_tokens = self.class_tokens.to(patches.dtype).expand(len(patches), -1, -1)  # (B, n, M)
        return torch.cat([class_tokens, patches], dim=1)

    def _checked(self, images: Tensor) -> tuple[int, int]:
        if images.dim() != 4 or images.shape[1] != self.channels:
            raise ShapeError(
                f"PatchEmbedding needs images (B, {self.channels}, height, width), "
                f"got {tuple(images.shape)}"
            )
        height, width = images.shape[2:]
        if self.image_size not in (None, (height, width)):
            wanted = " × ".join(map(str, self.image_size or ()))
            raise ShapeError(
                f"PatchEmbedding needs images of {wanted}, got {height} × {width}; resize them, or "
                "leave image_size out to take any"
            )
        return height, width


def _sides(size: int | tuple[int, int]) -> tuple[int, int]:
    if isinstance(size, int):
        return size, size
    height, width = size
    return height, width
