"""A label for a whole text: N → 1."""

from typing import Literal

from torch import nn
from torch.nn.functional import pad

from regard.types import Float, Int, Tensor

from ..config import Probability, Size
from ..dropout import Dropout
from .config import FRAMED, PoolingConfig, TextConfig
from .embedding import Spelling
from .encoder import TextEncoder
from .pooling import pooling


class ClassifierConfig(TextConfig):
    """A classifier around any encoder, with any pooling."""

    kind: Literal["classifier"] = "classifier"
    labels: Size
    """Number of labels."""
    pooling: PoolingConfig = PoolingConfig()
    """How the features of a text become one vector."""
    dropout: Probability = 0.3
    """Probability with which a feature is dropped before the output layer."""

    @property
    def longest(self) -> int | None:
        """One token less for each that is put around the text."""
        most = super().longest
        return most if most is None or self.pooling.kind not in FRAMED else most - self.around


class Classifier(nn.Module):
    r"""A distribution over labels for a text.

    .. math:: p(y \mid x) = \text{softmax}(W c + b), \quad c = \text{pool}(\text{encoder}(x))

    Lin et al. 2017 (https://arxiv.org/abs/1703.03130): pooled by attention, c is the mean of the
    features weighed by how telling they are, and the weights say which words it was.
    """

    def __init__(self, config: ClassifierConfig) -> None:
        super().__init__()
        self.config = config
        self.text = TextEncoder(config)
        self.pooling = pooling(config.pooling, self.text.encoder)
        self.dropout = Dropout(config.dropout)
        self.output = nn.Linear(self.text.output_dim, config.labels)

    def forward(
        self,
        tokens: Int[Tensor, "B N"],
        lengths: Int[Tensor, " B"],
        spelling: Spelling | None = None,
    ) -> Float[Tensor, "B V"]:
        """Logits of the labels."""
        return self.output(self.features(tokens, lengths, spelling))

    def features(
        self,
        tokens: Int[Tensor, "B N"],
        lengths: Int[Tensor, " B"],
        spelling: Spelling | None = None,
    ) -> Float[Tensor, "B M"]:
        """What the output layer reads."""
        if self.config.pooling.kind in FRAMED:
            framed, lengths = self.config.framed(tokens, lengths)
            if spelling is not None:  # the empty word, which has no characters
                behind = framed.shape[1] - tokens.shape[1] - 1
                spelling = spelling._replace(index=pad(spelling.index, (1, behind)))
            tokens = framed
        features = self.text(tokens, lengths, spelling)
        return self.dropout(self.pooling(features, lengths))

    def blocks(self) -> list[nn.Module]:
        """Those of the encoder."""
        return self.text.encoder.blocks()
