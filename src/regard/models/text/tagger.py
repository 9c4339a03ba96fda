"""A label for every token: N → N."""

from typing import Literal

from torch import nn

from regard.types import Float, Int, Tensor

from ..config import Probability, Size
from .config import TextConfig
from .dropout import WholeDropout
from .embedding import Spelling
from .encoder import TextEncoder


class TaggerConfig(TextConfig):
    """A tagger around any encoder."""

    kind: Literal["tagger"] = "tagger"
    labels: Size
    """Number of tags."""
    dropout: Probability = 0.3
    """Probability with which a feature is dropped before the output layer."""


class Tagger(nn.Module):
    r"""A distribution over tags for every token.

    .. math:: p(y_n \mid x) = \text{softmax}(W h_n + b), \quad h = \text{encoder}(x)

    Wang et al. 2015 (https://arxiv.org/abs/1510.06168) with an LSTM in both directions; with the
    characters of words, Ling et al. 2015 (https://aclanthology.org/D15-1176). Tags are predicted
    one by one; each sees all of the sentence through its feature.
    """

    def __init__(self, config: TaggerConfig) -> None:
        super().__init__()
        self.config = config
        self.text = TextEncoder(config)
        self.dropout = WholeDropout(config.dropout)
        self.output = nn.Linear(self.text.output_dim, config.labels)

    def forward(
        self,
        tokens: Int[Tensor, "B N"],
        lengths: Int[Tensor, " B"],
        spelling: Spelling | None = None,
    ) -> Float[Tensor, "B N V"]:
        """Logits of the tags."""
        return self.output(self.features(tokens, lengths, spelling))

    def features(
        self,
        tokens: Int[Tensor, "B N"],
        lengths: Int[Tensor, " B"],
        spelling: Spelling | None = None,
    ) -> Float[Tensor, "B N M"]:
        """What the output layer reads."""
        return self.dropout(self.text(tokens, lengths, spelling))

    def blocks(self) -> list[nn.Module]:
        """Those of the encoder."""
        return self.text.encoder.blocks()
