"""What a convolutional model is built from."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ..config import Seq2SeqConfig, Size


class ConvS2SConfig(Seq2SeqConfig):
    """Gehring et al. 2017 (https://arxiv.org/abs/1705.03122), section 3."""

    kind: Literal["convs2s"] = "convs2s"
    """Which model this is the config of."""
    embedding_dim: Size = 512
    """Width of embeddings, and of what attention compares."""
    hidden_dim: Size = 512
    """Width inside the stacks."""
    encoder_layers: Size = 20
    """Convolutions of the encoder."""
    decoder_layers: Size = 20
    """Convolutions of the decoder, each with an attention."""
    encoder_kernel: Size = 3
    """Positions that one convolution of the encoder sees; odd, so that it has a middle."""
    decoder_kernel: Size = 3
    """Positions that one convolution of the decoder sees: the current one and those before it."""
    max_length: Size = 1024
    """Longest sequence that there are positions for."""
    encoder_gradient: Annotated[float, Field(gt=0)] | None = None
    """Factor of the gradient into the encoder; one over the number of attentions, if not given."""
    alignment_layer: int | Literal["mean"] = "mean"
    """Decoder layer that says where a token looked, or the mean of all."""

    @property
    def longest(self) -> int | None:
        """As many tokens as there are positions."""
        return self.max_length

    @model_validator(mode="after")
    def _layers_fit(self) -> "ConvS2SConfig":
        layer, layers = self.alignment_layer, self.decoder_layers
        if self.encoder_kernel % 2 == 0:
            raise ValueError(f"encoder_kernel needs to be odd, got {self.encoder_kernel}")
        if layer != "mean" and not -layers <= layer < layers:
            raise ValueError(
                f"alignment_layer needs one of the {layers} decoder layers, counted from 0, or "
                f"'mean', got {layer}"
            )
        return self


def convs2s_small(*, source_vocab: int, target_vocab: int) -> ConvS2SConfig:
    """Four layers of 256 on each side: a translator that a CPU can train."""
    return ConvS2SConfig(
        source_vocab=source_vocab,
        target_vocab=target_vocab,
        tied=True,
        embedding_dim=256,
        hidden_dim=256,
        encoder_layers=4,
        decoder_layers=4,
    )
