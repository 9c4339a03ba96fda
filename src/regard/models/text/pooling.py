"""Pooling: the features of a sequence as one vector."""

from abc import abstractmethod

from torch import nn

from regard.cells.lengths import checked_lengths, length_mask
from regard.nn import AttentionPooling
from regard.registry import Registry
from regard.types import Float, Int, Tensor

from .config import PoolingConfig
from .encoders import Encoder


class Pooling(nn.Module):
    """One vector of features of which there are as many as ``lengths`` says.

    Args:
        config: how.
        encoder: what made the features.
    """

    def __init__(self, config: PoolingConfig, encoder: Encoder) -> None:
        super().__init__()

    @abstractmethod
    def forward(
        self, features: Float[Tensor, "B N M"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "B M"]:
        """One vector for each sequence; zero for an empty one."""


class Last(Pooling):
    """The state behind the last token: of both directions, if there are two."""

    def __init__(self, config: PoolingConfig, encoder: Encoder) -> None:
        super().__init__(config, encoder)
        self._last = encoder.last

    def forward(
        self, features: Float[Tensor, "B N M"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "B M"]:
        """:meth:`Encoder.last`."""
        return self._last(features, checked_lengths(lengths, features))


class Mean(Pooling):
    r"""The mean, :math:`\frac{1}{N} \sum_i h_i`."""

    def forward(
        self, features: Float[Tensor, "B N M"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "B M"]:
        """The sum over the tokens by their number."""
        lengths = checked_lengths(lengths, features)
        real = length_mask(lengths, features.shape[1]).unsqueeze(-1)  # (B, N, 1)
        return features.where(real, 0).sum(dim=1) / lengths.clamp(min=1).unsqueeze(-1)


class Max(Pooling):
    r"""The largest value of each feature, :math:`\max_i h_{id}`: max over time.

    Collobert et al. 2011, section 3.2.2 (https://jmlr.org/papers/v12/collobert11a.html).
    """

    def forward(
        self, features: Float[Tensor, "B N M"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "B M"]:
        """The maximum over the tokens."""
        lengths = checked_lengths(lengths, features)
        real = length_mask(lengths, features.shape[1]).unsqueeze(-1)  # (B, N, 1)
        highest = features.masked_fill(~real, -float("inf")).amax(dim=1)  # (B, M)
        return highest.where((lengths > 0).unsqueeze(-1), 0)


class Attention(Pooling):
    r"""A mean weighed by additive self-attention.

    .. math:: \alpha = \text{normalise}_i \; w^\top \tanh(W h_i + b), \quad c = \sum_i \alpha_i h_i

    Lin et al. 2017, Eq. 5 (https://arxiv.org/abs/1703.03130), with one hop; Yang et al. 2016, Eq. 5
    to 7 (https://aclanthology.org/N16-1174). It is :class:`regard.nn.AttentionPooling`, whose one
    query is b, so ``regard.lens.capture`` sees it as ``pooling.attention``.
    """

    def __init__(self, config: PoolingConfig, encoder: Encoder) -> None:
        super().__init__(config, encoder)
        self.attention = AttentionPooling(
            encoder.output_dim,
            query_dim=config.attention_dim,
            score="additive",
            normalise=config.normalise,
        )

    def forward(
        self, features: Float[Tensor, "B N M"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "B M"]:
        """What attention pools."""
        return self.attention(features, lengths).squeeze(-2)  # (B, 1, M) to (B, M)


class First(Pooling):
    """The feature of the token before the sequence, which looked at all of it.

    Devlin et al. 2019, section 3 (https://arxiv.org/abs/1810.04805): ``[CLS]``.
    """

    def forward(
        self, features: Float[Tensor, "B N M"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "B M"]:
        """The first feature."""
        return features[:, 0]


class Pooler(First):
    r"""The same through one more layer, :math:`\tanh(W h_0 + b)`: BERT's pooler.

    Devlin et al. 2019 learn it with the next-sentence task; in their code it stands before every
    classifier.
    """

    def __init__(self, config: PoolingConfig, encoder: Encoder) -> None:
        super().__init__(config, encoder)
        self.proj = nn.Linear(encoder.output_dim, encoder.output_dim)
        nn.init.xavier_uniform_(self.proj.weight)
        nn.init.zeros_(self.proj.bias)

    def forward(
        self, features: Float[Tensor, "B N M"], lengths: Int[Tensor, " B"]
    ) -> Float[Tensor, "B M"]:
        """The first feature, mapped."""
        return self.proj(super().forward(features, lengths)).tanh()


POOLINGS: Registry[type[Pooling]] = Registry("pooling")
POOLINGS.add("last", Last)
POOLINGS.add("mean", Mean)
POOLINGS.add("max", Max)
POOLINGS.add("attention", Attention)
POOLINGS.add("class_token", First)
POOLINGS.add("pooler", Pooler)


def pooling(config: PoolingConfig, encoder: Encoder) -> Pooling:
    """The pooling of a config, for the features of an encoder."""
    return POOLINGS[config.kind](config, encoder)
