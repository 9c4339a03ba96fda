"""What training minimises: how far what comes back is from what went in."""

import torch

from regard.models.autoencoder import PictureAutoencoder, TextAutoencoder
from regard.training.cross_entropy import smoothed_cross_entropy
from regard.training.objective import Loss, Objective
from regard.types import Float, Tensor, UInt8

from .batch import PictureBatch, TextBatch, empty_pictures, empty_text
from .noise import Noise
from .noising import noised_pixels


class TextObjective(Objective[TextBatch]):
    r"""How surprising a text is to who knows its vector.

    .. math:: \mathcal L = -\sum_t \ln p(x_t \mid x_{<t}, z(\tilde x))

    Hill et al. 2016 (https://arxiv.org/abs/1602.03483); :math:`\tilde x` is the text
    with the noise that its batch has. A sum over tokens, ends included: divide by
    :attr:`TextBatch.num_targets`.

    Args:
        model: what is trained.
        pad: token that fills up short texts.
    """

    model: TextAutoencoder

    def __init__(self, model: TextAutoencoder, *, pad: int) -> None:
        super().__init__()
        self.model, self.pad = model, pad

    def forward(self, batch: TextBatch) -> Loss:
        """The loss of one batch; its part ``nll`` is in nats."""
        features = self.model.features(batch.tokens, batch.lengths, batch.written)
        losses = smoothed_cross_entropy(features, batch.targets, self.model.output, pad=self.pad)
        return Loss(losses.smoothed, {"nll": losses.nll})

    def empty_batch(self) -> TextBatch:
        """A row with nothing to come back."""
        return empty_text()


class PictureObjective(Objective[PictureBatch]):
    r"""The squared error of the colours that come back.

    .. math:: \mathcal L = \sum_n \frac{1}{3 Y X} \lVert \hat x(\tilde x_n) - x_n \rVert^2

    Vincent et al. 2010 (https://jmlr.org/papers/v11/vincent10a.html), of
    colours from 0 to 1. What is drawn for the noise of :math:`\tilde x` comes from torch's
    generator, which is seeded for every step. A sum over pictures: divide by
    :attr:`PictureBatch.num_targets`.

    Args:
        model: what is trained.
        noise: what happens to pictures on the way in, in training.
    """

    model: PictureAutoencoder

    def __init__(self, model: PictureAutoencoder, *, noise: Noise) -> None:
        super().__init__()
        self.model, self.noise = model, noise

    def forward(self, batch: PictureBatch) -> Loss:
        """The loss of one batch."""
        read = noised_pixels(batch.pixels, self.noise) if self.training else batch.pixels
        errors = squared_errors(self.model(read), batch.pixels)  # (B,)
        counted = batch.indices >= 0
        return Loss((errors * counted).sum(), {})

    def empty_batch(self) -> PictureBatch:
        """Pictures that do not count."""
        return empty_pictures(*self.model.config.size)


def squared_errors(
    colours: Float[Tensor, "B 3 Y X"], pixels: UInt8[Tensor, "B 3 Y X"]
) -> Float[Tensor, " B"]:
    """The mean over all pixels and colours of each picture."""
    wanted = pixels.to(torch.promote_types(colours.dtype, torch.float32)) / 255
    return (colours - wanted).square().mean(dim=(1, 2, 3))
