"""T5: an encoder and a decoder whose positions are buckets of distances."""

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from regard.errors import ChoiceError
from regard.types import Tensor

from ..transformer.config import TransformerConfig
from .family import PLAIN, Family, families, require
from .rules import Rule, Rules, same, stacked
from .settings import ACTIVATIONS, GATED, Settings, named

WEIGHT = ("weight",)
TABLE = "layer.0.SelfAttention.relative_attention_bias.weight"


class T5Family(Family):
    """Raffel et al. 2020 (https://arxiv.org/abs/1910.10683), and its version 1.1 with a gate.

    Theirs → ours: d_kv → ``head_dim``, ``relative_attention_bias`` → one T5Bias that all layers of
    a stack share, ``wi_0``, ``wi_1`` → ``input_proj`` (rows in this order). Dot products are not
    scaled, nor embeddings; a tied output layer reads features times 1/√M.
    """

    def config(self, settings: Settings, theirs: Mapping[str, Tensor]) -> TransformerConfig:
        """Root-mean-square norms before sublayers, no biases."""
        settings.expect("is_decoder", False)
        settings.ignore("classifier_dropout", "n_positions", "dense_act_fn", "is_gated_act")
        settings.ignore("decoder_start_token_id")
        width, vocab = settings.need("d_model"), settings.need("vocab_size")
        table = theirs.get("shared.weight")
        output = theirs.get("lm_head.weight", table)
        tied = table is None or output is None or torch.equal(output, table)
        # Files of version 1.1 say that nothing is tied, and mean that nothing is scaled.
        scaled = settings.take("tie_word_embeddings", True)
        scaled = settings.take("scale_decoder_outputs", scaled)
        layers, said = settings.need("num_layers"), settings.take("feed_forward_proj", "relu")
        return TransformerConfig(
            source_vocab=vocab,
            target_vocab=vocab,
            pad=settings.take("pad_token_id", 0),
            tied=tied,
            shared=True,
            model_dim=width,
            num_heads=settings.need("num_heads"),
            head_dim=settings.need("d_kv"),
            encoder_layers=layers,
            decoder_layers=settings.take("num_decoder_layers", layers),
            hidden_dim=settings.need("d_ff"),
            norm="pre",
            norm_kind="rms",
            norm_eps=settings.take("layer_norm_epsilon", 1e-6),
            bias=False,
            activation=_activation(said),
            position="t5",
            position_shared=True,
            buckets=settings.take("relative_attention_num_buckets", 32),
            farthest=settings.take("relative_attention_max_distance", 128),
            score="dot",
            embedding_factor=1.0,
            output_bias=False,
            output_factor=width**-0.5 if scaled else 1.0,
            dropout=settings.take("dropout_rate", 0.1),
            attention_dropout=settings.take("dropout_rate", 0.1),
            activation_dropout=settings.take("dropout_rate", 0.1),
        )

    def settings(self, config: Any) -> dict[str, Any]:
        """The fields of a ``T5Config`` of theirs."""
        if not isinstance(config, TransformerConfig):
            raise ChoiceError(f"a T5 is a Transformer, got {config.kind!r}")
        plain: dict[str, Any] = {"norm": "pre", "norm_kind": "rms", "bias": False, "score": "dot"}
        plain |= {"position": "t5", "position_shared": True, "normalise": "softmax"}
        plain |= {"shared": True, "embedding_factor": 1.0, "output_bias": False, "copying": None}
        require(config, {**PLAIN, **plain, "num_key_heads": None})
        scaled = config.output_factor == config.model_dim**-0.5
        if not scaled and config.output_factor != 1:
            raise ChoiceError("a T5 scales what its output layer reads by 1/√M or not at all")
        if scaled and not config.tied:
            raise ChoiceError("a T5 with an output layer of its own does not scale what it reads")
        return {
            "architectures": ["T5ForConditionalGeneration"],
            "vocab_size": config.source_vocab,
            "d_model": config.model_dim,
            "d_kv": config.width_of_head,
            "d_ff": config.hidden_dim,
            "num_heads": config.num_heads,
            "num_layers": config.encoder_layers,
            "num_decoder_layers": config.decoder_layers,
            "feed_forward_proj": _feed_forward(config.activation),
            "layer_norm_epsilon": config.norm_eps,
            "relative_attention_num_buckets": config.buckets,
            "relative_attention_max_distance": config.farthest,
            "dropout_rate": config.dropout,
            "pad_token_id": config.pad,
            "tie_word_embeddings": scaled,
            "scale_decoder_outputs": scaled,
            "is_encoder_decoder": True,
        }

    def rules(self, config: TransformerConfig) -> Rules:
        """The one embedding, both stacks, the output layer."""
        found = list(same("target_embedding", "shared", WEIGHT))
        ours_again = {"source_embedding.weight": "target_embedding.weight"}
        theirs_again = {f"{side}.embed_tokens.weight": "shared.weight" for side in SIDES}
        for side, layers in zip(SIDES, (config.encoder_layers, config.decoder_layers), strict=True):
            first = f"{side}.0.attention.position.table"
            found += [Rule(first, (f"{side}.block.0.{TABLE}",), turned=True)]
            for number in range(layers):
                found += _layer(side, number, config)
                if number:
                    ours_again[f"{side}.{number}.attention.position.table"] = first
            found += same(f"{side}_norm", f"{side}.final_layer_norm", WEIGHT)
        if config.tied:
            ours_again["output.proj.weight"] = "target_embedding.weight"
            theirs_again["lm_head.weight"] = "shared.weight"
        else:
            found += same("output.proj", "lm_head", WEIGHT)
        return Rules(tuple(found), ours_again, theirs_again)


