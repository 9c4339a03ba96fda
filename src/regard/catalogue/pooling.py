"""Attention as pooling."""

from .mechanism import Mechanism

POOLING = (
    Mechanism(
        "attention pooling",
        "c = Σᵢ α(q, kᵢ) vᵢ,  Σᵢ αᵢ = 1",
        "O(Q K D)",
        "Vaswani 2017",
        "https://arxiv.org/abs/1706.03762",
        "regard.nn.AttentionPooling",
    ),
    Mechanism(
        "Nadaraya-Watson regression",
        "g(x) = Σᵢ yᵢ f(x, xᵢ) / Σⱼ f(x, xⱼ)",
        "O(Q K D)",
        "Nadaraya 1964, Watson 1964",
        "https://doi.org/10.1137/1109020",
        "regard.nn.NadarayaWatson",
    ),
    Mechanism(
        "attention without parameters",
        "softmax(X Xᵀ) X",
        "O(N² D)",
        "Vaswani 2017",
        "https://arxiv.org/abs/1706.03762",
        'regard.attend(x, x, x, score="dot")',
    ),
)
