"""Readers that begin with what other models have learned of words."""

from typing import Any

import torch

from regard.data.annotated import LabelCodec
from regard.data.reading import ReadingCodec
from regard.data.running import TextCodec
from regard.data.vocabulary.plain_words import PlainWords
from regard.data.vocabulary.tokeniser import PAD
from regard.errors import ChoiceError
from regard.models import preset_config
from regard.models.reading import SpanReaderConfig
from regard.models.text import TextConfig, WordVectorsConfig
from regard.storage.stored_model import StoredModel
from regard.types import Float, Tensor

ENCODER = "text."
"""How the names of the weights of an encoder begin, in every model around one."""
TABLE = "text.embedding.table.weight"


def with_vectors(origin: StoredModel, codec: LabelCodec, model: str) -> StoredModel:
    """A reader whose words begin with the vectors of another model, those it has.

    Vectors are made as long as others are to begin with, on average; words that have none begin by
    chance.

    Args:
        origin: word vectors.
        codec: of the reader.
        model: its preset.

    Raises:
        ChoiceError: the reader does not read words.
    """
    assert isinstance(origin.config, WordVectorsConfig)
    if not isinstance(codec.tokens, PlainWords):
        raise ChoiceError(
            f"word vectors need a reader of words to begin with them, this one reads "
            f"{codec.tokens.kind}; leave --level out"
        )
    config = preset_config(model, **codec.sizes())
    assert isinstance(config, SpanReaderConfig)
    embedding = config.embedding.model_copy(update={"dim": origin.config.dim})
    table = _table(origin, codec.tokens)
    chosen = config.model_copy(update={"embedding": embedding})
    return StoredModel({}, chosen, {TABLE: table}, codec, origin.ancestor)


def with_encoder(origin: StoredModel, model: str) -> StoredModel:
    """A reader that reads as a model of hidden tokens does (Devlin et al. 2019, section 4.2).

    Args:
        origin: the model of hidden tokens.
        model: the preset that says the rest.
    """
    assert isinstance(origin.config, TextConfig) and isinstance(origin.codec, TextCodec)
    tokens = origin.codec.tokens
    codec = ReadingCodec(tokens, ())
    usual = preset_config(model, **codec.sizes())
    shared = {name: getattr(origin.config, name) for name in TextConfig.model_fields}
    own = {name: getattr(usual, name) for name in SpanReaderConfig.model_fields}
    fields: dict[str, Any] = own | shared | {"kind": own["kind"]}
    weights = {name: value for name, value in origin.weights.items() if name.startswith(ENCODER)}
    told = {"vocabulary": {"level": "bpe", "size": max(8, len(tokens))}}
    return StoredModel(told, SpanReaderConfig(**fields), weights, codec, origin.ancestor)


def _table(origin: StoredModel, tokens: PlainWords) -> Float[Tensor, "V D"]:
    """A row for every token: its vector, or one drawn."""
    vectors = origin.weights["words.weight"].float()
    width = vectors.shape[1]
    length = vectors.norm(dim=1).mean().clamp(min=1e-6)
    table = torch.randn(len(tokens), width) * width**-0.5
    table[PAD] = 0
    known = {word: number for number, word in enumerate(origin.codec.words)}
    for number, word in enumerate(tokens.table.pieces):
        if word in known:
            table[number] = vectors[known[word]] / length
    return table
