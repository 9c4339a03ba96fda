"""Sizes of heads that must fit each other."""

from regard.errors import RangeError


def width_of_heads(model_dim: int, num_heads: int) -> int:
    """The width of a head where all together are as wide as the model."""
    if num_heads >= 1 and model_dim % num_heads:
        raise RangeError(
            f"MultiHeadAttention needs num_heads that divide model_dim {model_dim}, got "
            f"{num_heads}; or say head_dim"
        )
    return model_dim // max(1, num_heads)


def require_groups(num_heads: int, num_key_heads: int) -> None:
    """Raise unless every head of keys is shared by as many query heads."""
    if num_heads % num_key_heads:
        raise RangeError(
            f"MultiHeadAttention needs num_key_heads that divide num_heads {num_heads}, got "
            f"{num_key_heads}"
        )


def require_dropout(owner: str, dropout: float) -> None:
    """Raise unless ``dropout`` is a probability below 1."""
    if not 0 <= dropout < 1:
        raise RangeError(f"{owner} needs a dropout of at least 0 and below 1, got {dropout}")
