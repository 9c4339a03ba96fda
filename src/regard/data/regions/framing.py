"""Pictures fitted into a frame with their proportions kept, and boxes taken back out of it."""

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch.nn.functional import interpolate

from regard.errors import RangeError
from regard.types import Float, Tensor, UInt8

from ..images import pixels

if TYPE_CHECKING:
    from PIL.Image import Image

GREY = 114
"""Of the bars beside or above a picture."""


class Letterbox(NamedTuple):
    """Where a picture lies in a frame."""

    width: int
    """Of the picture."""
    height: int
    frame_width: int
    frame_height: int
    left: int
    """Pixels of the frame before it."""
    top: int
    inner_width: int
    """Pixels of the frame that it takes."""
    inner_height: int

    def framed(self, picture: "Image") -> UInt8[Tensor, "3 Y X"]:
        """The picture in its frame, uint8."""
        frame = torch.full((3, self.frame_height, self.frame_width), GREY, dtype=torch.uint8)
        frame[:, *self._inside] = pixels(picture, (self.inner_height, self.inner_width))
        return frame

    def framed_mask(self, mask: UInt8[Tensor, "Y X"], outside: int) -> UInt8[Tensor, "y x"]:
        """A mask of the picture in its frame, ``outside`` where there is no picture."""
        frame = torch.full((self.frame_height, self.frame_width), outside, dtype=torch.uint8)
        wide = mask[None, None].to(torch.uint8)
        size = self.inner_height, self.inner_width
        frame[self._inside] = interpolate(wide, size=size, mode="nearest-exact")[0, 0]
        return frame

    def framed_boxes(self, shares: Float[Tensor, "n 4"]) -> Float[Tensor, "n 4"]:
        """Boxes in shares of the picture, as pixels of the frame."""
        return shares * self._extent(shares) + self._start(shares)

    def shares(self, framed: Float[Tensor, "n 4"]) -> Float[Tensor, "n 4"]:
        """Boxes in pixels of the frame, as shares of the picture, cut at its edges."""
        return ((framed - self._start(framed)) / self._extent(framed)).clamp(0, 1)

    def unframed(self, maps: Float[Tensor, "C y x"]) -> Float[Tensor, "C Y X"]:
        """Maps over the frame, however fine, over the picture and of its size."""
        whole = interpolate(
            maps[None],
            size=(self.frame_height, self.frame_width),
            mode="bilinear",
            align_corners=False,
        )
        inner = whole[..., *self._inside]
        size = self.height, self.width
        return interpolate(inner, size=size, mode="bilinear", align_corners=False)[0]

    @property
    def _inside(self) -> tuple[slice, slice]:
        return (
            slice(self.top, self.top + self.inner_height),
            slice(self.left, self.left + self.inner_width),
        )

    def _start(self, like: Tensor) -> Tensor:
        return like.new_tensor([self.left, self.top, self.left, self.top])

    def _extent(self, like: Tensor) -> Tensor:
        return like.new_tensor([self.inner_width, self.inner_height] * 2)


def letterbox(size: tuple[int, int], frame: tuple[int, int]) -> Letterbox:
    """A picture in the middle of a frame, as large as fits.

    Args:
        size: width and height of the picture.
        frame: width and height of the frame.

    Raises:
        RangeError: a side below 1.
    """
    if min(*size, *frame) < 1:
        raise RangeError(f"a picture and its frame need sides of 1 or more, got {size} in {frame}")
    scale = min(frame[0] / size[0], frame[1] / size[1])
    width, height = (
        min(across, max(1, round(side * scale))) for side, across in zip(size, frame, strict=True)
    )
    left, top = (frame[0] - width) // 2, (frame[1] - height) // 2
    return Letterbox(*size, *frame, left, top, width, height)
