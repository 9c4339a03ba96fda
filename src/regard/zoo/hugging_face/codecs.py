"""Which task a kind of model serves, and what stands between it and a user's values."""

from collections.abc import Callable
from typing import Any, NamedTuple

from regard.data.running import TextCodec
from regard.data.vocabulary import Vocabularies
from regard.models import BertConfig, GPTConfig, PictureClassifierConfig, TransformerConfig
from regard.models.config import ModelConfig
from regard.models.text.bert import SentenceConfig
from regard.registry import Registry
from regard.tasks.image_classification.codec import PictureCodec
from regard.tasks.text_generation import codec as generation

from .folder import HuggingFaceFolder


class Served(NamedTuple):
    """A model for a task."""

    task: dict[str, Any]
    """``kind``, and what its predictor asks for."""
    config: ModelConfig
    codec: Any


SERVED: Registry[Callable[[Any, HuggingFaceFolder], Served]] = Registry("kind of model")
"""By the kind of a config."""


def _bert(config: BertConfig, folder: HuggingFaceFolder) -> Served:
    tokens = folder.tokeniser(config.vocab)
    closing = tokens.closing
    told: dict[str, Any] = {
        "start": tokens.opening[-1] if tokens.opening else tokens.bos,
        "end": closing[-1] if closing else None,
        "unknown": tokens.unk,
        "mask": tokens.mask,
        "sentence": sentence_of(folder),
    }
    fitted = BertConfig.model_validate(config.model_dump() | told)
    return Served({"kind": "fill-mask"}, fitted, TextCodec(tokens))


def _gpt(config: GPTConfig, folder: HuggingFaceFolder) -> Served:
    codec = generation.TextCodec(folder.tokeniser(config.vocab))
    return Served({"kind": "text-generation"}, config, codec)


def _transformer(config: TransformerConfig, folder: HuggingFaceFolder) -> Served:
    """One vocabulary for both sides; lines are read as they are."""
    tokens = folder.tokeniser(config.source_vocab)
    task = {"kind": "translation", "typing": None}
    return Served(task, config, Vocabularies(tokens, tokens))


def _picture(config: PictureClassifierConfig, folder: HuggingFaceFolder) -> Served:
    """Labels of the config, size and colours of ``preprocessor_config.json``."""
    told = folder.read("preprocessor_config.json")
    centred = told.get("do_normalize", True)
    mean = tuple(told.get("image_mean") or (0.5,) * 3) if centred else (0.0,) * 3
    std = tuple(told.get("image_std") or (0.5,) * 3) if centred else (1.0,) * 3
    named = folder.config.get("id2label") or {}
    labels = tuple(str(named.get(str(n), n)) for n in range(config.labels))
    encoder = config.encoder.model_copy(update={"mean": mean, "std": std})
    codec = PictureCodec(labels, encoder.height, encoder.width, mean, std)
    fitted = config.model_copy(update={"encoder": encoder})
    return Served({"kind": "image-classification"}, fitted, codec)


SERVED.add("bert", _bert)
SERVED.add("transformer", _transformer)
SERVED.add("picture-classifier", _picture)
SERVED.add("gpt", _gpt)


def sentence_of(folder: HuggingFaceFolder) -> SentenceConfig:
    """How the library sentence-transformers pools a text, where the folder has its files.

    Reimers and Gurevych 2019 (https://arxiv.org/abs/1908.10084).
    """
    modules = [one for one in folder.read("modules.json").values() if isinstance(one, dict)]
    kinds = [str(one.get("type")).rpartition(".")[2] for one in modules]
    pooled = next((one for one, kind in zip(modules, kinds, strict=True) if kind == "Pooling"), {})
    told = folder.read(f"{pooled['path']}/config.json") if pooled else {}
    pooling = "mean"
    if told.get("pooling_mode_cls_token"):
        pooling = "class_token"
    elif told.get("pooling_mode_max_tokens"):
        pooling = "max"
    return SentenceConfig(
        pooling=pooling,  # type: ignore[arg-type]
        framed=True,
        normalised="Normalize" in kinds,
        length=folder.read("sentence_bert_config.json").get("max_seq_length"),
    )
