"""Attention inside a decoder: one protocol for all that look at a memory step by step."""

from abc import abstractmethod
from collections.abc import Callable

import torch
from torch import nn

from regard.errors import DtypeError, ShapeError
from regard.functional.asked import Asked
from regard.functional.engine.unseen import unseen_zeroed
from regard.functional.forms import Looks
from regard.functional.normalisers import Normaliser
from regard.functional.scores import Score
from regard.functional.tensors import require_padded
from regard.functional.weigh import weigh
from regard.types import Float, Tensor

from .base import AttentionModule
from .memory import KeyMask, Memory, key_mask


class StepAttention(AttentionModule):
    """Keys are projected once, then every state of the decoder looks at them.

    >>> memory = attention.prepare(keys, mask)          # once per sequence
    >>> context, weights = attention(state, memory)     # in every step
    >>> contexts = attention.contexts(states, memory)   # all steps at once, where all are known

    Keys may also be passed as they are, for a single look: they are prepared on the way, without a
    mask. A subclass has what projects keys and states, and says what score pairs them. States may
    share one memory: leading axes broadcast.
    """

    kind = "cross"
    query_dim: int
    key_dim: int
    normalise: Normaliser | str = "softmax"
    query_proj: nn.Module
    key_proj: nn.Module

    def project_keys(self, keys: Float[Tensor, "*B K Dk"]) -> Float[Tensor, "*B K D"]:
        """What of the score depends on the keys alone."""
        return self.key_proj(keys)

    def project_states(self, states: Float[Tensor, "*B Q Dq"]) -> Float[Tensor, "*B Q D"]:
        """What of the score depends on the states alone."""
        return self.query_proj(states)

    @abstractmethod
    def score(self) -> Score:
        """The pairing of projected states and projected keys."""

    def prepare(
        self,
        keys: Float[Tensor, "*B K Dk"],
        mask: KeyMask | None = None,
        *,
        values: Float[Tensor, "*Bv Kv E"] | None = None,
    ) -> Memory:
        """The memory of a sequence.

        Args:
            keys: what is looked at, e.g. the states of an encoder.
            mask: which keys may be looked at: a mask, booleans (*B, K), or lengths (*B,).
            values: what is pooled; the keys themselves if not given.

        Raises:
            ShapeError: keys of another width, not one value or not one boolean per key.
        """
        self._check_keys(keys, mask, values)
        allowed = key_mask(mask)
        keys = unseen_zeroed(keys, allowed)
        pooled = keys if values is None else unseen_zeroed(values, allowed)
        projected = self.project_keys(keys)
        looks = None if projected is keys else Looks()  # what is the caller's own may change
        return Memory(projected, pooled, allowed, looks)

    def forward(
        self, state: Float[Tensor, "*#B Dq"], memory: Memory | Float[Tensor, "*#B K Dk"]
    ) -> tuple[Float[Tensor, "*B E"], Float[Tensor, "*B K"]]:
        """Context and weights of one state per sequence.

        Args:
            state: of the decoder.
            memory: from :meth:`prepare`, or keys.
        """
        memory = self.prepared(memory)
        self._check_states(state, memory, axes=1)
        context, weights = self.look(state.unsqueeze(-2), memory)  # (*B, 1, E), (*B, 1, K)
        return context.squeeze(-2), weights.squeeze(-2)

    def look(
        self,
        states: Float[Tensor, "*#B Q Dq"],
        memory: Memory,
        *,
        score: Score | None = None,
        pool: Callable[[Tensor], Tensor] | None = None,
    ) -> tuple[Float[Tensor, "*B Q E"], Float[Tensor, "*B Q K"]]:
        """Contexts and weights of states that fit the memory: weigh, then pool.

        Args:
            states: of the decoder.
            memory: from :meth:`prepare`.
            score: :meth:`score` as it looks at this memory, where a loop has it already.
            pool: from weights to contexts; products with the memory's values if not given.
        """
        query, key, mask, how = self.project_states(states), memory.key, memory.mask, self.normalise
        score = memory.seen_by(self.score()) if score is None else score
        weights = weigh(query, key, score=score, mask=mask, normalise=how)  # (*B, Q, K)
        if not self.observed:
            return weights @ memory.value if pool is None else pool(weights), weights
        asked = Asked(
            query, key, memory.value, score, mask, how, kind=self.kind, training=self.training
        )
        return self.pooled(asked, weights, pool)

    def contexts(
        self, states: Float[Tensor, "*#B Q Dq"], memory: Memory | Float[Tensor, "*#B K Dk"]
    ) -> Float[Tensor, "*B Q E"]:
        """The contexts of many states at once, in linear memory; no weights are written down."""
        memory = self.prepared(memory)
        self._check_states(states, memory)
        return self.attend(
            self.project_states(states),
            memory.key,
            memory.value,
            score=self.score(),
            mask=memory.mask,
            normalise=self.normalise,
        )

    def prepared(self, memory: Memory | Float[Tensor, "*#B K Dk"]) -> Memory:
        """What :meth:`prepare` makes of keys; what it has made already stays what it is.

        Raises:
            DtypeError: neither keys nor a memory.
        """
        if isinstance(memory, Memory):
            return memory
        if not isinstance(memory, Tensor):
            raise DtypeError(
                f"{type(self).__name__} needs keys as a tensor, or what prepare(keys, lengths) "
                f"made of them, got {type(memory).__name__}"
            )
        return self.prepare(memory)

    def _check_keys(self, keys: Tensor, mask: KeyMask | None, values: Tensor | None) -> None:
        name = type(self).__name__
        require_padded(self, keys)
        if keys.dim() < 2 or keys.shape[-1] != self.key_dim:
            raise ShapeError(
                f"{name} needs keys (*B, K, D) of width {self.key_dim}, got {tuple(keys.shape)}"
            )
        if values is not None and values.shape[:-1] != keys.shape[:-1]:
            raise ShapeError(
                f"{name} needs one value per key, got keys {tuple(keys.shape)} and values "
                f"{tuple(values.shape)}"
            )
        if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
            return
        if mask.shape != keys.shape[:-1]:
            raise ShapeError(
                f"{name} needs one boolean per key, {tuple(keys.shape[:-1])}, got a mask "
                f"{tuple(mask.shape)}"
            )

    def _check_states(self, states: Tensor, memory: Memory, *, axes: int = 2) -> None:
        """Raise unless there is a row of states per sequence, or with one axis a single state."""
        require_padded(self, states)
        batch, leading = memory.key.shape[:-2], states.shape[:-axes]
        fits = len(leading) == len(batch) and all(
            own == other or 1 in (own, other) for own, other in zip(leading, batch, strict=True)
        )
        if not fits or states.shape[-1] != self.query_dim:
            what = "a state (*B, D)" if axes == 1 else "states (*B, Q, D)"
            raise ShapeError(
                f"{type(self).__name__} needs {what} of width {self.query_dim} with the batch "
                f"{tuple(batch)} of the memory, got {tuple(states.shape)}"
            )
