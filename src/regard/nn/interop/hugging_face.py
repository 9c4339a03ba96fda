"""Weights as models of Hugging Face's ``transformers`` name them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from regard.errors import ChoiceError
from regard.registry import Registry
from regard.types import Tensor

from ..multihead import MultiHeadAttention
from .linears import Linear, Linears, attention_of, linears_of


class Names(NamedTuple):
    """What a family of models calls the four maps."""

    query: str
    key: str
    value: str
    output: str


styles: Registry[Names] = Registry("style")
styles.add("llama", Names("q_proj", "k_proj", "v_proj", "o_proj"))
styles.add("bart", Names("q_proj", "k_proj", "v_proj", "out_proj"))
styles.add("bert", Names("self.query", "self.key", "self.value", "output.dense"))
styles.add("vit", Names("attention.query", "attention.key", "attention.value", "output.dense"))
styles.add("t5", Names("q", "k", "v", "o"))
styles.add("distilbert", Names("q_lin", "k_lin", "v_lin", "out_lin"))


def from_hugging_face(
    weights: Mapping[str, Tensor],
    num_heads: int,
    *,
    num_key_heads: int | None = None,
    prefix: str = "",
    **choices: Any,
) -> MultiHeadAttention:
    """An attention with weights named as in ``transformers``.

    Which style they are named in is seen from the names: Llama, Mistral and Qwen say
    ``q_proj … o_proj``, BART and CLIP ``out_proj``, BERT ``self.query … output.dense``, T5
    ``q … o``.
    T5 does not scale: pass ``score="dot"``. Llama turns queries and keys: pass a rotary position
    in halves.

    >>> from_hugging_face(model.state_dict(), 8, prefix="model.layers.0.self_attn.", mask="causal")

    Args:
        weights: a state dict, of the attention or of the whole model.
        num_heads: H.
        num_key_heads: heads of keys and values; ``None`` reads them off the shapes.
        prefix: what stands before the names.
        choices: further arguments of :class:`MultiHeadAttention`.

    Raises:
        ChoiceError: no known style under this prefix.
    """
    own = {name[len(prefix) :]: x for name, x in weights.items() if name.startswith(prefix)}
    for style in styles:
        names = styles[style]
        if all(f"{name}.weight" in own for name in names):
            parts = (Linear(own[f"{n}.weight"], own.get(f"{n}.bias")) for n in names)
            return attention_of(Linears(*parts), num_heads, num_key_heads, **choices)
    known = "; ".join(f"{style}: {', '.join(styles[style])}" for style in styles)
    raise ChoiceError(
        f"from_hugging_face needs the weights of one style under {prefix!r} ({known}), got "
        f"{', '.join(sorted(own)[:8]) or 'none'}"
    )


def to_hugging_face(
    attention: MultiHeadAttention, style: str = "llama", *, prefix: str = ""
) -> dict[str, Tensor]:
    """The weights by the names of a style: bart, bert, distilbert, llama, t5, vit."""
    weights = {}
    for name, part in zip(styles[style], linears_of(attention), strict=True):
        weights[f"{prefix}{name}.weight"] = part.weight.clone()
        if part.bias is not None:
            weights[f"{prefix}{name}.bias"] = part.bias.clone()
    return weights
