"""Llama and those built like it: Mistral with a window, Qwen 3 with norms of queries and keys."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from regard.errors import ChoiceError
from regard.types import Tensor

from ..language.gpt_config import GPTConfig
from .family import PLAIN, Family, families, require, without
from .gpt2 import tied
from .rotary import rotary_of, told_rotary
from .rules import Rule, Rules, same, stacked
from .settings import ACTIVATIONS, GATED, Settings, named


class LlamaFamily(Family):
    """Touvron et al. 2023 (https://arxiv.org/abs/2302.13971, https://arxiv.org/abs/2307.09288).

    Theirs → ours: ``q_proj``, ``k_proj``, ``v_proj`` → ``in_proj``, ``gate_proj``, ``up_proj`` →
    ``input_proj`` (rows in this order), ``input_layernorm`` and ``post_attention_layernorm`` → the
    norms before both sublayers.
    """

    kind: ClassVar[str] = "llama"
    architecture: ClassVar[str] = "LlamaForCausalLM"
    buffers: ClassVar[tuple[str, ...]] = ("rotary_emb.inv_freq",)

    def stripped(self, name: str) -> str:
        """Without the ``model.`` of models with an output layer."""
        return without("model.", name)

    def written(self, name: str, config: Any) -> str:
        """With it."""
        return name if name.startswith("lm_head.") else f"model.{name}"

    def config(self, settings: Settings, theirs: Mapping[str, Tensor]) -> GPTConfig:
        """Root-mean-square norms, a gate, rotary positions, groups of heads."""
        settings.ignore("pretraining_tp")
        context = settings.take("max_position_embeddings", 2048)
        base, scaling = rotary_of(settings, context)
        gate = GATED[settings.choose("hidden_act", ACTIVATIONS, "silu")]
        return GPTConfig(
            vocab=settings.need("vocab_size"),
            tied=bool(settings.take("tie_word_embeddings", False)),
            output_bias=False,
            context=context,
            model_dim=settings.need("hidden_size"),
            num_heads=settings.need("num_attention_heads"),
            num_key_heads=settings.take("num_key_value_heads"),
            head_dim=settings.take("head_dim"),
            num_layers=settings.need("num_hidden_layers"),
            hidden_dim=settings.need("intermediate_size"),
            norm_kind="rms",
            norm_eps=settings.take("rms_norm_eps", 1e-6),
            activation=gate,
            position="rotary",
            rotary_base=base,
            rotary_scaling=scaling,
            attention_dropout=settings.take("attention_dropout", 0.0),
            **self.more(settings),
        )

    def more(self, settings: Settings) -> dict[str, Any]:
        """Fields of ours that not all of these families have.

        Raises:
            ChoiceError: biases in some maps only.
        """
        biases = {bool(settings.take(f"{part}_bias", False)) for part in ("attention", "mlp")}
        if len(biases) > 1:
            raise ChoiceError("attention_bias and mlp_bias need to be alike, and differ")
        return {"bias": biases.pop()}

    def settings(self, config: Any) -> dict[str, Any]:
        """The fields of their config."""
        if not isinstance(config, GPTConfig):
            raise ChoiceError(f"a {self.kind} is a language model, got {config.kind!r}")
        plain: dict[str, Any] = {
            "norm": "pre",
            "norm_kind": "rms",
            "position": "rotary",
            "score": "scaled_dot",
        }
        plain |= {"normalise": "softmax", "output_bias": False}
        require(config, {**plain, "embedding_factor": 1.0})
        ungated = next((one for one, gate in GATED.items() if gate == config.activation), None)
        if ungated is None:
            raise ChoiceError(f"a {self.kind} has a gate, got {config.activation!r}")
        rope = told_rotary(config.rotary_base, config.rotary_scaling, config.context)
        return {
            "architectures": [self.architecture],
            "vocab_size": config.vocab,
            "hidden_size": config.model_dim,
            "num_hidden_layers": config.num_layers,
            "num_attention_heads": config.num_heads,
            "num_key_value_heads": config.num_key_heads or config.num_heads,
            "head_dim": config.width_of_head,
            "intermediate_size": config.hidden_dim,
            "hidden_act": named(ungated, ACTIVATIONS),
            "max_position_embeddings": config.context,
            "rms_norm_eps": config.norm_eps,
            "attention_dropout": config.attention_dropout,
            "rope_parameters": rope,
            "tie_word_embeddings": config.tied,
            **self.told(config),
        }

    def told(self, config: GPTConfig) -> dict[str, Any]:
        """What :meth:`more` reads, of ours.

        Raises:
            ChoiceError: the family has no such model.
        """
        require(config, {**PLAIN, "window": None})
        return {"attention_bias": config.bias, "mlp_bias": config.bias}

    def rules(self, config: GPTConfig) -> Rules:
        """The embedding, layers, the last norm, the output layer."""
        found = [
            *same("embedding", "embed_tokens", ("weight",)),
            *(rule for n in range(config.num_layers) for rule in self.layer(n, config)),
            *same("norm", "norm", ("weight",)),
        ]
        return tied(config, found, "embed_tokens.weight")

    def layer(self, number: int, config: GPTConfig) -> Iterator[Rule]:
        """One layer."""
        ours, theirs = f"layers.{number}", f"layers.{number}"
        parts = ("weight", "bias") if config.bias else ("weight",)
        biased = config.bias if config.head_bias is None else config.head_bias
        width, hidden = config.width_of_head, config.hidden_dim
        keys = (config.num_key_heads or config.num_heads) * width
        maps = [f"{theirs}.self_attn.{name}_proj" for name in ("q", "k", "v")]
        rows = (config.num_heads * width, keys, keys)
        into, whole = f"{ours}.attention.in_proj", ("weight", "bias") if biased else ("weight",)
        if config.query_key_norm:
            for name in ("query", "key"):
                norm = f"{theirs}.self_attn.{name[0]}_norm"
                yield from same(f"{into}.{name}_norm", norm, ("weight",))
            into = f"{into}.projection"
        yield from stacked(into, maps, rows, whole)
        yield from same(f"{ours}.attention.output_proj", f"{theirs}.self_attn.o_proj", parts)
        both = [f"{theirs}.mlp.{name}_proj" for name in ("gate", "up")]
        yield from stacked(f"{ours}.feed_forward.input_proj", both, (hidden, hidden), parts)
        yield from same(f"{ours}.feed_forward.output_proj", f"{theirs}.mlp.down_proj", parts)
        before = ("input_layernorm", "post_attention_layernorm")
        for sublayer, norm in zip(("attention", "feed_forward"), before, strict=True):
            yield from same(f"{ours}.around_{sublayer}.norm", f"{theirs}.{norm}", ("weight",))


class MistralFamily(LlamaFamily):
    """Jiang et al. 2023 (https://arxiv.org/abs/2310.06825): every token sees those in a window."""

    kind: ClassVar[str] = "mistral"
    architecture: ClassVar[str] = "MistralForCausalLM"

    def more(self, settings: Settings) -> dict[str, Any]:
        """The window; no biases."""
        return {"window": settings.take("sliding_window"), "bias": False}

    def told(self, config: GPTConfig) -> dict[str, Any]:
        """The window."""
        require(config, {**PLAIN, "bias": False})
        return {"sliding_window": config.window}


class Qwen2Family(LlamaFamily):
    """Qwen Team 2024 (https://arxiv.org/abs/2407.10671): the maps into the heads have biases."""

    kind: ClassVar[str] = "qwen2"
    architecture: ClassVar[str] = "Qwen2ForCausalLM"

    def more(self, settings: Settings) -> dict[str, Any]:
        """Biases in front of the heads alone; windows are not used."""
        _no_windows(settings)
        return {"bias": False, "head_bias": True}

    def told(self, config: GPTConfig) -> dict[str, Any]:
        """Nothing more, where the biases are these."""
        require(config, {**PLAIN, "bias": False, "head_bias": True, "window": None})
        return {}


class Qwen3Family(LlamaFamily):
    """Qwen Team 2025 (https://arxiv.org/abs/2505.09388): queries and keys are normalised."""

    kind: ClassVar[str] = "qwen3"
    architecture: ClassVar[str] = "Qwen3ForCausalLM"

    def more(self, settings: Settings) -> dict[str, Any]:
        """A norm in every head; windows are not used."""
        _no_windows(settings)
        settings.expect("attention_bias", False)
        return {"bias": False, "query_key_norm": True}

    def told(self, config: GPTConfig) -> dict[str, Any]:
        """Nothing more, where there are these norms."""
        require(config, {**PLAIN, "bias": False, "query_key_norm": True, "window": None})
        return {}


def _no_windows(settings: Settings) -> None:
    """Raise where some layers see those in a window alone.

    Raises:
        ChoiceError: some do.
    """
    settings.expect("use_sliding_window", False)
    settings.ignore("sliding_window", "max_window_layers")
    if set(settings.take("layer_types", ())) - {"full_attention"}:
        raise ChoiceError(
            "layers that see a window, beside others that see all, are not known here"
        )


families.add("llama", LlamaFamily())
families.add("mistral", MistralFamily())
families.add("qwen2", Qwen2Family())
families.add("qwen3", Qwen3Family())
