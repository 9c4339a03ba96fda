"""Multi-head attention: the module (``attention.py``), and what it is made of."""

from .attention import MultiHeadAttention as MultiHeadAttention
