"""Weights as models of Hugging Face's ``transformers`` name them."""

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple

from torch import nn

from regard.errors import ChoiceError, DtypeError, ShapeError
from regard.registry import Registry
from regard.types import Tensor

from ..multihead.attention import MultiHeadAttention
from ..multihead.projections import NormedProjection
from .linears import Linear, Linears, attention_of, linears_of

NORMS = ("q_norm", "k_norm")
"""Modules that normalise queries and keys."""

BIAS = "relative_attention_bias"
"""T5's table of a position term."""

BESIDE = ("rotary_emb.", "output.LayerNorm.", "masked_bias")
"""What some models keep beside an attention that is none of its maps."""


class Names(NamedTuple):
    """What a family of models calls the four maps."""

    query: str
    key: str
    value: str
    output: str


styles: Registry[Names] = Registry("style")
styles.add("llama", Names("q_proj", "k_proj", "v_proj", "o_proj"))
styles.add("vit", styles["llama"])
styles.add("bart", Names("q_proj", "k_proj", "v_proj", "out_proj"))
styles.add("bert", Names("self.query", "self.key", "self.value", "output.dense"))
styles.add("yolos", Names("attention.query", "attention.key", "attention.value", "output.dense"))
styles.add("t5", Names("q", "k", "v", "o"))
styles.add("distilbert", Names("q_lin", "k_lin", "v_lin", "out_lin"))


def from_hugging_face(
    weights: Mapping[str, Tensor],
    num_heads: int,
    *,
    num_key_heads: int | None = None,
    prefix: str = "",
    query_norm: nn.Module | None = None,
    key_norm: nn.Module | None = None,
    **choices: Any,
) -> MultiHeadAttention:
    """An attention with weights named as in ``transformers``.

    Which style they are named in is seen from the names: Llama, Mistral, Qwen, Gemma and ViT say
    ``q_proj … o_proj``, BART and CLIP ``out_proj``, BERT ``self.query … output.dense``, YOLOS,
    VideoMAE and older files of ViT ``attention.query``, T5 ``q … o``.

    What is not in the weights is yours to say. Llama and those after it turn queries and keys: pass
    a rotary position in halves. T5 does not scale: pass ``score="dot"``; its table of positions,
    which only some layers have, is a :class:`regard.positions.T5Bias`. Qwen 3 and Gemma 3 normalise
    queries and keys: pass the layer's own ``q_norm`` and ``k_norm``. Gemma scales by a number of
    its config, ``score=ScaledDot(config.query_pre_attn_scalar**-0.5)``, and Gemma 2 bends scores so
    that they stay between −c and c, ``attn_logit_softcapping``: pass
    ``score=SoftCapped(ScaledDot(scale), c)``. The sinks of gpt-oss are a normaliser's:
    ``normalise=SoftmaxWithSink(layer.self_attn.sinks)``.

    >>> from_hugging_face(model.state_dict(), 8, prefix="model.layers.0.self_attn.", mask="causal")

    Args:
        weights: a state dict, of the attention or of the whole model.
        num_heads: H.
        num_key_heads: heads of keys and values; ``None`` reads them off the shapes.
        prefix: what stands before the names.
        query_norm: what normalises queries, a module that is copied; its weights tell whether every
            head for itself or all together.
        key_norm: what normalises keys, likewise.
        choices: further arguments of :class:`MultiHeadAttention`.

    Raises:
        ChoiceError: no known style under this prefix, or weights that would be left out.
    """
    if not isinstance(weights, Mapping):
        raise DtypeError(
            f"from_hugging_face needs a state dict, got {type(weights).__name__}; pass "
            ".state_dict() of it"
        )
    own = {name[len(prefix) :]: x for name, x in weights.items() if name.startswith(prefix)}
    names = _names(own, prefix)
    norms = _norms(query_norm, key_norm)
    placed = choices.get("position") is not None
    _require_all_used(own, names, prefix, normed=norms is not None, placed=placed)
    parts = (Linear(own[f"{name}.weight"], own.get(f"{name}.bias")) for name in names)
    attention = attention_of(Linears(*parts), num_heads, num_key_heads, **choices)
    return attention if norms is None else _normed(attention, *norms)


def to_hugging_face(
    attention: MultiHeadAttention, style: str = "llama", *, prefix: str = ""
) -> dict[str, Tensor]:
    """The weights by the names of a style: bart, bert, distilbert, llama, t5, vit, yolos."""
    weights = {}
    for name, part in zip(styles[style], linears_of(attention), strict=True):
        weights[f"{prefix}{name}.weight"] = part.weight.clone()
        if part.bias is not None:
            weights[f"{prefix}{name}.bias"] = part.bias.clone()
    maps = attention.in_proj
    if isinstance(maps, NormedProjection):
        for name, norm in zip(NORMS, (maps.query_norm, maps.key_norm), strict=True):
            held = norm.state_dict(prefix=f"{prefix}{name}.")
            weights |= {what: x.detach().clone() for what, x in held.items()}
    return weights


def _names(own: Mapping[str, Tensor], prefix: str) -> Names:
    """What the four maps are called here."""
    for style in styles:
        if all(f"{name}.weight" in own for name in styles[style]):
            return styles[style]
    known = "; ".join(f"{style}: {', '.join(styles[style])}" for style in styles)
    raise ChoiceError(
        f"from_hugging_face needs the weights of one style under {prefix!r} ({known}), got "
        f"{', '.join(sorted(own)[:8]) or 'none'}"
    )


def _require_all_used(
    own: Mapping[str, Tensor], names: Names, prefix: str, *, normed: bool, placed: bool
) -> None:
    """Raise where weights of the attention would be left out in silence."""
    used = tuple(f"{name}." for name in names) + BESIDE
    used += tuple(f"{name}." for name in NORMS) if normed else ()
    used += (BIAS,) if placed else ()
    left = sorted(name for name in own if not name.startswith(used))
    if not left:
        return
    advice = "leave them out of the weights if they are none of the attention's"
    if all(name.startswith(NORMS) for name in left):
        advice = "pass query_norm= and key_norm=, the modules q_norm and k_norm of the layer"
    elif left == [f"{BIAS}.weight"]:
        advice = "pass position=, a T5Bias whose table it is, transposed"
    raise ChoiceError(
        f"from_hugging_face has no use for {', '.join(left[:8])} under {prefix!r}, but without "
        f"them the numbers would be others; {advice}"
    )


def _norms(query: nn.Module | None, key: nn.Module | None) -> tuple[nn.Module, nn.Module] | None:
    if (query is None) != (key is None):
        raise ChoiceError("from_hugging_face needs query_norm and key_norm, or neither")
    return None if query is None or key is None else (query, key)


def _normed(attention: MultiHeadAttention, query: nn.Module, key: nn.Module) -> MultiHeadAttention:
    """The attention, whose queries and keys these modules normalise."""
    widths = {x.shape[-1] for norm in (query, key) for x in norm.parameters()}
    head, maps = attention.head_dim, attention.in_proj
    whole = {attention.num_heads * head, attention.num_key_heads * head}
    if not (widths <= {head} or widths <= whole):
        raise ShapeError(
            f"query_norm and key_norm need weights of the width of a head, {head}, or of all, "
            f"{' and '.join(map(str, sorted(whole)))}, got {', '.join(map(str, sorted(widths)))}"
        )
    like = next(attention.output_proj.parameters())
    query, key = (copy.deepcopy(norm).to(like) for norm in (query, key))
    attention.in_proj = NormedProjection(
        maps,  # type: ignore[arg-type]
        query,
        key,
        head_dim=head if widths <= {head} else None,
    )
    return attention
