"""What a Transformer is built from."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ..config import Probability, Seq2SeqConfig, Size
from .layers_config import LayersConfig
from .residual import NormPlace


class TransformerConfig(LayersConfig, Seq2SeqConfig):
    """Vaswani et al. 2017 (https://arxiv.org/abs/1706.03762); the defaults are their base model.

    Theirs → ours: d_model → ``model_dim``, d_ff → ``hidden_dim``, h → ``num_heads``, N →
    ``encoder_layers`` and ``decoder_layers``, P_drop → ``dropout`` (of sublayers) and
    ``embedding_dropout``; those of weights and of hidden features are from their published code.
    """

    kind: Literal["transformer"] = "transformer"
    """Which model this is the config of."""
    model_dim: Size = 512
    """Width between the layers."""
    num_heads: Size = 8
    """Heads of every attention."""
    encoder_layers: Size = 6
    """Layers of the encoder."""
    decoder_layers: Size = 6
    """Layers of the decoder."""
    hidden_dim: Size = 2048
    """Width inside the feed-forward layers."""
    norm: NormPlace = "post"
    """Whether a sublayer's sum is normalised behind it, or its input before it."""
    max_length: Size = 1024
    """Longest sequence that learned positions have vectors for."""
    embedding_factor: Annotated[float, Field(gt=0)] | None = None
    """What the tokens' vectors are multiplied with; the root of their width if not given."""
    output_bias: bool = True
    """Whether the output layer has one."""
    output_factor: Annotated[float, Field(gt=0)] = 1.0
    """What features are multiplied with before the output layer."""
    position_shared: bool = False
    """Whether the layers of a stack share one table of relative positions, as T5's do."""
    embedding_dropout: Probability | None = None
    """Of embeddings with their positions; as dropout if not given."""
    alignment_layer: int | None = None
    """Decoder layer that says where a token looked; the last but one, if not given."""
    alignment_head: int | Literal["mean"] = "mean"
    """Head of this layer that says it, or the mean of all."""

    @property
    def longest(self) -> int | None:
        """As many tokens as learned positions have vectors."""
        return self.max_length if self.position == "learned" else None

    @property
    def chosen_embedding_dropout(self) -> float:
        """Of embeddings with their positions."""
        return self.dropout if self.embedding_dropout is None else self.embedding_dropout

    @property
    def chosen_alignment_layer(self) -> int:
        """The layer, counted from the first."""
        layer = self.alignment_layer
        return max(0, self.decoder_layers - 2) if layer is None else layer % self.decoder_layers

    @model_validator(mode="after")
    def _alignment_exists(self) -> "TransformerConfig":
        layer, head, layers = self.alignment_layer, self.alignment_head, self.decoder_layers
        if layer is not None and not -layers <= layer < layers:
            raise ValueError(
                f"alignment_layer needs one of the {layers} decoder layers, counted from 0, got "
                f"{layer}"
            )
        if head != "mean" and not 0 <= head < self.num_heads:
            raise ValueError(
                f"alignment_head needs one of the {self.num_heads} heads, counted from 0, or "
                f"'mean', got {head}"
            )
        return self


def transformer_tiny(*, source_vocab: int, target_vocab: int) -> TransformerConfig:
    """Learns a small task on a laptop in minutes."""
    return transformer_small(source_vocab=source_vocab, target_vocab=target_vocab).model_copy(
        update={"model_dim": 128, "hidden_dim": 512, "encoder_layers": 2, "decoder_layers": 2}
    )


def transformer_small(*, source_vocab: int, target_vocab: int) -> TransformerConfig:
    """Three layers of 256: a translator that a CPU can train."""
    return TransformerConfig(
        source_vocab=source_vocab,
        target_vocab=target_vocab,
        tied=True,
        model_dim=256,
        num_heads=4,
        encoder_layers=3,
        decoder_layers=3,
        hidden_dim=1024,
        norm="pre",
    )


def transformer_base(*, source_vocab: int, target_vocab: int) -> TransformerConfig:
    """The base model of the paper, for a joint vocabulary if the two are of one size."""
    return TransformerConfig(
        source_vocab=source_vocab,
        target_vocab=target_vocab,
        tied=True,
        shared=source_vocab == target_vocab,
    )
