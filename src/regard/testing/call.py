"""Call conventions: one meaning of query, key, value and mask, several signatures."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import Parameter, signature
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import torch
from torch import nn

from regard.errors import ChoiceError
from regard.types import Bool, Float, Tensor

from .traits import Masks, Sizes, Traits


class Inputs(NamedTuple):
    """What is passed in. In self attention all three are the one sequence, the same tensor."""

    query: Float[Tensor, "B Q Dq"]
    key: Float[Tensor, "B K Dk"]
    value: Float[Tensor, "B K E"]
    allowed: Bool[Tensor, "B Q K"] | None = None

    def map_keys(self, change: Callable[[Tensor], Tensor]) -> "Inputs":
        """Keys and values changed; what is one tensor stays one, in self attention all three."""
        key = change(self.key)
        value = key if self.value is self.key else change(self.value)
        return Inputs(key if self.query is self.key else self.query, key, value, self.allowed)

    def map(self, change: Callable[[Tensor], Tensor]) -> "Inputs":
        """Queries, keys and values changed; what is one tensor stays one."""
        mapped = self.map_keys(change)
        return mapped if self.query is self.key else mapped._replace(query=change(self.query))


class Answer(NamedTuple):
    """What comes out; weights are ``None`` where the module shows none."""

    context: Tensor
    weights: Tensor | None = None


@runtime_checkable
class Call(Protocol):
    """One way to call a module."""

    @property
    def itself(self) -> bool:
        """Self attention: queries, keys and values are one sequence."""

    @property
    def valued(self) -> bool:
        """Whether values can differ from keys."""

    @property
    def masks(self) -> Masks:
        """What a mask can forbid."""

    def __call__(self, module: nn.Module, inputs: Inputs) -> Answer:
        """Context and weights."""


MaskForm = Literal["pairs", "heads", "keys", "none"]
"""Booleans (B, Q, K), (B, 1, Q, K) or (B, K), or no mask at all."""


@dataclass(frozen=True)
class Forward:
    """``module(x)``, ``module(query, key)`` or ``module(query, key, value)``, with a mask by name.

    It returns the context, or a tuple that begins with context and weights.
    """

    arity: int
    mask_name: str | None = None
    form: MaskForm = "none"

    @property
    def itself(self) -> bool:
        """With one argument."""
        return self.arity == 1

    @property
    def valued(self) -> bool:
        """With three arguments."""
        return self.arity == 3

    @property
    def masks(self) -> Masks:
        """By the form of the mask."""
        return "pairs" if self.form == "heads" else self.form

    def __call__(self, module: nn.Module, inputs: Inputs) -> Answer:
        """Context and weights."""
        named = {}
        if self.mask_name is not None and inputs.allowed is not None:
            named[self.mask_name] = mask_argument(inputs.allowed, self.form)
        return answer(module(*inputs[: self.arity], **named))


@dataclass(frozen=True)
class Step:
    """``memory = module.prepare(keys, mask)`` once, then ``module(state, memory)`` per query."""

    valued: bool = False
    masked: bool = True
    itself: bool = field(default=False, init=False)

    @property
    def masks(self) -> Masks:
        """Whole keys: the memory is prepared before any query is known."""
        return "keys" if self.masked else "none"

    def prepare(self, module: nn.Module, inputs: Inputs) -> Any:
        """The memory of the keys."""
        given = [] if inputs.allowed is None else [mask_argument(inputs.allowed, "keys")]
        named = {"values": inputs.value} if self.valued else {}
        return module.prepare(inputs.key, *given, **named)  # type: ignore[operator]

    def __call__(self, module: nn.Module, inputs: Inputs) -> Answer:
        """Context and weights of every step."""
        memory = self.prepare(module, inputs)
        steps = [module(state, memory) for state in inputs.query.unbind(-2)]
        answers = [step if isinstance(step, tuple) else (step, None) for step in steps]
        weights = [step[1] for step in answers]
        shown = all(isinstance(w, Tensor) for w in weights)
        return Answer(
            torch.stack([step[0] for step in answers], dim=-2),
            torch.stack(weights, dim=-2) if shown else None,
        )


UserCall = Callable[
    [nn.Module, Tensor, Tensor, Tensor, Tensor | None], Tensor | tuple[Tensor, Tensor]
]
"""``call(module, query, key, value, allowed)`` → context, or context and weights."""


@dataclass(frozen=True)
class Given:
    """A function of the user's."""

    function: UserCall
    itself: bool = False
    masks: Masks = "pairs"
    valued: bool = field(default=True, init=False)

    def __call__(self, module: nn.Module, inputs: Inputs) -> Answer:
        """Context and weights."""
        return answer(self.function(module, *inputs))


