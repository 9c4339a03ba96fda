"""Find out how a module is called from its signature."""

import copy
from inspect import Parameter, signature

import torch
from torch import nn

from regard.errors import ChoiceError

from .call import Call, Forward, Given, Inputs, MaskForm, Step, TorchMultihead, UserCall
from .traits import Sizes, Traits

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
