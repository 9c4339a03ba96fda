"""How configs of theirs say rotary positions, and how ours do."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from regard.errors import ChoiceError
from regard.positions.rotary_scaling import (
    AnyRotaryScaling,
    Llama3,
    LongRoPE,
    NTKAware,
    Stretched,
    YaRN,
)

from .settings import Settings

DEFAULT_BASE = 10000.0


def rotary_of(settings: Settings, context: int) -> tuple[float, AnyRotaryScaling | None]:
    """Base and scaling, by ``rope_parameters``, or ``rope_theta`` and ``rope_scaling`` before.

    Args:
        settings: theirs.
        context: tokens that are looked at.

    Raises:
        ChoiceError: a scaling that is not known, or fields of it that are not.
    """
    base = settings.take("rope_theta", DEFAULT_BASE)
    told: Mapping[str, Any] = settings.take("rope_parameters") or {}
    scaling = {**settings.take("rope_scaling", {}), **told}
    base = scaling.pop("rope_theta", base)
    older = scaling.pop("type", "default")
    kind = scaling.pop("rope_type", older)
    if scaling.pop("partial_rotary_factor", 1.0) != 1:
        raise ChoiceError("rotary positions of a part of a head are not known here")
    if (said := settings.take("original_max_position_embeddings")) is not None:
        scaling.setdefault("original_max_position_embeddings", said)
    given = {name: value for name, value in scaling.items() if value is not None}
    if kind not in KINDS:
        raise ChoiceError(f"config.json says rope_type {kind!r}; known are {', '.join(KINDS)}")
    found = KINDS[kind](given, context)
    if given:
        raise ChoiceError(f"config.json says {', '.join(given)} of {kind!r}: not understood")
    return float(base), found


def told_rotary(base: float, scaling: AnyRotaryScaling | None, context: int) -> dict[str, Any]:
    """The same as ``rope_parameters``."""
    if scaling is None:
        return {"rope_type": "default", "rope_theta": base}
    told = asdict(scaling)
    kind = told.pop("kind")
    if isinstance(scaling, NTKAware):
        if scaling.length != scaling.original:
            raise ChoiceError(
                "theirs choose NTK-aware frequencies by the length of each text, and this model "
                f"has those of {scaling.length} tokens for all"
            )
        return {"rope_type": "dynamic", "rope_theta": base, "factor": scaling.factor}
    if isinstance(scaling, LongRoPE):
        factors = list(told.pop("factors"))
        told |= {"short_factor": factors, "long_factor": factors}
    renamed = {THEIRS.get(name, name): value for name, value in told.items() if value is not None}
    return {"rope_type": kind, "rope_theta": base, **renamed}


THEIRS = {
    "original": "original_max_position_embeddings",
    "fast": "beta_fast",
    "slow": "beta_slow",
    "rounded": "truncate",
    "sharpness": "attention_factor",
    "low": "low_freq_factor",
    "high": "high_freq_factor",
}
"""Ours → theirs."""


def _plain(given: dict[str, Any], context: int) -> None:
    given.clear()


def _linear(given: dict[str, Any], context: int) -> Stretched:
    return Stretched(given.pop("factor"))


def _dynamic(given: dict[str, Any], context: int) -> NTKAware:
    return NTKAware(given.pop("factor"), original=context, length=context)


def _yarn(given: dict[str, Any], context: int) -> YaRN:
    fields = _renamed(given, "original", "fast", "slow", "rounded", "sharpness")
    fields.setdefault("original", context)
    return YaRN(given.pop("factor", context / fields["original"]), **fields)


def _longrope(given: dict[str, Any], context: int) -> LongRoPE:
    """The long factors, where the context is longer than it was in training."""
    fields = _renamed(given, "original", "sharpness")
    original = fields.setdefault("original", context)
    both = {name: given.pop(f"{name}_factor") for name in ("short", "long")}
    factor = given.pop("factor", context / original)
    return LongRoPE(tuple(both["long" if context > original else "short"]), factor, **fields)


def _llama3(given: dict[str, Any], context: int) -> Llama3:
    return Llama3(given.pop("factor"), **_renamed(given, "original", "low", "high"))


def _renamed(given: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: given.pop(THEIRS[name]) for name in names if THEIRS[name] in given}


KINDS = {
    "default": _plain,
    "linear": _linear,
    "dynamic": _dynamic,
    "yarn": _yarn,
    "longrope": _longrope,
    "llama3": _llama3,
}
"""By ``rope_type``."""
