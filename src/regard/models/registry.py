"""Kinds of models, and presets by name."""

from collections.abc import Callable
from typing import Any, NamedTuple

from torch import nn

from regard.errors import ChoiceError
from regard.registry import Registry

from . import autoencoder, conv, language, reading, text, transformer, vision
from .autoencoder import presets as autoencoders
from .config import ModelConfig
from .language import recurrent
from .reading import span_presets, story_presets
from .rnn import bahdanau, gnmt, luong, luong_presets, plain
from .text import bert, word_vectors
from .text import presets as texts
from .vision import classifier_presets as pictures
from .vision import detector, glimpses, set_prediction, unet
from .vision import presets as looking


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
kinds.add("tagger", Kind(text.TaggerConfig, text.Tagger))
kinds.add("classifier", Kind(text.ClassifierConfig, text.Classifier))
kinds.add("bert", Kind(text.BertConfig, text.Bert))
kinds.add("word-vectors", Kind(word_vectors.WordVectorsConfig, word_vectors.WordVectors))
kinds.add("span-reader", Kind(reading.SpanReaderConfig, reading.SpanReader))
kinds.add("story-reader", Kind(reading.StoryReaderConfig, reading.StoryReader))
kinds.add("gpt", Kind(language.GPTConfig, language.GPT))
kinds.add("picture-classifier", Kind(vision.PictureClassifierConfig, vision.PictureClassifier))
kinds.add("recurrent-lm", Kind(language.RecurrentLMConfig, language.RecurrentLM))
kinds.add("attend-tell", Kind(vision.AttendTellConfig, vision.AttendTell))
kinds.add(
    "transformer-captioner", Kind(vision.TransformerCaptionerConfig, vision.TransformerCaptioner)
)
kinds.add("bottom-up-top-down", Kind(vision.BottomUpTopDownConfig, vision.BottomUpTopDown))
kinds.add("stacked-attention", Kind(vision.StackedAttentionConfig, vision.StackedAttention))
kinds.add("vqa-transformer", Kind(vision.TransformerAnswererConfig, vision.TransformerAnswerer))
kinds.add("detector", Kind(vision.DetectorConfig, vision.Detector))
kinds.add("set-prediction", Kind(vision.SetPredictionConfig, vision.SetPrediction))
kinds.add("unet", Kind(vision.UNetConfig, vision.UNet))
kinds.add("glimpses", Kind(vision.GlimpsesConfig, vision.Glimpses))
kinds.add("text-autoencoder", Kind(autoencoder.TextAutoencoderConfig, autoencoder.TextAutoencoder))
kinds.add(
    "picture-autoencoder",
    Kind(autoencoder.PictureAutoencoderConfig, autoencoder.PictureAutoencoder),
)

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
presets.add("bilstm-tagger", texts.bilstm_tagger)
presets.add("bigru-tagger", texts.bigru_tagger)
presets.add("transformer-tagger", texts.transformer_tagger)
presets.add("conv-tagger", texts.conv_tagger)
presets.add("gru-classifier", texts.gru_classifier)
presets.add("lstm-classifier", texts.lstm_classifier)
presets.add("conv-classifier", texts.conv_classifier)
presets.add("transformer-classifier", texts.transformer_classifier)
presets.add("bert-tiny", bert.bert_tiny)
presets.add("bert-small", bert.bert_small)
presets.add("word-vectors", word_vectors.word_vectors)
presets.add("gpt-tiny", language.gpt_tiny)
presets.add("gpt-small", language.gpt_small)
presets.add("gpt-base", language.gpt_base)
presets.add("soft-captioner", looking.soft_captioner)
presets.add("hard-captioner", looking.hard_captioner)
presets.add("mean-captioner", looking.mean_captioner)
presets.add("transformer-captioner", looking.transformer_captioner)
presets.add("soft-captioner-lite0", looking.soft_captioner_lite0)
presets.add("hard-captioner-lite0", looking.hard_captioner_lite0)
presets.add("transformer-captioner-lite0", looking.transformer_captioner_lite0)
presets.add("bottom-up-top-down", looking.bottom_up_top_down)
presets.add("stacked-attention", looking.stacked_attention)
presets.add("vqa-transformer", looking.vqa_transformer)
presets.add("bottom-up-top-down-lite0", looking.bottom_up_top_down_lite0)
presets.add("stacked-attention-lite0", looking.stacked_attention_lite0)
presets.add("vqa-transformer-lite0", looking.vqa_transformer_lite0)
presets.add("flow-reader", span_presets.flow_reader)
presets.add("cross-reader", span_presets.cross_reader)
presets.add("fusion-reader", span_presets.fusion_reader)
presets.add("memory-network", story_presets.memory_network)
presets.add("story-reader", story_presets.story_reader)
presets.add("detector-small", detector.detector_small)
presets.add("detector-plain-small", detector.detector_plain_small)
presets.add("set-prediction-small", set_prediction.set_prediction_small)
presets.add("unet-small", unet.unet_small)
presets.add("unet-plain-small", unet.unet_plain_small)
presets.add("glimpses-small", glimpses.glimpses_small)
presets.add("autoencoder", autoencoders.autoencoder)
presets.add("gru-autoencoder", autoencoders.gru_autoencoder)
presets.add("lstm-autoencoder", autoencoders.lstm_autoencoder)
presets.add("transformer-autoencoder", autoencoders.transformer_autoencoder)
presets.add("cnn-autoencoder", autoencoders.cnn_autoencoder)
presets.add("vit-autoencoder", autoencoders.vit_autoencoder)
for _cell in recurrent.CELLS:
    presets.add(f"{_cell}-lm-small", recurrent.recurrent_small(_cell))

for _name, _preset in pictures.PRESETS.items():
    presets.add(_name, _preset)


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
