"""Attention as functions of tensors: no parameters, no state."""
