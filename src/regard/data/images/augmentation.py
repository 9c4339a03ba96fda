"""Pictures changed a little, anew in every step, so that a model learns what does not matter."""

import torch

from regard.types import Bool, Int, Tensor, UInt8

from .augmentation_config import AugmentationConfig

Generator = torch.Generator | None


class Augmentation:
    """Changes pictures as a config says.

    Randomness comes from ``generator``, or from torch's own, which training seeds for each step:
    the pictures of step n are the same whether a run came there in one go or was resumed.

    >>> Augmentation(AugmentationConfig(flip=True, shift=4))(batch)

    Args:
        config: what may happen; nothing does if not given.
    """

    def __init__(self, config: AugmentationConfig | None = None) -> None:
        self.config = config or AugmentationConfig()

    def __call__(
        self, batch: UInt8[Tensor, "B C Y X"], generator: Generator = None
    ) -> UInt8[Tensor, "B C Y X"]:
        """Other pictures of the same size, uint8, channels last.

        Args:
            batch: uint8.
            generator: what is drawn from; torch's own if not given.
        """
        config = self.config
        if config.flip or config.shift:
            batch = moved(batch, *self._drawn_moves(batch, generator))
        if config.brightness or config.contrast or config.saturation:
            batch = self._coloured(batch, generator)
        if config.cutout:
            batch = cut_out(batch, self._drawn_holes(batch, generator))
        return batch

    def _drawn_moves(self, batch: Tensor, generator: Generator) -> tuple[Tensor, Tensor, Tensor]:
        count, (height, width) = len(batch), batch.shape[2:]
        down, across = (
            _whole(count, min(self.config.shift, n - 1), generator) for n in (height, width)
        )
        flipped = torch.rand(count, generator=generator) < 0.5
        return down, across, flipped & self.config.flip

    def _drawn_holes(self, batch: Tensor, generator: Generator) -> Bool[Tensor, "B Y X"]:
        """Squares of any middle in the picture, cut where they leave it."""
        inside = []
        for length in batch.shape[2:]:
            middle = torch.randint(length, (len(batch), 1), generator=generator)
            first = middle - self.config.cutout // 2
            places = torch.arange(length)
            inside.append((places >= first) & (places < first + self.config.cutout))
        return (inside[0].unsqueeze(-1) & inside[1].unsqueeze(-2)).to(batch.device)

    def _coloured(self, batch: Tensor, generator: Generator) -> Tensor:
        found = batch.float()
        drawn = torch.rand(3, len(batch), 1, 1, 1, generator=generator).to(batch.device) * 2 - 1
        found = found * (1 + self.config.brightness * drawn[0])
        centre = found.mean(dim=(1, 2, 3), keepdim=True)
        found = centre + (found - centre) * (1 + self.config.contrast * drawn[1])
        grey = found.mean(dim=1, keepdim=True)
        found = grey + (found - grey) * (1 + self.config.saturation * drawn[2])
        return found.round().clamp(0, 255).to(torch.uint8)


def moved(
    batch: UInt8[Tensor, "B C Y X"],
    down: Int[Tensor, " B"],
    across: Int[Tensor, " B"],
    flipped: Bool[Tensor, " B"],
) -> UInt8[Tensor, "B C Y X"]:
    """Every picture moved by so many pixels, then mirrored where that is asked for.

    One gather over channels-last memory; at the edges the picture is mirrored into itself.
    """
    height, width = batch.shape[2:]
    rows = _reflected(torch.arange(height) - down.unsqueeze(-1), height)  # (B, Y)
    order = torch.arange(width).expand(len(batch), -1)
    order = torch.where(flipped.unsqueeze(-1), order.flip(-1), order)
    columns = _reflected(order - across.unsqueeze(-1), width)  # (B, X)
    flat = (rows.unsqueeze(-1) * width + columns.unsqueeze(-2)).flatten(1)  # (B, Y X)
    flat += torch.arange(len(batch)).unsqueeze(-1) * (height * width)
    places = batch.permute(0, 2, 3, 1).reshape(-1, batch.shape[1])  # (B Y X, C)
    found = places[flat.flatten().to(batch.device)]
    return found.view(len(batch), height, width, -1).permute(0, 3, 1, 2)


def cut_out(
    batch: UInt8[Tensor, "B C Y X"], holes: Bool[Tensor, "B Y X"]
) -> UInt8[Tensor, "B C Y X"]:
    """Pictures whose holes have the mean colour of their batch."""
    colour = batch.float().mean(dim=(0, 2, 3), keepdim=True).round().to(batch.dtype)
    return torch.where(holes.unsqueeze(1), colour, batch)


def _whole(count: int, most: int, generator: Generator) -> Int[Tensor, " B"]:
    """Numbers from −most to most."""
    return torch.randint(-most, most + 1, (count,), generator=generator)


def _reflected(places: Int[Tensor, "B N"], length: int) -> Int[Tensor, "B N"]:
    """Places outside 0…length − 1 mirrored into it; the edge itself is not repeated."""
    if length == 1:
        return torch.zeros_like(places)
    found = places.abs()
    return torch.where(found >= length, 2 * (length - 1) - found, found)
