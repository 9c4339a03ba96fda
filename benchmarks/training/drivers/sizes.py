"""The two models, the same for everybody."""

WIDTH = 256
"""Of embeddings, states, and between layers."""
HEADS = 4
LAYERS = 3
"""Of the Transformer's encoder, and of its decoder."""
INNER = 1024
"""Width inside the feed-forward layers."""
DROPOUT = 0.1
SMOOTHING = 0.1
"""Label smoothing."""
CLIP = 1.0
"""Longest gradient."""
RATE = 3e-4
"""Learning rate of Adam; the speed does not depend on it."""

PAD, UNK, BOS, EOS = range(4)
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")
"""The first entries of the vocabulary file."""