SIDES = ("encoder", "decoder")


def _layer(side: str, number: int, config: TransformerConfig) -> Iterator[Rule]:
    ours, theirs = f"{side}.{number}", f"{side}.block.{number}.layer"
    parts = [("attention", "SelfAttention")]
    parts += [("cross", "EncDecAttention")] if side == "decoder" else []
    rows = (config.num_heads * config.width_of_head,) * 3
    for place, (part, name) in enumerate(parts):
        maps = [f"{theirs}.{place}.{name}.{one}" for one in ("q", "k", "v")]
        yield from stacked(f"{ours}.{part}.in_proj", maps, rows, WEIGHT)
        yield from same(f"{ours}.{part}.output_proj", f"{theirs}.{place}.{name}.o", WEIGHT)
        yield from same(f"{ours}.around_{part}.norm", f"{theirs}.{place}.layer_norm", WEIGHT)
    last = f"{theirs}.{len(parts)}"
    yield from same(f"{ours}.around_feed_forward.norm", f"{last}.layer_norm", WEIGHT)
    yield from same(f"{ours}.feed_forward.output_proj", f"{last}.DenseReluDense.wo", WEIGHT)
    inner = f"{last}.DenseReluDense.wi"
    if config.activation in GATED.values():
        both = (f"{inner}_0", f"{inner}_1")
        yield from stacked(
            f"{ours}.feed_forward.input_proj", both, (config.hidden_dim,) * 2, WEIGHT
        )
    else:
        yield from same(f"{ours}.feed_forward.input_proj", inner, WEIGHT)


def _activation(said: str) -> Any:
    """Ours for theirs: ``relu``, or ``gated-gelu``, whose GELU is the approximation."""
    gate, _, name = said.rpartition("-")
    name = "gelu_new" if said == "gated-gelu" else name
    if gate not in ("", "gated") or name not in ACTIVATIONS:
        raise ChoiceError(f"config.json says feed_forward_proj is {said!r}, which is not known")
    return GATED[ACTIVATIONS[name]] if gate else ACTIVATIONS[name]


def _feed_forward(activation: str) -> str:
    ungated = next((one for one, gate in GATED.items() if gate == activation), None)
    if ungated is None:
        return named(activation, ACTIVATIONS)
    return "gated-gelu" if ungated == "gelu_tanh" else f"gated-{named(ungated, ACTIVATIONS)}"


families.add("t5", T5Family())
