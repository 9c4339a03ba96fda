"""How good a model is by now, on texts or pictures it has not learned from."""

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
import torch
from torch import nn

from regard.data.batches import BatchConfig, Batches, FinitePools
from regard.data.images.labelled.base import Pixels
from regard.data.running import TextCodec
from regard.decoding.protocol import device_of, inference
from regard.errors import InputError
from regard.models.autoencoder import PictureAutoencoder, TextAutoencoder
from regard.training.task import Comparison, Validation

from .codec import FrameCodec
from .corpus import encode
from .inference import reconstructed
from .noise import Noise
from .objective import TextObjective
from .predictor_of_pictures import PictureReconstructor
from .predictor_of_text import TextReconstructor
from .sample import decibels

SAMPLES = 3
"""Of a validation, that are shown."""


class TextValidator:
    """Measures a model on texts held out, without noise.

    Args:
        texts: which; those too long are left out.
        codec: between text and tokens.
        max_tokens: padded tokens of a batch.
        longest: tokens of a text at most; all are taken if not given.

    Raises:
        InputError: all texts are too long, or there is none.
    """

    def __init__(
        self, texts: Sequence[str], codec: TextCodec, *, max_tokens: int, longest: int | None
    ) -> None:
        self.codec = codec
        self._config = BatchConfig(max_tokens=max_tokens, order="by_length")
        self._corpus = encode(texts, codec.tokens, Noise(), longest=longest)
        self.left_out = self._corpus.left_out
        self.texts = [
            text
            for text in texts
            if text.strip() and (longest is None or len(codec.tokens.encode(text)) <= longest)
        ]

    @property
    def identity(self) -> str:
        """A short fingerprint of what is measured on."""
        return sha256("\n".join(self.texts).encode(errors="surrogatepass")).hexdigest()[:16]

    @property
    def size(self) -> int:
        """How many texts."""
        return len(self.texts)

    def validate(self, model: nn.Module) -> Validation:
        """How surprising texts are, and how many come back; the model is left as it was."""
        assert isinstance(model, TextAutoencoder)
        samples = list(TextReconstructor(model, self.codec).predict(self.texts))
        right, count = (sum(each) for each in zip(*(one.right for one in samples), strict=True))
        scores = {
            "loss": self._surprise(model),
            "exact": sum(one.exact for one in samples) / len(samples),
            "token_accuracy": right / count,
        }
        return Validation(scores, tuple(samples[:SAMPLES]))

    def _surprise(self, model: TextAutoencoder) -> float:
        """Nats of a token, ends included."""
        objective, device = TextObjective(model, pad=model.config.pad), device_of(model)
        nll, count = 0.0, 0
        for batch in Batches(FinitePools(self._corpus), self._config):
            with inference(objective):
                nll += float(objective(batch.to(device)).parts["nll"])
            count += batch.num_targets
        return nll / count


class PictureValidator:
    """Measures a model on pictures held out, without noise.

    Args:
        pixels: (N, Y, X, 3), at the size of the codec.
        codec: their size.
    """

    left_out = 0

    def __init__(self, pixels: Pixels, codec: FrameCodec) -> None:
        self.pixels = torch.from_numpy(np.ascontiguousarray(pixels)).permute(0, 3, 1, 2)
        self.codec = codec

    @property
    def identity(self) -> str:
        """A short fingerprint of what is measured on."""
        total = sha256(str(tuple(self.pixels.shape)).encode())
        total.update(self.pixels.permute(0, 2, 3, 1).contiguous().numpy().data)
        return total.hexdigest()[:16]

    @property
    def size(self) -> int:
        """How many pictures."""
        return len(self.pixels)

    def validate(self, model: nn.Module) -> Validation:
        """How far pictures are from what comes back; the model is left as it was."""
        assert isinstance(model, PictureAutoencoder)
        errors = [one.error for one in reconstructed(model, self.pixels)]
        loss = sum(errors) / len(errors)
        scores = {"loss": loss, "psnr": sum(map(decibels, errors)) / len(errors)}
        shown = PictureReconstructor(model, self.codec).predict(self.pixels[:SAMPLES])
        return Validation(scores, tuple(shown))


def compared_texts(
    before: TextReconstructor, after: TextReconstructor, texts: Sequence[str]
) -> Comparison:
    """Two predictors on the same texts."""
    first, second = (list(one.predict(texts)) for one in (before, after))
    return Comparison(
        examples=len(texts),
        changed=sum(
            one.reconstruction != other.reconstruction
            for one, other in zip(first, second, strict=True)
        ),
        measure="exact",
        before=100 * sum(one.exact for one in first) / max(1, len(first)),
        after=100 * sum(one.exact for one in second) / max(1, len(second)),
    )


def compared_pictures(
    before: PictureReconstructor, after: PictureReconstructor, pixels: Pixels
) -> Comparison:
    """Two predictors on the same pictures; those count as changed where a colour is another one by
    more than one level in 256 on average.

    Raises:
        InputError: there are none.
    """
    if not len(pixels):
        raise InputError("comparing autoencoders needs pictures, got none")
    seen = torch.from_numpy(np.ascontiguousarray(pixels)).permute(0, 3, 1, 2)
    first, second = (list(one.predict(seen)) for one in (before, after))
    apart = [
        float((one.reconstruction.float() - other.reconstruction.float()).abs().mean())
        for one, other in zip(first, second, strict=True)
    ]
    psnr = [sum(one.psnr for one in each) / len(each) for each in (first, second)]
    return Comparison(len(first), sum(one > 1 for one in apart), "PSNR in dB", *psnr)
