"""Kinds of models, and presets by name."""

from collections.abc import Callable
from typing import Any, NamedTuple

from torch import nn

from regard.errors import ChoiceError
from regard.registry import Registry

from . import conv, transformer
from .config import ModelConfig
from .rnn import bahdanau, gnmt, luong, luong_presets, plain


class Kind(NamedTuple):
    """What a config of one kind is, and what is made of it."""

    config: type[ModelConfig]
    model: Callable[[Any], nn.Module]


Preset = Callable[..., ModelConfig]
"""A config with everything chosen but its sizes, such as those of vocabularies: the names of its
keyword parameters say which."""

kinds: Registry[Kind] = Registry("kind of model")
"""Every kind of model; those of users are added by :func:`register`."""
kinds.add("plain", Kind(plain.PlainConfig, plain.Plain))
kinds.add("bahdanau", Kind(bahdanau.BahdanauConfig, bahdanau.Bahdanau))
kinds.add("luong", Kind(luong.LuongConfig, luong.Luong))
kinds.add("gnmt", Kind(gnmt.GNMTConfig, gnmt.GNMT))
kinds.add("transformer", Kind(transformer.TransformerConfig, transformer.Transformer))
kinds.add("convs2s", Kind(conv.ConvS2SConfig, conv.ConvS2S))

presets: Registry[Preset] = Registry("model")
"""Configs by name; :meth:`~regard.registry.Registry.add` takes those of users."""
presets.add("rnn-plain-small", plain.rnn_plain_small)
presets.add("gru-plain-small", plain.gru_plain_small)
presets.add("lstm-plain-small", plain.lstm_plain_small)
presets.add("lstm-plain-sutskever", plain.lstm_plain_sutskever)
presets.add("bahdanau-small", bahdanau.bahdanau_small)
presets.add("bahdanau-paper", bahdanau.bahdanau_paper)
presets.add("luong-dot-small", luong_presets.luong_dot_small)
presets.add("luong-general-small", luong_presets.luong_general_small)
presets.add("luong-concat-small", luong_presets.luong_concat_small)
presets.add("luong-location-small", luong_presets.luong_location_small)
presets.add("luong-local-m-small", luong_presets.luong_local_m_small)
presets.add("luong-local-p-small", luong_presets.luong_local_p_small)
presets.add("luong-paper", luong_presets.luong_paper)
presets.add("hard-small", luong_presets.hard_small)
presets.add("gnmt-small", gnmt.gnmt_small)
presets.add("gnmt-4", gnmt.gnmt_4)
presets.add("gnmt-8", gnmt.gnmt_8)
presets.add("transformer-tiny", transformer.transformer_tiny)
presets.add("transformer-small", transformer.transformer_small)
presets.add("transformer-base", transformer.transformer_base)
presets.add("convs2s-small", conv.convs2s_small)


def register(kind: str, config: type[ModelConfig], model: Callable[[Any], nn.Module]) -> None:
    """Make a model of one's own known by its kind, so that stored configs can be read and built.

    >>> class GPTConfig(ModelConfig):
    ...     kind: Literal["my-gpt"] = "my-gpt"
    ...     vocab: int
    >>> register("my-gpt", GPTConfig, GPT)
    >>> presets.add("my-gpt-small", lambda *, vocab: GPTConfig(vocab=vocab))

    Args:
        kind: the default of the config's ``kind``.
        config: its class.
        model: what is built from such a config, e.g. a class with it as its only argument.

    Raises:
        ChoiceError: the kind is taken, or the config says another.
    """
    own = config.model_fields["kind"].default
    if own != kind:
        raise ChoiceError(
            f"the kind {kind!r} needs a config with this kind as its default, got "
            f"{config.__name__} with {own!r}; write kind: Literal[{kind!r}] = {kind!r}"
        )
    if kind in kinds:
        raise ChoiceError(f"the kind of model {kind!r} is registered already; choose another name")
    kinds.add(kind, Kind(config, model))
