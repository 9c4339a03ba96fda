"""Marian: the Transformer of Vaswani et al., as OPUS-MT trains it."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from regard.errors import ChoiceError
from regard.types import Tensor

from ..transformer.config import TransformerConfig
from .family import PLAIN, Family, families, require
from .rules import Rule, Rules, Weights, same, stacked
from .settings import ACTIVATIONS, Settings, named

SIDES = ("encoder", "decoder")
ALIKE = ("ffn_dim", "attention_heads")
"""What both stacks may have of their own there, and need to have alike here."""
GENERATION = (
    *("bad_words_ids", "forced_eos_token_id", "decoder_start_token_id", "classif_dropout"),
    *("classifier_dropout", "num_hidden_layers", "extra_pos_embeddings", "encoder_layerdrop"),
    *("decoder_layerdrop", "force_bos_token_to_be_generated"),
)


class MarianFamily(Family):
    """Junczys-Dowmunt et al. 2018 (https://aclanthology.org/P18-4020), Tiedemann 2020.

    Theirs → ours: ``self_attn``, ``encoder_attn`` → ``attention``, ``cross``, ``fc1``, ``fc2`` →
    ``feed_forward``, ``final_logits_bias`` → the bias of the output layer. Norms stand behind sums;
    the sines of positions stand before their cosines. A translation begins with ``pad``.
    """

    buffers: ClassVar[tuple[str, ...]] = ("embed_positions.weight",)

    def stripped(self, name: str) -> str:
        """Without ``model.``."""
        return name.removeprefix("model.")

    def written(self, name: str, config: Any) -> str:
        """With it."""
        outside = name.startswith(("lm_head.", "final_logits_bias"))
        return name if outside else f"model.{name}"

    def prepared(self, theirs: Weights) -> Weights:
        """The bias of the output layer as one row of numbers."""
        if "final_logits_bias" not in theirs:
            return theirs
        return {**theirs, "final_logits_bias": theirs["final_logits_bias"].flatten()}

    def finished(self, theirs: Weights) -> Weights:
        """The same as a table of one row."""
        return {**theirs, "final_logits_bias": theirs["final_logits_bias"].unsqueeze(0)}

    def config(self, settings: Settings, theirs: Mapping[str, Tensor]) -> TransformerConfig:
        """Norms behind sums, sinusoidal positions, one embedding for all."""
        for name, value in (
            *(("is_decoder", False), ("normalize_embedding", False)),
            *(("add_final_layer_norm", False), ("add_bias_logits", False)),
            *(("static_position_embeddings", True), ("tie_word_embeddings", True)),
            ("share_encoder_decoder_embeddings", True),
        ):
            settings.expect(name, value)
        settings.ignore(*GENERATION)
        vocab = settings.need("vocab_size")
        settings.expect("decoder_vocab_size", vocab)
        both = {name: settings.need(f"encoder_{name}") for name in ALIKE}
        for name, found in both.items():
            settings.expect(f"decoder_{name}", found)
        width = settings.need("d_model")
        scaled = bool(settings.take("scale_embedding", False))
        return TransformerConfig(
            source_vocab=vocab,
            target_vocab=vocab,
            pad=settings.need("pad_token_id"),
            tied=True,
            shared=True,
            model_dim=width,
            num_heads=both["attention_heads"],
            encoder_layers=settings.need("encoder_layers"),
            decoder_layers=settings.need("decoder_layers"),
            hidden_dim=both["ffn_dim"],
            max_length=settings.take("max_position_embeddings", 1024),
            norm="post",
            activation=_activation(settings),
            position="sinusoidal",
            wave_layout="halves",
            embedding_factor=None if scaled else 1.0,
            dropout=settings.take("dropout", 0.1),
            attention_dropout=settings.take("attention_dropout", 0.0),
            activation_dropout=settings.take("activation_dropout", 0.0),
        )

    def settings(self, config: Any) -> dict[str, Any]:
        """The fields of a ``MarianConfig`` of theirs."""
        if not isinstance(config, TransformerConfig):
            raise ChoiceError(f"a Marian is a Transformer, got {config.kind!r}")
        plain: dict[str, Any] = {"norm": "post", "norm_kind": "layer", "norm_eps": 1e-5}
        plain |= {"bias": True, "score": "scaled_dot", "normalise": "softmax", "copying": None}
        plain |= {"position": "sinusoidal", "wave_layout": "halves", "num_key_heads": None}
        plain |= {"tied": True, "shared": True, "output_bias": True, "output_factor": 1.0}
        require(config, {**PLAIN, **plain, "head_dim": None})
        if config.embedding_factor not in (None, 1.0, config.model_dim**0.5):
            raise ChoiceError("a Marian scales embeddings by √M or not at all")
        told: dict[str, Any] = {
            "architectures": ["MarianMTModel"],
            "vocab_size": config.source_vocab,
            "d_model": config.model_dim,
            "activation_function": named(config.activation, ACTIVATIONS),
            "max_position_embeddings": config.max_length,
            "pad_token_id": config.pad,
            "decoder_start_token_id": config.pad,
            "scale_embedding": config.embedding_factor != 1,
            "dropout": config.dropout,
            "attention_dropout": config.attention_dropout,
            "activation_dropout": config.activation_dropout,
            "is_encoder_decoder": True,
        }
        for side, layers in zip(SIDES, (config.encoder_layers, config.decoder_layers), strict=True):
            told[f"{side}_layers"] = layers
            told[f"{side}_ffn_dim"] = config.hidden_dim
            told[f"{side}_attention_heads"] = config.num_heads
        return told

    def rules(self, config: TransformerConfig) -> Rules:
        """The one embedding, both stacks, the bias of the output layer."""
        found = [
            *same("target_embedding", "shared", ("weight",)),
            Rule("output.proj.bias", ("final_logits_bias",)),
        ]
        for side, layers in zip(SIDES, (config.encoder_layers, config.decoder_layers), strict=True):
            for number in range(layers):
                found += _layer(side, number, config.model_dim)
        again = ("source_embedding.weight", "output.proj.weight")
        theirs = (*(f"{side}.embed_tokens.weight" for side in SIDES), "lm_head.weight")
        return Rules(
            tuple(found),
            dict.fromkeys(again, "target_embedding.weight"),
            dict.fromkeys(theirs, "shared.weight"),
        )


def _layer(side: str, number: int, width: int) -> Iterator[Rule]:
    ours, theirs = f"{side}.{number}", f"{side}.layers.{number}"
    parts = [("attention", "self_attn")] + [("cross", "encoder_attn")] * (side == "decoder")
    for part, name in parts:
        maps = [f"{theirs}.{name}.{one}_proj" for one in ("q", "k", "v")]
        yield from stacked(f"{ours}.{part}.in_proj", maps, (width,) * 3)
        yield from same(f"{ours}.{part}.output_proj", f"{theirs}.{name}.out_proj")
        yield from same(f"{ours}.around_{part}.norm", f"{theirs}.{name}_layer_norm")
    yield from same(f"{ours}.feed_forward.input_proj", f"{theirs}.fc1")
    yield from same(f"{ours}.feed_forward.output_proj", f"{theirs}.fc2")
    yield from same(f"{ours}.around_feed_forward.norm", f"{theirs}.final_layer_norm")


def _activation(settings: Settings) -> Any:
    return settings.choose("activation_function", ACTIVATIONS, "gelu")


families.add("marian", MarianFamily())
