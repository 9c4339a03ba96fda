"""Scores: how well does a key fit a query?"""

from .mechanism import Mechanism

LUONG = ("Luong 2015", "https://arxiv.org/abs/1508.04025")

SCORES = (
    Mechanism(
        "content (cosine)",
        "e = β cos(q, k)",
        "O(Q K D), fused",
        "Graves 2014",
        "https://arxiv.org/abs/1410.5401",
        "regard.scores.Cosine",
    ),
    Mechanism(
        "additive",
        "e = vᵀ tanh(W_q q + W_k k)",
        "O(Q K A), streamed",
        "Bahdanau 2014",
        "https://arxiv.org/abs/1409.0473",
        "regard.scores.Additive",
    ),
    Mechanism(
        "concat", "e = vᵀ tanh(W [q; k])", "O(Q K A), streamed", *LUONG, "regard.scores.Concat"
    ),
    Mechanism("location", "e = (W q)ₖ", "O(Q K D), fused", *LUONG, "regard.scores.Location"),
    Mechanism("general", "e = qᵀ W k", "O(Q K D), fused", *LUONG, "regard.scores.General"),
    Mechanism("dot", "e = qᵀ k", "O(Q K D), fused", *LUONG, "regard.scores.Dot"),
    Mechanism(
        "scaled dot",
        "e = qᵀ k / √D",
        "O(Q K D), fused",
        "Vaswani 2017",
        "https://arxiv.org/abs/1706.03762",
        "regard.scores.ScaledDot",
    ),
    Mechanism(
        "gated additive",
        "e = vᵀ (tanh(a_q + a_k) ⊙ σ(g_q + g_k))",
        "O(Q K A), streamed",
        "Anderson 2018",
        "https://arxiv.org/abs/1707.07998",
        "regard.scores.GatedAdditive",
    ),
    Mechanism(
        "Euclidean",
        "e = −‖q − k‖² / w²",
        "O(Q K D), fused",
        "Nadaraya 1964, Watson 1964",
        "https://doi.org/10.1137/1109020",
        "regard.scores.Euclidean",
    ),
    Mechanism(
        "Gaussian kernel",
        "e = exp(−½ ‖q − k‖² / w²)",
        "O(Q K D), fused in proportion",
        "Nadaraya 1964, Watson 1964",
        "https://doi.org/10.1137/1109020",
        "regard.scores.Gaussian",
    ),
    Mechanism(
        "boxcar kernel",
        "e = 1[‖q − k‖ ≤ w]",
        "O(Q K D), streamed",
        "Nadaraya 1964, Watson 1964",
        "https://doi.org/10.1137/1109020",
        "regard.scores.Boxcar",
    ),
    Mechanism(
        "Epanechnikov kernel",
        "e = max(0, 1 − ‖q − k‖ / w)",
        "O(Q K D), streamed",
        "Epanechnikov 1969",
        "https://doi.org/10.1137/1114019",
        "regard.scores.Epanechnikov",
    ),
)
