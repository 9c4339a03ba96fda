"""Models over many texts or pictures: latents, and what comes back of them, in their order."""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import torch
from torch import nn

from regard.data.batches import BatchConfig, Batches, FinitePools
from regard.decoding import BatchLimit, FeaturePrompts, Greedy, Hypothesis, Limits, Prompt, decode
from regard.decoding.protocol import device_of, inference
from regard.decoding.search import Strategy
from regard.models.autoencoder import LatentDecoder, PictureAutoencoder, TextAutoencoder
from regard.types import Float, Int, Tensor, UInt8

from .corpus import Texts
from .objective import squared_errors

MAX_TOKENS = 8192
"""Padded tokens of a batch where nothing is learned."""
ROWS = 256
"""Pictures of a batch."""
GREEDY, LIMITS = Greedy(), Limits(max_length=4096)
"""The likeliest token each time, and at most twice as many as went in and ten."""


class Encoded(NamedTuple):
    """What a text becomes."""

    latent: Float[Tensor, " Z"]
    pooled: Float[Tensor, " N"] | None = None
    """How much each token counted, where features are pooled by attention."""


class Code(NamedTuple):
    """A latent, to be written out."""

    latent: Float[Tensor, " Z"]
    tokens: int = 1
    """Of the text it came from: by them what comes back is limited."""


class LatentPrompts:
    """Latents as prompts: see :class:`regard.decoding.Prompts`."""

    def length(self, source: Code) -> int:
        """Tokens of the text."""
        return source.tokens

    def key(self, source: Code) -> object:
        """A digest of the numbers."""
        return source.tokens, FeaturePrompts().key(source.latent)

    def batch(self, sources: Sequence[Code], device: torch.device) -> Prompt:
        """Side by side, (B, Z)."""
        lengths = torch.tensor([source.tokens for source in sources], device=device)
        return Prompt(torch.stack([source.latent for source in sources]).to(device), lengths)


class Unfolding(nn.Module):
    """A decoder that starts from latents: a :class:`regard.decoding.StepDecoder`."""

    def __init__(self, decoder: LatentDecoder) -> None:
        super().__init__()
        self.decoder = decoder

    def start(self, prompt: Float[Tensor, "B Z"], lengths: Int[Tensor, " B"]) -> Any:
        """The state before the first token."""
        return self.decoder.start(prompt)

    def step(self, tokens: Int[Tensor, " B"], state: Any) -> tuple[Float[Tensor, "B V"], Any]:
        """Logits of the next token after ``tokens``, and the state behind them."""
        return self.decoder.step(tokens, state)

    def last_weights(self, state: Any) -> None:
        """The text itself is not there to be looked at."""
        return


def encoded(
    model: TextAutoencoder, corpus: Texts, *, looks: bool = False, max_tokens: int = MAX_TOKENS
) -> list[Encoded]:
    """The latent of every text of a corpus, in their order.

    Args:
        model: which is left as it was.
        corpus: the texts, with their noise if they have any.
        looks: whether to tell how much each token counted, too.
        max_tokens: padded tokens of a batch.
    """
    from regard.lens import capture
    from regard.lens.capture import attention_modules

    found: dict[int, Encoded] = {}
    config, device = BatchConfig(max_tokens=max_tokens, order="by_length"), device_of(model)
    watched = looks and "pooling.attention" in attention_modules(model)
    for batch in Batches(FinitePools(corpus), config):
        here = batch.to(device)
        with inference(model), capture(model) if watched else nullcontext() as record:
            latents = model.encode(here.tokens, here.lengths).float().cpu()
        # (B, N): how much each token counted
        pooled = record["pooling.attention"].weights[:, 0].float().cpu() if record else None
        rows = zip(batch.indices.tolist(), batch.lengths.tolist(), latents, strict=True)
        for place, (row, length, latent) in enumerate(rows):
            weights = None if pooled is None else pooled[place, :length].clone()
            found[row] = Encoded(latent.clone(), weights)
    return [found[row] for row in range(len(corpus))]


def unfolded(
    model: TextAutoencoder,
    codes: Sequence[Code],
    *,
    limits: Limits = LIMITS,
    strategy: Strategy = GREEDY,
) -> list[Hypothesis]:
    """The best text of every latent, in their order.

    Args:
        model: which is left as it was.
        codes: latents.
        limits: how much may come back; about twice as much as went in, if not given.
        strategy: how tokens are chosen.
    """
    dtype = next(model.parameters()).dtype
    found = decode(
        Unfolding(model.decoder).train(model.training),
        [one._replace(latent=one.latent.to(dtype)) for one in codes],
        strategy=strategy,
        limits=_fitting(limits, model.config.longest),
        pad=model.config.pad,
        bos=model.config.start,
        prompts=LatentPrompts(),
        batch=BatchLimit(sentences=256),
    )
    return [hypotheses[0] for hypotheses in found]


def _fitting(limits: Limits, most: int | None) -> Limits:
    """No more than a model has positions for."""
    if most is None or limits.max_length <= most:
        return limits
    return limits.model_copy(update={"max_length": most + 1})


class Back(NamedTuple):
    """A picture, as it came back."""

    latent: Float[Tensor, " Z"]
    pixels: UInt8[Tensor, "3 Y X"]
    error: float
    """The mean squared error of its colours, from 0 to 1, before they are rounded."""


def reconstructed(model: PictureAutoencoder, pixels: UInt8[Tensor, "N 3 Y X"]) -> Iterator[Back]:
    """What comes back of every picture, in their order."""
    device = device_of(model)
    for some in pixels.split(ROWS):
        here = some.to(device)
        with inference(model):
            latents = model.encode(here)
            colours = model.decode(latents).float()
            errors = squared_errors(colours, here).cpu().tolist()
            drawn = (colours * 255).round().to(torch.uint8).cpu()
        yield from map(Back, latents.float().cpu().clone(), drawn.clone(), errors)
