"""Queries and keys normalised before they meet."""

from torch import nn

from regard.types import Float, Tensor

from .projections import JointProjection, SeparateProjection


class NormedProjection(nn.Module):
    r"""Maps into the heads whose queries and keys are normalised, so that scores stay bounded.

    .. math:: q = \text{norm}_q(W_Q x), \quad k = \text{norm}_k(W_K z), \quad v = W_V z

    Henry et al. 2020 (https://arxiv.org/abs/2010.04245); Dehghani et al. 2023, section 2
    (https://arxiv.org/abs/2302.05442). Positions turn queries and keys after it.

    Args:
        projection: W_Q, W_K and W_V.
        query_norm: what is applied to queries, (*B, N, H, D), or (*B, N, H D) without ``head_dim``.
        key_norm: what is applied to keys, likewise.
        head_dim: D, where every head is normalised for itself; ``None`` is all of them together.
    """

    def __init__(
        self,
        projection: JointProjection | SeparateProjection,
        query_norm: nn.Module,
        key_norm: nn.Module,
        *,
        head_dim: int | None = None,
    ) -> None:
        super().__init__()
        self.projection = projection
        self.query_norm, self.key_norm, self.head_dim = query_norm, key_norm, head_dim

    def query(self, x: Float[Tensor, "*B Q M"]) -> Float[Tensor, "*B Q HD"]:
        """Queries, normalised."""
        return self._normed(self.query_norm, self.projection.query(x))

    def key(self, keys: Float[Tensor, "*B K Dk"]) -> Float[Tensor, "*B K GD"]:
        """Keys, normalised."""
        return self._normed(self.key_norm, self.projection.key(keys))

    def key_value(
        self, keys: Float[Tensor, "*B K Dk"], values: Float[Tensor, "*B K E"]
    ) -> tuple[Tensor, Tensor]:
        """Keys, normalised, and values as they are."""
        key, value = self.projection.key_value(keys, values)
        return self._normed(self.key_norm, key), value

    def _normed(self, norm: nn.Module, x: Float[Tensor, "*B N HD"]) -> Float[Tensor, "*B N HD"]:
        if self.head_dim is None:
            return norm(x)
        return norm(x.unflatten(-1, (-1, self.head_dim))).flatten(-2)
