"""Our Transformer as other libraries know it: their names, their order of features."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch

from regard.data.vocabulary.tokeniser import SPECIALS
from regard.errors import ChoiceError
from regard.models import Transformer, TransformerConfig
from regard.types import Float, Int, Tensor

PAD, _, BOS, EOS = range(len(SPECIALS))
NEVER = -1e9
"""Logit of tokens that nobody may write: padding, and the beginning of a sentence."""
POSITIONS = 512
"""Rows of their table of positions; ours has no end."""
ARCHITECTURES = {"post": "Marian", "pre": "Pegasus"}
"""Whose norms stand where ours do; all else is the same in both."""
NEEDED: dict[str, tuple[Any, ...]] = {
    "position": ("sinusoidal",),
    "score": ("scaled_dot",),
    "normalise": ("softmax",),
    "activation": ("relu", "gelu"),
    "num_key_heads": (None,),
    "pad": (PAD,),
}

Named = Iterator[tuple[str, Tensor]]


class Exported(NamedTuple):
    """A model, ready to be built elsewhere."""

    architecture: str
    """``"Marian"`` or ``"Pegasus"``."""
    config: dict[str, Any]
    """Fields of its config."""
    source_vocab: int
    weights: dict[str, Tensor]
    """By their names there."""


def require_exportable(config: TransformerConfig) -> None:
    """See that the model is one that others have.

    Raises:
        ChoiceError: it is not; all fields that do not fit are named.
    """
    wrong = [
        f"{name}={getattr(config, name)!r}"
        for name, known in NEEDED.items()
        if getattr(config, name) not in known
    ]
    if config.model_dim % 2:
        wrong.append(f"model_dim={config.model_dim}")
    if wrong:
        raise ChoiceError(
            "other libraries have Transformers with sinusoidal positions, an even width and "
            f"scaled dots, softmax, relu or gelu only, got {', '.join(wrong)}; name another model"
        )


def exported(model: Transformer) -> Exported:
    """The same function as a Marian (norms behind sublayers) or a Pegasus (before them).

    Their sinusoidal positions hold all sines before all cosines, ours have them in turn: features
    are put into their order, which changes sums by rounding only.

    Raises:
        ChoiceError: they have no such model.
    """
    config = model.config
    require_exportable(config)
    order = halves(config.model_dim)
    weights = {name: value.detach().clone() for name, value in named(model, order)}
    return Exported(ARCHITECTURES[config.norm], fields(config), config.source_vocab, weights)


def fields(config: TransformerConfig) -> dict[str, Any]:
    """The config's fields under their names."""
    sides = {
        "layers": (config.encoder_layers, config.decoder_layers),
        "attention_heads": (config.num_heads,) * 2,
        "ffn_dim": (config.hidden_dim,) * 2,
    }
    return {
        "vocab_size": config.target_vocab,
        "d_model": config.model_dim,
        **{f"encoder_{name}": encoder for name, (encoder, _) in sides.items()},
        **{f"decoder_{name}": decoder for name, (_, decoder) in sides.items()},
        "activation_function": config.activation,
        "max_position_embeddings": POSITIONS,
        "scale_embedding": True,
        "tie_word_embeddings": False,
        "pad_token_id": PAD,
        "bos_token_id": BOS,
        "eos_token_id": EOS,
        "decoder_start_token_id": BOS,
        "forced_eos_token_id": None,
    }


def halves(width: int) -> Int[Tensor, " M"]:
    """Our features in their order: every other from the first, then every other from the second."""
    return torch.cat([torch.arange(0, width, 2), torch.arange(1, width, 2)])


def named(model: Transformer, order: Int[Tensor, " M"]) -> Named:
    """All weights: embeddings, layers, output."""
    weights = model.state_dict()
    yield "model.encoder.embed_tokens.weight", weights["source_embedding.weight"][:, order]
    yield "model.decoder.embed_tokens.weight", weights["target_embedding.weight"][:, order]
    for side in ("encoder", "decoder"):
        for number in range(len(model.get_submodule(side))):  # type: ignore[arg-type]
            yield from layer(weights, f"{side}.{number}.", f"model.{side}.layers.{number}.", order)
        if model.config.norm == "pre":
            yield from norm(weights, f"{side}_norm", f"model.{side}.layer_norm", order)
    yield "lm_head.weight", weights["output.proj.weight"][:, order]
    bias = weights["output.proj.bias"].clone()
    bias[[PAD, BOS]] = NEVER
    yield "final_logits_bias", bias.unsqueeze(0)


def layer(weights: dict[str, Tensor], ours: str, theirs: str, order: Int[Tensor, " M"]) -> Named:
    """One block: attentions, then what every position computes for itself."""
    for name, their_name in (("attention", "self_attn"), ("cross", "encoder_attn")):
        if f"{ours}{name}.in_proj.weight" in weights:
            yield from attention(weights, f"{ours}{name}", f"{theirs}{their_name}", order)
            place = f"{ours}around_{name}.norm"
            yield from norm(weights, place, f"{theirs}{their_name}_layer_norm", order)
    for part in ("weight", "bias"):
        entering = weights[f"{ours}feed_forward.input_proj.{part}"]
        leaving = weights[f"{ours}feed_forward.output_proj.{part}"]
        yield f"{theirs}fc1.{part}", entering[:, order] if part == "weight" else entering
        yield f"{theirs}fc2.{part}", leaving[order]
    place = f"{ours}around_feed_forward.norm"
    yield from norm(weights, place, f"{theirs}final_layer_norm", order)


def attention(
    weights: dict[str, Tensor], ours: str, theirs: str, order: Int[Tensor, " M"]
) -> Named:
    """Our joint projection in three."""
    joint: Float[Tensor, "N M"] = weights[f"{ours}.in_proj.weight"][:, order]
    for name, rows, bias in zip(
        ("q_proj", "k_proj", "v_proj"),
        joint.chunk(3),
        weights[f"{ours}.in_proj.bias"].chunk(3),
        strict=True,
    ):
        yield f"{theirs}.{name}.weight", rows
        yield f"{theirs}.{name}.bias", bias
    for part in ("weight", "bias"):
        yield f"{theirs}.out_proj.{part}", weights[f"{ours}.output_proj.{part}"][order]


def norm(weights: dict[str, Tensor], ours: str, theirs: str, order: Int[Tensor, " M"]) -> Named:
    """Scale and shift of a norm."""
    for part in ("weight", "bias"):
        yield f"{theirs}.{part}", weights[f"{ours}.{part}"][order]
