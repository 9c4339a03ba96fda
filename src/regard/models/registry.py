"""Kinds of models, and presets by name."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from regard.registry import Registry

from . import conv, transformer
from .config import Seq2SeqConfig
from .rnn import bahdanau, gnmt, luong, luong_presets, plain
from .seq2seq import Seq2Seq


class Kind(NamedTuple):
    """What a config of one kind is, and what is made of it."""

    config: type[Seq2SeqConfig]
    model: Callable[[Any], Seq2Seq]


class Preset(Protocol):
    """A config with everything chosen but the vocabularies."""

    def __call__(self, *, source_vocab: int, target_vocab: int) -> Seq2SeqConfig:
        """The config."""


kinds: Registry[Kind] = Registry("kind of model")
kinds.add("plain", Kind(plain.PlainConfig, plain.Plain))
kinds.add("bahdanau", Kind(bahdanau.BahdanauConfig, bahdanau.Bahdanau))
kinds.add("luong", Kind(luong.LuongConfig, luong.Luong))
kinds.add("gnmt", Kind(gnmt.GNMTConfig, gnmt.GNMT))
kinds.add("transformer", Kind(transformer.TransformerConfig, transformer.Transformer))
kinds.add("convs2s", Kind(conv.ConvS2SConfig, conv.ConvS2S))

presets: Registry[Preset] = Registry("model")
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
