"""Decoding on pages: texts of any length side by side, hypotheses share their KV cache.

The twin of :meth:`.gpt.GPT.start` and :meth:`.gpt.GPT.step`, for plain attention.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import torch

from regard.functional.normalisers import softmax
from regard.functional.scores import ScaledDot
from regard.nn.position import Rotates
from regard.positions import InputPosition, Rotary
from regard.types import Float, Int, Tensor

from ..transformer.fast.eager_layer import (
    FeedForwardStep,
    Map,
    SelfAttentionStep,
    feed_forward_step,
    self_attention_step,
)
from ..transformer.fast.paged_cache import PagedCache
from ..transformer.fast.storage import Room

if TYPE_CHECKING:
    from .gpt import GPT


class Plan(NamedTuple):
    """The path that runs, and why this one."""

    name: Literal["paged", "definition"]
    why: str


def plan(model: "GPT") -> Plan:
    """How a model decodes."""
    obstacle = next(_obstacles(model), None)
    if obstacle is not None:
        return Plan("definition", f"{obstacle}: every text has a KV cache of its own")
    return Plan("paged", "plain attention: texts of any length side by side share pages")


def _obstacles(model: "GPT") -> Iterator[str]:
    config = model.config
    if torch.is_grad_enabled():
        yield "gradients are recorded"
    if model.training:
        yield "the model is in training mode"
    if any(layer.attention.observed for layer in model.layers):
        yield "an attention is watched"
    if torch.is_autocast_enabled(model.embedding.weight.device.type):
        yield "autocast is on"
    if config.score not in ("scaled_dot", ScaledDot()):
        yield "its score is no scaled dot product"
    if config.normalise not in ("softmax", softmax):
        yield "its normaliser is not softmax"
    if config.query_key_norm:
        yield "queries and keys are normalised"
    if config.window is not None:
        yield "each token sees those in a window alone"
    if config.position in ("alibi", "relative", "shaw", "t5"):
        yield f"{config.position} positions are a term of the score"


class PagedDecoder:
    """The layers of a model laid out for steps: tensors, no modules to call.

    Features that turn together stand side by side here, so that a turn is one complex product:
    queries and keys are permuted alike, which no product between them notices.

    Args:
        model: its parameters stay as they are.
    """

    def __init__(self, model: "GPT") -> None:
        self.norm = model.norm
        self.output = Map(model.output.proj.weight, model.output.proj.bias)
        rotary = model.layers[0].attention.position
        self._rotary = rotary if isinstance(rotary, Rotary) else None
        assert self._rotary is not None or not isinstance(rotary, Rotates)
        self.layers: list[tuple[SelfAttentionStep, FeedForwardStep]] = []
        for layer in model.layers:
            step = self_attention_step(layer, model.config.norm)
            if self._rotary is not None:
                step = step._replace(all_proj=self._in_pairs(layer.attention))
            self.layers.append((step, feed_forward_step(layer, model.config.norm)))
        self.heads = self.layers[0][0].heads
        self._turns = model.embedding.weight.new_empty(0)

    def turns(self, positions: Int[Tensor, " R"], last: int, like: Tensor) -> Tensor | None:
        """What the features of these positions are turned by: complex numbers (R, 1, D / 2)."""
        if self._rotary is None:
            return None
        if last >= len(self._turns):
            known = torch.arange(2 * last + 32, device=like.device)
            theta = self._rotary.angles(known)
            both = self._rotary.magnitude * torch.complex(theta.cos(), theta.sin())
            single = like.dtype == torch.float32
            self._turns = both.to(torch.complex64 if single else torch.complex128)
        return self._turns.index_select(0, positions).unsqueeze(1)

    def turn(self, projected: Float[Tensor, "R _"], turns: Tensor | None) -> None:
        """Queries and keys turned where they stand."""
        if turns is None:
            return
        width = self.heads.width
        turned = projected[:, : (self.heads.query + self.heads.key) * width]
        pairs = turned.unflatten(-1, (-1, width // 2, 2))
        torch.view_as_complex(pairs).mul_(turns)

    def pairs(self, key: Float[Tensor, "B G S D"], value: Float[Tensor, "B G S D"]) -> Tensor:
        """Keys and values side by side, a row for each token, in the layout of these layers."""
        if self._rotary is not None:
            key = key[..., self._order(key.shape[-1])]
        return torch.cat([_rows(key), _rows(value)], dim=-1)

    def _order(self, width: int) -> Int[Tensor, " D"]:
        """Which feature stands in each place, that pairs stand side by side."""
        assert self._rotary is not None
        places = torch.arange(width)
        if self._rotary.layout == "halves":
            places = places.unflatten(0, (2, -1)).T.flatten()
        return places

    def _in_pairs(self, attention: Any) -> Map:
        joint, width = attention.in_proj, attention.head_dim
        turned = (attention.num_heads + attention.num_key_heads) * width
        order = torch.arange(len(joint.weight))
        heads = order[:turned].unflatten(0, (-1, width))[:, self._order(width)].flatten()
        order = torch.cat([heads, order[turned:]]).to(joint.weight.device)
        return Map(joint.weight[order], None if joint.bias is None else joint.bias[order])


@dataclass(frozen=True, eq=False)
class PagedGPTState:
    """Keys and values in one row per token; every text has a list of its rows.

    Whoever goes on from a text copies its list, nothing else, and texts need not be equally long.
    """

    decoder: PagedDecoder
    written: PagedCache

    def reorder(self, rows: Int[Tensor, " b"]) -> "PagedGPTState":
        """The state of these elements of the batch."""
        return replace(self, written=self.written.reorder(rows))

    def joined(self, other: "PagedGPTState") -> "PagedGPTState":
        """The state of both batches, the elements of ``other`` behind ours."""
        return replace(self, written=self.written.joined(other.written))


def start(
    model: "GPT", prompt: Int[Tensor, "B S"], lengths: Int[Tensor, " B"], decoder: PagedDecoder
) -> PagedGPTState:
    """The state behind a prompt: read in parallel, then laid out in pages."""
    weight, batch = model.embedding.weight, len(prompt)
    heads, width = decoder.heads, int(lengths.max()) if batch else 0
    if not width:
        pair = 2 * heads.key * heads.width
        return PagedGPTState(decoder, PagedCache.empty(batch, [pair] * len(model.layers), weight))
    columns = torch.arange(width, device=prompt.device)
    x, layers = model.embed(prompt[:, :width], columns.unsqueeze(0)), list[Tensor]()
    for layer in model.layers:  # what fills up stands behind all tokens, so none of them sees it
        x, cache = layer.step(x, None)
        layers.append(decoder.pairs(cache.key, cache.value))
    slots = (lengths.unsqueeze(-1) - 1 - columns).clamp(min=0)  # the last token first
    slots = slots + width * torch.arange(batch, device=prompt.device).unsqueeze(-1)
    room = Room(tuple(layers), filled=batch * width)
    return PagedGPTState(decoder, PagedCache(room, slots, lengths.clone()))


def step(
    model: "GPT", tokens: Int[Tensor, " R"], state: PagedGPTState
) -> tuple[Float[Tensor, "R V"], PagedGPTState]:
    """Logits of the next token after ``tokens``, and the state behind them."""
    before, decoder = state.written, state.decoder
    model._require_positions(before.longest + 1)
    x = model.embedding(tokens)
    if isinstance(model.position, InputPosition):
        x = x + model.position.encode(before.lengths).to(x.dtype)  # (R, M)
    turns = decoder.turns(before.lengths, before.longest, x)
    written, first = before.grown()
    pages, layers = written.pages(), written.room.layers
    for (attention, feed_forward), pairs in zip(decoder.layers, layers, strict=True):
        projected = attention.projected(x)
        decoder.turn(projected, turns)
        pairs[first : first + len(x)] = attention.pairs(projected)
        x = feed_forward.apply(attention.apply(x, projected, pairs, pages))
    return decoder.output(decoder.norm(x)), replace(state, written=written)


class SteadyGPT:
    """Lays its layers out once, for all that is decoded; the numbers are the model's.

    Args:
        model: its parameters stay as they are.
    """

    def __init__(self, model: "GPT") -> None:
        self._model = model

    def start(self, prompt: Int[Tensor, "B S"], lengths: Int[Tensor, " B"]) -> Any:
        """The state behind a prompt."""
        paged = plan(self._model).name == "paged"
        return self._model.start(prompt, lengths, decoder=self._decoder if paged else None)

    def step(self, tokens: Int[Tensor, " B"], state: Any) -> tuple[Float[Tensor, "B V"], Any]:
        """Logits of the next token after ``tokens``, and the state behind them."""
        return self._model.step(tokens, state)

    def last_weights(self, state: Any) -> None:
        """There is no source to look at."""
        return

    @cached_property
    def _decoder(self) -> PagedDecoder:
        return PagedDecoder(self._model)


def _rows(x: Float[Tensor, "B G S D"]) -> Float[Tensor, "R GD"]:
    """One row for each token, heads side by side."""
    return x.transpose(1, 2).flatten(2).flatten(0, 1)
