"""Attention that is not ours: the doors through which it is seen, and its meaning in our words."""
