"""GPT-2: a decoder and nothing else, its matrices on their side."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from regard.errors import ChoiceError
from regard.types import Tensor

from ..language.gpt_config import GPTConfig
from .family import PLAIN, Family, families, require, without
from .rules import Rule, Rules, same, turned
from .settings import ACTIVATIONS, Settings, named

SUMMARY = ("type", "use_proj", "activation", "proj_to_labels", "first_dropout")
"""Of a head that a language model does not have."""


class GPT2Family(Family):
    """Radford et al. 2019 (https://cdn.openai.com/better-language-models/language_models.pdf).

    Theirs → ours: ``wte``, ``wpe`` → ``embedding``, ``position``, ``c_attn`` → ``in_proj``,
    ``c_fc``, ``c_proj`` → ``feed_forward``, ``ln_f`` → ``norm``.
    """

    buffers: ClassVar[tuple[str, ...]] = (".attn.bias", ".attn.masked_bias")

    def stripped(self, name: str) -> str:
        """Without the ``transformer.`` of models with an output layer."""
        return without("transformer.", name)

    def written(self, name: str, config: Any) -> str:
        """With it."""
        return name if name.startswith("lm_head.") else f"transformer.{name}"

    def config(self, settings: Settings, theirs: Mapping[str, Tensor]) -> GPTConfig:
        """Norms before sublayers, learned positions, an output layer without a bias."""
        for name in (
            *("scale_attn_by_inverse_layer_idx", "reorder_and_upcast_attn"),
            "add_cross_attention",
        ):
            settings.expect(name, False)
        settings.ignore(*(f"summary_{part}" for part in SUMMARY), "n_ctx")
        width = settings.need("n_embd")
        return GPTConfig(
            vocab=settings.need("vocab_size"),
            tied=bool(settings.take("tie_word_embeddings", True)),
            output_bias=False,
            context=settings.take("n_positions", 1024),
            model_dim=width,
            num_heads=settings.need("n_head"),
            num_layers=settings.need("n_layer"),
            hidden_dim=settings.take("n_inner", 4 * width),
            norm_eps=settings.take("layer_norm_epsilon", 1e-5),
            activation=settings.choose("activation_function", ACTIVATIONS, "gelu_new"),
            score="scaled_dot" if settings.take("scale_attn_weights", True) else "dot",
            dropout=settings.take("resid_pdrop", 0.1),
            embedding_dropout=settings.take("embd_pdrop", 0.1),
            attention_dropout=settings.take("attn_pdrop", 0.1),
        )

    def settings(self, config: Any) -> dict[str, Any]:
        """The fields of a ``GPT2Config`` of theirs."""
        if not isinstance(config, GPTConfig):
            raise ChoiceError(f"a GPT-2 is a language model, got {config.kind!r}")
        plain = {"norm": "pre", "norm_kind": "layer", "position": "learned", "bias": True}
        plain |= {"normalise": "softmax", "num_key_heads": None, "head_dim": None, "window": None}
        require(config, {**PLAIN, **plain, "embedding_factor": 1.0, "output_bias": False})
        if config.score not in ("scaled_dot", "dot"):
            raise ChoiceError(f"a GPT-2 scores by dot products, got {config.score!r}")
        return {
            "architectures": ["GPT2LMHeadModel"],
            "vocab_size": config.vocab,
            "n_embd": config.model_dim,
            "n_layer": config.num_layers,
            "n_head": config.num_heads,
            "n_inner": config.hidden_dim,
            "n_positions": config.context,
            "activation_function": named(config.activation, ACTIVATIONS),
            "layer_norm_epsilon": config.norm_eps,
            "scale_attn_weights": config.score == "scaled_dot",
            "resid_pdrop": config.dropout,
            "embd_pdrop": config.chosen_embedding_dropout,
            "attn_pdrop": config.attention_dropout,
            "tie_word_embeddings": config.tied,
        }

    def rules(self, config: GPTConfig) -> Rules:
        """Embeddings, layers, the last norm, the output layer."""
        found = [
            *same("embedding", "wte", ("weight",)),
            Rule("position.table", ("wpe.weight",)),
            *(rule for number in range(config.num_layers) for rule in _layer(number)),
            *same("norm", "ln_f"),
        ]
        return tied(config, found, "wte.weight")


def _layer(number: int) -> Iterator[Rule]:
    ours, theirs = f"layers.{number}", f"h.{number}"
    yield from turned(f"{ours}.attention.in_proj", f"{theirs}.attn.c_attn")
    yield from turned(f"{ours}.attention.output_proj", f"{theirs}.attn.c_proj")
    yield from same(f"{ours}.around_attention.norm", f"{theirs}.ln_1")
    yield from turned(f"{ours}.feed_forward.input_proj", f"{theirs}.mlp.c_fc")
    yield from turned(f"{ours}.feed_forward.output_proj", f"{theirs}.mlp.c_proj")
    yield from same(f"{ours}.around_feed_forward.norm", f"{theirs}.ln_2")


def tied(config: GPTConfig, found: list[Rule], table: str) -> Rules:
    """The output layer is the embedding, or a matrix of its own."""
    if config.tied:
        again = {"output.proj.weight": "embedding.weight"}
        return Rules(tuple(found), again, {"lm_head.weight": table})
    return Rules((*found, *same("output.proj", "lm_head", ("weight",))))


families.add("gpt2", GPT2Family())
