"""Multi-head attention: the module, and what it is made of."""

from .attention import MultiHeadAttention as MultiHeadAttention
