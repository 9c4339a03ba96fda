"""How good a language model is by now, on text it has not learned from."""

import math

from torch import nn

from regard.models.language import LanguageModel
from regard.training.task import Validation

from .codec import TextCodec
from .predictor import Generator
from .scoring import surprise
from .windows import digest, require_text

MOST_NATS = 700.0
"""Whose exponential is still a number."""
SAMPLED = 100
"""Tokens of a sample."""


class TextValidator:
    """Measures a model on text held out: in windows, as it is trained.

    Args:
        text: held out.
        codec: between it and tokens.
        length: of a window.
        max_tokens: of a batch.
        carried: whether the state goes on from window to window.
    """

    left_out = 0

    def __init__(
        self, text: str, codec: TextCodec, *, length: int, max_tokens: int, carried: bool
    ) -> None:
        self._tokens, self._codec = require_text(codec.encode(text)), codec
        self._characters = max(1, len(text) - len(codec.decode(self._tokens[:1].tolist())))
        self._length, self._max_tokens, self._carried = length, max_tokens, carried

    @property
    def identity(self) -> str:
        """A short fingerprint of what is measured on."""
        return f"{digest(self._tokens)}/{self._length}"

    @property
    def size(self) -> int:
        """How many windows."""
        return -(-(len(self._tokens) - 1) // self._length)

    def validate(self, model: nn.Module) -> Validation:
        """All scores of a model, which is left as it was, and something it writes."""
        assert isinstance(model, LanguageModel)
        found = surprise(
            model,
            self._tokens,
            length=self._length,
            max_tokens=self._max_tokens,
            carried=self._carried,
        )
        scores = {
            "loss": found.mean,
            "bits_per_character": float(found.nats.sum()) / math.log(2) / self._characters,
            "perplexity": math.exp(min(found.mean, MOST_NATS)),
        }
        generator = Generator(model, self._codec)
        return Validation(scores, (generator("", max_tokens=SAMPLED),))