def mask_argument(allowed: Bool[Tensor, "B Q K"], form: MaskForm) -> Tensor:
    """The mask as the module takes it."""
    if form == "heads":
        return allowed.unsqueeze(1)
    return allowed[:, 0] if form == "keys" else allowed


@dataclass(frozen=True)
class TorchMultihead:
    """``torch.nn.MultiheadAttention``: its mask says where *not* to attend, its weights by head."""

    itself: bool = field(default=False, init=False)
    valued: bool = field(default=True, init=False)
    masks: Masks = field(default="pairs", init=False)

    def __call__(self, module: nn.Module, inputs: Inputs) -> Answer:
        """Context and the weights of every head, whose mean torch would show."""
        assert isinstance(module, nn.MultiheadAttention)
        barred = None
        if inputs.allowed is not None:
            barred = (~inputs.allowed).repeat_interleave(module.num_heads, dim=0)
        vectors = inputs[:3] if module.batch_first else [x.transpose(0, 1) for x in inputs[:3]]
        context, weights = module(*vectors, attn_mask=barred, average_attn_weights=False)
        return Answer(context if module.batch_first else context.transpose(0, 1), weights)


def answer(output: object) -> Answer:
    """Context and weights of whatever came out.

    The second of several outputs is taken for the weights if it is a tensor of two axes or more.
    """
    if isinstance(output, Tensor):
        return Answer(output)
    if not isinstance(output, tuple | list) or not isinstance(output[0], Tensor):
        raise TypeError(f"needed a tensor or (context, weights), got {type(output).__name__}")
    second = output[1] if len(output) > 1 else None
    if isinstance(second, Tensor) and second.dim() >= 2:
        return Answer(output[0], second)
    return Answer(output[0])


MASK_NAMES = ("mask", "allowed")
FORMS: tuple[MaskForm, ...] = ("pairs", "heads", "keys")
POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
HELP = "pass call=, a function of (module, query, key, value, allowed)"


def discover(module: nn.Module, call: Call | UserCall | None, traits: Traits, sizes: Sizes) -> Call:
    """The call to use.

    1. A function given by the user, or a :class:`Call`.
    2. ``torch.nn.MultiheadAttention`` as torch calls it, :class:`TorchMultihead`.
    3. A module with ``prepare`` whose ``forward`` needs two arguments, ``(state, memory)``:
       attention inside a decoder, :class:`Step`.
    4. By how many arguments ``forward`` needs: one is self attention, two are queries and keys,
       three are queries, keys and values, :class:`Forward`. An argument called ``mask`` or
       ``allowed`` is given booleans, True = may attend: (B, Q, K), else (B, 1, Q, K), else (B, K),
       the first of them that the module takes.

    Raises:
        ChoiceError: nothing fits, or the module cannot be called so.
    """
    if isinstance(call, Call):
        return call
    if call is not None:
        return Given(call, traits.get("itself", False), traits.get("masks", "pairs"))
    if isinstance(module, nn.MultiheadAttention):
        return TorchMultihead()
    arguments = signature(module.forward).parameters
    needed = sum(p.kind in POSITIONAL and p.default is p.empty for p in arguments.values())
    if hasattr(module, "prepare") and needed == 2:
        taken = signature(module.prepare).parameters  # type: ignore[arg-type]
        return Step(valued="values" in taken, masked=len(taken.keys() - {"values"}) > 1)
    if not 1 <= needed <= 3:
        raise ChoiceError(
            f"check_attention cannot tell how {type(module).__name__}.forward is called: it needs "
            f"{needed} arguments, not 1, 2 or 3; {HELP}"
        )
    mask_name = next((name for name in MASK_NAMES if name in arguments), None)
    return _with_form(module, Forward(needed, mask_name), sizes)


def _with_form(module: nn.Module, call: Forward, sizes: Sizes) -> Forward:
    """The call with the first form of mask that the module takes."""
    if call.mask_name is None:
        return call
    for form in FORMS:
        candidate = Forward(call.arity, call.mask_name, form)
        if call_error(module, candidate, sizes) is None:
            return candidate
    return call


def call_error(module: nn.Module, call: Call, sizes: Sizes) -> Exception | None:
    """The exception that the module raises when called so; None if it does not."""
    b, q, k = sizes.batch, sizes.num_queries, sizes.num_keys
    like = next((p for p in module.parameters() if p.is_floating_point()), torch.empty(0))
    key = like.new_zeros(b, k, sizes.query_dim if call.itself else sizes.key_dim)
    query = key if call.itself else like.new_zeros(b, q, sizes.query_dim)
    value = like.new_zeros(b, k, sizes.value_dim) if call.valued and not call.itself else key
    masked = call.masks != "none"
    allowed = key.new_ones(b, query.shape[-2], k, dtype=torch.bool) if masked else None
    try:
        with torch.no_grad():
            call(copy.deepcopy(module), Inputs(query, key, value, allowed))
    except Exception as error:
        return error
    return None
