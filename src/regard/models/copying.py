"""Copy attention: a decoder that writes a word of its own, or one that it looks at."""

from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.functional import log_softmax, logsigmoid

from regard.errors import ChoiceError
from regard.types import Float, Int, Tensor

from .config import Seq2SeqConfig
from .embedding import TokenEmbedding
from .output import Unembedding
from .seq2seq import Decoded, Seq2Seq

LEAST = 1e-30
"""Probability that what is nowhere in the source counts as, so that its logarithm is a number."""


class Copying(Seq2Seq):
    r"""Any attentive model, with a pointer to its source beside its vocabulary.

    .. math::
        p(w) &= p_{gen}\, P_{vocab}(w) + (1 - p_{gen}) \sum_{i: x_i = w} \alpha_i \\
        p_{gen} &= \sigma(w_c^\top c + w_s^\top s + w_x^\top x + b)

    See et al. 2017, Eq. 8 and 9 (https://arxiv.org/abs/1704.04368); pointing alone: Vinyals et al.
    2015 (https://arxiv.org/abs/1506.03134). α is what the model tells of itself as its alignment, s
    what its output layer reads, x the embedding of the last token. Differs from the paper, so that
    it is the same for every decoder: c is the context of the source's *embeddings*, Σ α_i E x_i,
    what would be copied; the context of its states is part of s already.

    Both sides have one vocabulary. With an ``extension`` words that it lacks have numbers too: the
    k-th different one of a source is the token V + k, read as ``unknown``, copied as itself, so
    that V + extension tokens can be written (their section 2.2).

    The logits are log p, which softmax leaves as they are; sums of probabilities are taken in log
    space. The features carry, for each position, what the output needs: s, the gate, α and x.

    Args:
        inner: the model; its output layer becomes P_vocab.
    """

    config: Seq2SeqConfig
    output: "CopyOutput"

    def __init__(self, inner: Seq2Seq) -> None:
        super().__init__()
        self.config = config = inner.config
        assert config.copying is not None
        self.extension, self.unknown = config.copying.extension, config.copying.unknown
        generator = inner.output
        assert isinstance(generator, Unembedding)
        inner.output = nn.Identity()  # its steps give features
        self.inner = inner
        width, features = self._embedding("target").embedding_dim, _width(generator)
        self.gate = nn.Linear(features + 2 * width, 1)
        self.output = CopyOutput(generator, features, config.target_vocab + self.extension)

    def decode_parallel(
        self,
        source: Int[Tensor, "B S"],
        source_lengths: Int[Tensor, " B"],
        target: Int[Tensor, "B T"],
        *,
        aligned: bool = False,
    ) -> Decoded:
        """What the output reads at all target positions, and where they looked if ``aligned``."""
        known = self._known(target)
        found = self.inner.decode_parallel(self._known(source), source_lengths, known, aligned=True)
        if found.weights is None:
            raise ChoiceError(
                f"copying needs a model that looks at its source, {type(self.inner).__name__} "
                "does not; leave copying out"
            )
        features = self._packed(found.features, found.weights, source, known)
        return found._replace(features=features, weights=found.weights if aligned else None)

    def start(self, source: Int[Tensor, "B S"], source_lengths: Int[Tensor, " B"]) -> "CopyState":
        """The state before the first token."""
        return CopyState(self.inner.start(self._known(source), source_lengths), source)

    def step(
        self, tokens: Int[Tensor, " B"], state: "CopyState"
    ) -> tuple[Float[Tensor, "B V"], "CopyState"]:
        """Log-probabilities of the next token after ``tokens``, and the state behind them."""
        known = self._known(tokens)
        features, after = self.inner.step(known, state.inner)
        weights = self.inner.last_weights(after)
        if weights is None:
            raise ChoiceError(
                f"copying needs a model that looks, {type(self.inner).__name__} does not"
            )
        packed = self._packed(features[:, None], weights[:, None], state.source, known[:, None])
        return self.output(packed.squeeze(1)), CopyState(after, state.source)

    def last_weights(self, state: "CopyState") -> Float[Tensor, "B S"] | None:
        """Where the last step looked, which is what it could copy."""
        return self.inner.last_weights(state.inner)

    def blocks(self) -> list[nn.Module]:
        """Those of the model inside."""
        return self.inner.blocks()

    def _embedding(self, side: str) -> TokenEmbedding:
        found = self.inner.get_submodule(f"{side}_embedding")
        assert isinstance(found, TokenEmbedding)
        return found

    def _known(self, tokens: Int[Tensor, "*B"]) -> Int[Tensor, "*B"]:
        """Tokens as the embeddings know them."""
        if not self.extension:
            return tokens
        return tokens.masked_fill(tokens >= self.config.target_vocab, self.unknown)

    def _packed(
        self,
        features: Float[Tensor, "B T M"],
        weights: Float[Tensor, "B T S"],
        source: Int[Tensor, "B S"],
        target: Int[Tensor, "B T"],
    ) -> Float[Tensor, "B T N"]:
        """Features, gate, weights and source tokens side by side."""
        width = weights.shape[-1]
        source = source[:, :width]
        context = weights @ self._embedding("source")(self._known(source))  # (B, T, E)
        last = self._embedding("target")(target)  # (B, T, E)
        gate = self.gate(torch.cat([features, context.to(features.dtype), last], dim=-1))
        dtype = torch.promote_types(features.dtype, torch.float32)  # which holds token numbers
        ids = source[:, None].expand(-1, features.shape[1], -1)  # (B, T, S)
        return torch.cat([part.to(dtype) for part in (features, gate, weights, ids)], dim=-1)


