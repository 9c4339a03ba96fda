"""Pixels of eight bits as floats around 0."""

from collections.abc import Sequence

import torch

from regard.errors import DtypeError, ShapeError
from regard.types import Float, Tensor


def normalised(
    batch: Tensor, mean: Sequence[float], std: Sequence[float]
) -> Float[Tensor, "B C Y X"]:
    r"""Pixels as floats around 0.

    .. math:: x_c = (p_c / 255 - \mu_c) / \sigma_c

    The memory format stays: channels last in, channels last out.

    Args:
        batch: (B, C, Y, X), uint8.
        mean: of each channel, of numbers from 0 to 1.
        std: likewise; the model's config keeps both.

    Raises:
        DtypeError: not uint8.
        ShapeError: not as many channels as numbers.
    """
    if batch.dtype != torch.uint8:
        raise DtypeError(f"normalised needs pixels of 8 bits, uint8, got {batch.dtype}")
    if batch.dim() != 4 or not batch.shape[1] == len(mean) == len(std):
        raise ShapeError(
            f"normalised needs pixels (B, {len(mean)}, Y, X) for {len(mean)} means and {len(std)} "
            f"deviations, got {tuple(batch.shape)}"
        )
    column = (1, -1, 1, 1)
    spread = torch.tensor(std, dtype=torch.float32, device=batch.device).reshape(column)
    centre = torch.tensor(mean, dtype=torch.float32, device=batch.device).reshape(column)
    return batch.float().mul_(1 / (255 * spread)).sub_(centre / spread)
