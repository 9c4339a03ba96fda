"""Dropout for sequences: a feature is dropped from all of one, or from none of it."""

from regard.types import Float, Tensor

from ..dropout import Dropout, noise


class WholeDropout(Dropout):
    r"""Variational dropout: one mask for all steps of a sequence.

    .. math:: y_{ti} = x_{ti}\, m_i / (1 - p), \quad m_i \sim \text{Bernoulli}(1 - p)

    Gal and Ghahramani 2016 (https://arxiv.org/abs/1512.05287).
    """

    def forward(self, x: Float[Tensor, "B N M"]) -> Float[Tensor, "B N M"]:
        """``x`` with some features dropped; ``x`` itself outside of training."""
        if not self.training or not self.probability or not x.shape[1]:
            return x
        return x * noise(x[:, :1], self.probability).to(x.device)
