"""A batch that a model can be run on as it is, or changed: what examinations are made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from regard.errors import ChoiceError
from regard.types import Bool, Float, Int, Tensor

from .maps import Tokens

Ids = Mapping[str, Tensor]
"""Token numbers (B, N) by the role of their side: ``"input"``, and ``"target"`` of a decoder."""
NOTHING = -100
"""Stands where nothing is to be predicted."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A batch, and how a model reads it.

    Args:
        sides: what was given, by role: ``"input"`` is what an encoder or a language model reads,
            ``"target"`` what a decoder does.
        forward: token numbers of every side, of the same lengths, to logits.
        wanted: what each position was to predict, −100 where nothing.
        gold: links (target, input) between tokens that people or a grammar drew.
        causal: whether position t of the logits may depend on nothing behind token t of the side
            that is written.
        pad: the number of padding.
        unknown: the number of what the vocabulary lacks.
    """

    sides: Mapping[str, Tokens]
    forward: Callable[[Ids], Float[Tensor, "B N V"]]
    wanted: Int[Tensor, "B N"] | None = field(default=None, repr=False)
    gold: Bool[Tensor, "B T S"] | None = field(default=None, repr=False)
    causal: bool = False
    pad: int | None = None
    unknown: int | None = None

    @property
    def ids(self) -> Ids:
        """The token numbers as they are."""
        return {role: side.ids for role, side in self.sides.items()}

    @property
    def written(self) -> str:
        """The side whose tokens the logits are about."""
        return "target" if "target" in self.sides else "input"

    @property
    def size(self) -> int:
        """How many inputs."""
        return len(next(iter(self.sides.values())).ids)

    def run(self, **changed: Tensor) -> Float[Tensor, "B N V"]:
        """The logits, with other token numbers on some sides.

        Raises:
            ChoiceError: no such side.
        """
        for role in changed:
            if role not in self.sides:
                raise ChoiceError(f"this batch has the sides {', '.join(self.sides)}, got {role!r}")
        return self.forward({**self.ids, **changed})

    def loss(self, logits: Float[Tensor, "B N V"] | None = None) -> Float[Tensor, ""]:
        """The mean negative log-likelihood of what was wanted, in nats.

        Raises:
            ChoiceError: nothing was wanted.
        """
        if self.wanted is None:
            raise ChoiceError("a loss needs what each position was to predict: Scene(wanted=…)")
        found = self.run() if logits is None else logits
        flat = found.flatten(0, -2)
        return cross_entropy(flat, self.wanted.flatten(), ignore_index=NOTHING)

    def log_probs(self, logits: Float[Tensor, "B N V"]) -> Float[Tensor, "B N"]:
        """ln p of what was wanted, 0 where nothing was."""
        assert self.wanted is not None
        there = self.wanted != NOTHING
        picked = logits.log_softmax(dim=-1).gather(-1, self.wanted.clamp(min=0).unsqueeze(-1))
        return picked.squeeze(-1) * there

    def with_rarity(self, counts: Mapping[str, Tensor]) -> "Scene":
        """The same, with −ln of each token's share in a corpus.

        Args:
            counts: how often every number occurs, by role.
        """
        sides = {}
        for role, side in self.sides.items():
            share = counts[role].double() / counts[role].sum().clamp(min=1)
            sides[role] = replace(side, rarity=-share.clamp(min=1e-12).log()[side.ids])
        return replace(self, sides=sides)


def scene_of(model: nn.Module, inputs: Any) -> Scene:
    """A scene of whatever a model is called with.

    Token numbers are looked for under the names that Hugging Face gives them: ``input_ids``,
    ``decoder_input_ids``, ``attention_mask``, ``labels``. Other inputs are a tuple or a tensor: a
    tensor of whole numbers is token numbers, of others no token is like another.
    """
    if isinstance(inputs, Scene):
        return inputs
    if isinstance(inputs, Mapping):
        return _named(model, dict(inputs))
    parts = inputs if isinstance(inputs, tuple) else (inputs,)
    first = parts[0]
    if not first.is_floating_point() and first.dim() == 2:
        sides = {"input": Tokens(first)}
        return Scene(sides, lambda ids: logits_of(model(ids["input"], *parts[1:])))
    count = first.shape[1] if first.dim() > 2 else 1
    places = torch.arange(count, device=first.device).expand(len(first), count)
    return Scene({"input": Tokens(places)}, lambda ids: logits_of(model(*parts)))


def logits_of(output: Any) -> Tensor:
    """What a model predicts, among all that it returns."""
    for name in ("logits", "last_hidden_state"):
        if isinstance(getattr(output, name, None), Tensor):
            return _as_rows(getattr(output, name))
    if isinstance(output, tuple | list):
        return logits_of(output[0])
    if isinstance(output, Tensor):
        return _as_rows(output)
    raise ChoiceError(f"an examination needs a model that returns tensors, got {type(output)}")


def _as_rows(logits: Tensor) -> Tensor:
    """One row for every position; of one answer an input, one row."""
    return logits.unsqueeze(1) if logits.dim() == 2 else logits


def _named(model: nn.Module, inputs: dict[str, Any]) -> Scene:
    ids = inputs.get("input_ids")
    if ids is None:
        first = next(iter(inputs.values()))
        places = torch.arange(first.shape[1], device=first.device).expand(first.shape[:2])
        return Scene({"input": Tokens(places)}, lambda _: logits_of(model(**inputs)))
    sides = {"input": _masked(ids, inputs.get("attention_mask"))}
    if "decoder_input_ids" in inputs:
        masked = inputs.get("decoder_attention_mask")
        sides["target"] = _masked(inputs["decoder_input_ids"], masked)
    labels, rest = inputs.pop("labels", None), inputs
    config = getattr(model, "config", None)

    def forward(changed: Ids) -> Tensor:
        given = {**rest, "input_ids": changed["input"]}
        if "target" in changed:
            given["decoder_input_ids"] = changed["target"]
        return logits_of(model(**given))

    return Scene(
        sides,
        forward,
        wanted=labels,
        causal="target" in sides or _decodes(model),
        pad=getattr(config, "pad_token_id", None),
    )


def _masked(ids: Tensor, mask: Tensor | None) -> Tokens:
    """Tokens with a mask of those that are there, wherever padding stands."""
    if mask is None or mask.dim() != 2:
        return Tokens(ids)
    lengths, there = mask.sum(dim=-1), mask.bool()
    behind = torch.arange(ids.shape[1], device=ids.device) < lengths.unsqueeze(-1)
    return Tokens(ids, lengths) if torch.equal(behind, there) else Tokens(ids, there=there)


def _decodes(model: nn.Module) -> bool:
    """Whether a Hugging Face model is a language model that reads from left to right."""
    return type(model).__name__.endswith(("ForCausalLM", "LMHeadModel"))
