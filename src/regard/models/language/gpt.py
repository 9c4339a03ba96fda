"""GPT: a Transformer that is a decoder and nothing else."""

from collections.abc import Sequence
from typing import cast

import torch
from torch import nn

from regard.errors import RangeError
from regard.positions import InputPosition
from regard.types import Float, Int, Tensor

from ..dropout import Dropout
from ..embedding import TokenEmbedding
from ..output import Unembedding
from ..transformer.positions import joined
from ..transformer.residual import last_norm
from . import gpt_fast as fast
from .block import Block, initialise
from .gpt_config import GPTConfig
from .gpt_state import GPTState, right_aligned
from .model import LanguageModel

AnyState = GPTState | fast.PagedGPTState


class GPT(LanguageModel):
    r"""The decoder-only Transformer.

    .. math:: x_0 = E_{token} + P_{position}, \quad x_{l+1} = \text{block}_l(x_l), \quad
              o = W_u\, \text{norm}(x_L) + b

    Radford et al. 2019, as Algorithm 10, DTransformer, of Phuong and Hutter 2022
    (https://arxiv.org/abs/2207.09238); :class:`GPTConfig` maps their symbols to ours. Training
    is their DTraining, :func:`regard.decoding.decode` their DInference.

    Decoding runs on pages (``gpt_fast.py``), where attention is plain; ``gpt_fast.plan`` says
    whether and why. A position that nobody learned is an error: who writes more than ``context``
    tokens goes on from the last of them, as :class:`regard.tasks.text_generation.Generator` does.
    """

    config: GPTConfig
    layers: Sequence[Block]  # an nn.ModuleList

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.config = config
        width = config.model_dim
        self.embedding = TokenEmbedding(
            config.vocab, width, pad=None, factor=config.embedding_factor
        )
        self.position = joined(config)
        self.dropout = Dropout(config.chosen_embedding_dropout)
        layers = nn.ModuleList(Block(config) for _ in range(config.num_layers))
        self.layers = cast(Sequence[Block], layers)
        self.norm = last_norm(config)
        tied_to = self.embedding if config.tied else None
        self.output = Unembedding(width, config.vocab, tied_to=tied_to, bias=config.output_bias)
        initialise(layers, width)
        nn.init.normal_(self.output.proj.weight, std=0.5 * width**-0.5)

    def embed(
        self, tokens: Int[Tensor, "B T"], positions: Int[Tensor, "#B T"]
    ) -> Float[Tensor, "B T M"]:
        """Vectors of tokens that know where they stand, as far as the input tells."""
        x = self.embedding(tokens)
        if isinstance(self.position, InputPosition):
            x = x + self.position.encode(positions).to(x.dtype)
        return self.dropout(x)

    def features(self, tokens: Int[Tensor, "B T"]) -> Float[Tensor, "B T M"]:
        """What the output layer turns into logits, of a text from its beginning."""
        self._require_positions(tokens.shape[1])
        x = self.embed(tokens, torch.arange(tokens.shape[1], device=tokens.device).unsqueeze(0))
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)

    def read(
        self, tokens: Int[Tensor, "B T"], state: GPTState | None = None
    ) -> tuple[Float[Tensor, "B T M"], GPTState]:
        """Features of the tokens behind ``state``, or of the first ones, and the state behind them.

        Keys and values of what was read stay in the state: the KV cache.
        """
        before = GPTState.empty(len(tokens), self.config.num_layers, tokens.device)
        before = before if state is None else state
        self._require_positions(before.position + tokens.shape[1])
        x, caches = self.embed(tokens, before.positions(tokens.shape[1])), []
        real = before.real(tokens.shape[1])
        for layer, cache in zip(self.layers, before.caches, strict=True):
            x, grown = layer.step(x, cache, real)
            caches.append(grown)
        return self.norm(x), before.grown(tuple(caches), tokens.shape[1])

    def start(
        self,
        prompt: Int[Tensor, "B S"],
        lengths: Int[Tensor, " B"],
        *,
        decoder: fast.PagedDecoder | None = None,
    ) -> AnyState:
        """The state behind a prompt, which may be empty; ``decoder`` goes on, where it is paged."""
        if fast.plan(self).name != "definition":
            return fast.start(self, prompt, lengths, decoder or fast.PagedDecoder(self))
        aligned, missing = right_aligned(prompt, lengths)
        state = GPTState.empty(len(prompt), self.config.num_layers, prompt.device, missing)
        return self.read(aligned, state)[1] if aligned.shape[1] else state

    def step(
        self, tokens: Int[Tensor, " B"], state: AnyState
    ) -> tuple[Float[Tensor, "B V"], AnyState]:
        """Logits of the next token after ``tokens``, and the state behind them."""
        if isinstance(state, fast.PagedGPTState):
            return fast.step(self, tokens, state)
        return super().step(tokens, state)

    def steady(self) -> fast.SteadyGPT:
        """The same model to decode with while its parameters do not change."""
        return fast.SteadyGPT(self)

    def blocks(self) -> list[nn.Module]:
        """Its layers."""
        return list(self.layers)

    def _require_positions(self, count: int) -> None:
        if self.config.position == "learned" and count > self.config.context:
            raise RangeError(
                f"this model has positions for {self.config.context} tokens, got {count}; leave "
                "out the first ones"
            )