class CopyOutput(nn.Module):
    """From packed features to log-probabilities.

    Args:
        generator: from features to logits of the vocabulary.
        width: of the features.
        vocab: tokens that can be written, the extension included.
    """

    def __init__(self, generator: nn.Module, width: int, vocab: int) -> None:
        super().__init__()
        self.generator, self.width, self.vocab = generator, width, vocab

    def forward(self, packed: Float[Tensor, "*B N"]) -> Float[Tensor, "*B V"]:
        """log p of every token."""
        features, gate, rest = packed.split(
            [self.width, 1, packed.shape[-1] - self.width - 1], dim=-1
        )
        weights, ids = rest.chunk(2, dim=-1)
        own = log_softmax(self.generator(features).to(packed.dtype), dim=-1)
        return mixed(own, weights, ids.long(), gate, self.vocab)


def mixed(
    own: Float[Tensor, "*B V"],
    weights: Float[Tensor, "*B S"],
    source: Int[Tensor, "*B S"],
    gate: Float[Tensor, "*B 1"],
    vocab: int,
) -> Float[Tensor, "*B W"]:
    r"""log(σ(g) P(w) + (1 − σ(g)) Σ_{i: x_i = w} α_i), each term in log space.

    Args:
        own: log P of the vocabulary's tokens.
        weights: α.
        source: x, from 0 to ``vocab`` − 1.
        gate: g.
        vocab: tokens in all; those that ``own`` lacks can be copied only.
    """
    shape = (*own.shape[:-1], vocab)
    pointed = weights.new_zeros(shape).scatter_add(-1, source, weights)
    more = own.new_full((*own.shape[:-1], vocab - own.shape[-1]), -torch.inf)
    own = torch.cat([own, more], dim=-1)
    copied = pointed.clamp(min=LEAST).log()
    return torch.logaddexp(logsigmoid(gate) + own, logsigmoid(-gate) + copied)


class CopyState(NamedTuple):
    """The inner model's state, and what can be copied."""

    inner: Any
    source: Int[Tensor, "B S"]

    def reorder(self, rows: Int[Tensor, " b"]) -> "CopyState":
        """The state of these elements of the batch."""
        return CopyState(self.inner.reorder(rows), self.source.index_select(0, rows))


def _width(generator: Unembedding) -> int:
    bridge = generator.bridge
    return bridge.in_features if isinstance(bridge, nn.Linear) else generator.proj.in_features
