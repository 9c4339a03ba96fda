"""The battery: any attention module, put to every check that applies."""

import copy
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Unpack

from torch import nn

from regard.errors import ChoiceError

from .call import HELP, Call, UserCall, call_error, discover
from .checks.basics import batch, determinism, dtype, state
from .checks.keys import causality, looking, padding, permutation, queries
from .checks.steps import cache, gradient
from .checks.weights import capture, distribution, empty_rows
from .report import Report, Result, check_names, run_checks
from .subject import Subject, isolated, without_zeros
from .traits import Traits, is_causal, is_ordered, sizes_of, total_of

Check = Callable[[Subject], None]

_ALL: Mapping[str, Check] = {
    check.__name__: check
    for check in (
        *(determinism, dtype, state, batch),
        *(looking, distribution, queries, permutation, padding),
        *(empty_rows, causality, cache, gradient, capture),
    )
}

CHECKS: tuple[str, ...] = tuple(_ALL)
"""The names of all checks, in the order in which they run."""

NEEDS: Mapping[str, tuple[str, ...]] = {
    name: ("determinism", *others)
    for name, others in {
        **dict.fromkeys(CHECKS[1:], ()),
        "queries": ("batch", "looking", "distribution"),
        "permutation": ("distribution",),
        "padding": ("distribution",),
        "empty_rows": ("batch", "distribution", "padding"),
        "causality": ("distribution", "padding"),
        "cache": ("distribution", "padding", "causality"),
        "gradient": ("dtype",),
        "capture": ("batch", "distribution", "padding"),
    }.items()
}
"""Checks that would only repeat the failure of another; all need ``determinism``."""


def check_attention(
    module: nn.Module,
    *,
    call: Call | UserCall | None = None,
    only: Iterable[str] | None = None,
    **traits: Unpack[Traits],
) -> Report:
    """Put an attention module to the test, whoever wrote it.

    ============  ==============================================================================
    check         what is promised
    ============  ==============================================================================
    determinism   two calls at eval are equal
    dtype         float64, float32, bfloat16 and float16 come out as they went in
    state         nothing is kept between calls; state dict and deepcopy carry everything
    batch         a sequence alone gives what it gives in the batch
    looking       some context depends on a key; in self attention, on another position
    distribution  weights ≥ 0, 0 where forbidden, and sum to 1 (or what the normaliser promises)
    queries       no query depends on another one: weights are normalised over the keys
    permutation   permuting keys with values changes nothing; self attention is equivariant
    padding       neither content nor amount of padding matters
    empty_rows    no allowed key: zero weights, no key has a say, no NaN, also in the gradient
    causality     a later position never changes an earlier one
    cache         step by step is the full pass
    gradient      gradcheck in double, and every parameter gets a gradient
    capture       the weights shown are those the values are pooled with
    ============  ==============================================================================

    Checks that do not apply are skipped, and say why; so do checks that would only repeat the
    failure of another. Where fewer than half of them applied, a warning says so. Everything runs on
    copies of the module, on the CPU; neither the module nor torch's randomness is touched.
    Parameters that are all zero are drawn anew in the copies: a last map that starts at zero would
    hide everything before it.

    >>> check_attention(BahdanauAttention(3, 5, 7))
    >>> def call(module, query, key, value, allowed):
    ...     return module(query, key, value, attn_mask=allowed)
    >>> check_attention(MyAttention(), call=call, query_dim=8)

    Args:
        module: what to test.
        call: how it is called, if :func:`regard.testing.discover` cannot tell: a function
            ``(module, query, key, value, allowed)`` that returns the context (B, Q, E), or context
            and weights (B, Q, K) or (B, H, Q, K). ``allowed`` is (B, Q, K), True = may attend, or
            ``None``.
        only: names of the checks to run; all of :data:`CHECKS` if not given.
        **traits: what cannot be seen from outside; see :class:`Traits`.

    Returns:
        What came of every check; prints as a table.

    Raises:
        CheckError: a check failed; names it and says what is wrong. See
            :func:`examine_attention` for a report of the failures instead.
        ChoiceError: an unknown name, or no way to call the module was found.
    """
    report = examine_attention(module, call=call, only=only, **traits).require()
    passed = sum(result.verdict == "passed" for result in report)
    if only is None and 2 * passed < len(report):
        reasons = dict.fromkeys(result.why for result in report if result.why)
        warnings.warn(
            f"{report.subject} was put to few checks, {report.summary}: {'; '.join(reasons)}. Pass "
            "call= to tell how it takes a mask and shows weights",
            stacklevel=2,
        )
    return report


def examine_attention(
    module: nn.Module,
    *,
    call: Call | UserCall | None = None,
    only: Iterable[str] | None = None,
    **traits: Unpack[Traits],
) -> Report:
    """The report of :func:`check_attention`, also where checks fail."""
    names = check_names(CHECKS, only)
    try:
        copy.deepcopy(module)
    except Exception as error:
        return _copy_failure(module, names, error)
    with isolated():
        results = run_checks(_ALL, names, _subject(module, call, traits), NEEDS)
    return Report(type(module).__name__, results)


def _copy_failure(module: nn.Module, names: list[str], error: Exception) -> Report:
    """The report of a module that not even a copy can be made of."""
    why = f"copy.deepcopy of it raised {type(error).__name__}: {error}"
    found = [Result("state", "failed", why)]
    others = [Result(name, "skipped", "it fails state: mend that first") for name in names]
    return Report(type(module).__name__, (*found, *(r for r in others if r.name != "state")))


def _subject(module: nn.Module, call: Call | UserCall | None, traits: Traits) -> Subject:
    sizes = sizes_of(module, traits)
    found = discover(module, call, traits, sizes)
    error = call_error(module, found, sizes)
    if error is not None:
        raise ChoiceError(
            f"check_attention could not call {type(module).__name__} as {found}, it raised "
            f"{type(error).__name__}: {error}; {HELP}"
        ) from error
    return Subject(
        without_zeros(module),
        found,
        sizes,
        causal=is_causal(module, traits),
        ordered=is_ordered(module, traits),
        total=total_of(module, traits),
        pooled=traits.get("pooled", True),
    )
