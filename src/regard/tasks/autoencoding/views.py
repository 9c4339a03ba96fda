"""What there is to draw of autoencoders: weights of the pooling, pictures beside pictures."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch.nn.functional import interpolate, pad

from regard.types import Tensor

from .sample import READABLE, ReconstructedPicture, ReconstructedText

if TYPE_CHECKING:
    from regard.lens.alignments import AlignmentView
    from regard.lens.pictures import PictureView

ACROSS = 8
"""Pictures side by side."""
SIDE = 48
"""Pixels that a small picture's longer side is drawn with at least."""
PAPER, GAP = 255, 10


def of_text(sample: ReconstructedText) -> "tuple[AlignmentView, ...]":
    """How much each token counted for the latent."""
    from regard.lens.alignments import AlignmentView

    if sample.weights is None or not sample.words:
        return ()
    shown = sample.weights[:READABLE].unsqueeze(0)
    title = f"{sample.text} → {sample.reconstruction}"
    return (AlignmentView(sample.words[:READABLE], ("latent",), shown, title=title[:200]),)


def beside(samples: Sequence[ReconstructedPicture]) -> "PictureView":
    """One sheet: pictures in a row, below each what came back of it, and so on.

    A single one has its reconstruction on its right.
    """
    from regard.lens.pictures import Panel, PictureView

    if len(samples) == 1:
        one = samples[0]
        sheet = torch.cat([framed(one.picture), framed(one.reconstruction)], dim=2)
        title = f"and back: {one.psnr:.2f} dB"
        return PictureView(sheet, (Panel(one.name),), title=title)
    rows = [
        torch.cat([framed(getattr(one, part)) for one in samples[at : at + ACROSS]], dim=2)
        for at in range(0, len(samples), ACROSS)
        for part in ("picture", "reconstruction")
    ]
    width = max(row.shape[2] for row in rows)
    # a little more paper below what came back, so that it is seen which belong together
    filled = [
        pad(row, (0, width - row.shape[2], 0, GAP * (number % 2)), value=PAPER)
        for number, row in enumerate(rows)
    ]
    sheet = torch.cat(filled, dim=1)
    mean = sum(one.psnr for one in samples) / len(samples)
    title = f"and back: {mean:.2f} dB"
    return PictureView(sheet, (Panel(),), title=title)


def framed(picture: Tensor) -> Tensor:
    """A picture with paper around it, small ones with pixels as squares."""
    times = max(1, -(-SIDE // max(picture.shape[1:])))
    large = interpolate(picture.unsqueeze(0).float(), scale_factor=times, mode="nearest")[0]
    return pad(large.to(torch.uint8), (2, 2, 2, 2), value=PAPER)
