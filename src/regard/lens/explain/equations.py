"""The equations of all choices, in plain Unicode, for one query q and its keys k.

Keyed by the name of a score or normaliser. A choice without an entry is written as a function of
its name, so a new one works before it has words here.
"""

SCORES = {
    "dot": "s = q·k",
    "scaled_dot": "s = q·k / √D",
    "general": "s = q′·k = qᵀW k",
    "additive": "s = vᵀ tanh(q′ + k′)",
    "concat": "s = vᵀ tanh(W [q; k])",
    "gated_additive": "s = vᵀ (tanh(q₁ + k₁) ⊙ σ(q₂ + k₂))",
    "cosine": "s = β cos(q, k)",
    "location": "s = q·k′ = W q",
    "euclidean": "s = −‖q − k‖² / w²",
    "gaussian": "s = exp(−½ ‖q − k‖² / w²)",
    "boxcar": "s = 1 if ‖q − k‖ ≤ w, else 0",
    "epanechnikov": "s = max(0, 1 − ‖q − k‖ / w)",
    "alibi": "s = −slope · |i − j|",
    "relative": "s = table[j − i]",
    "relative_keys": "s = scale · q·a[j − i]",
    "gaussian_around": "s = −(j − p)² / 2σ²",
    "bias": "s = b[i, j]",
    "scaled": "s = c f(q, k)",
    "function": "s = f(q, k)",
    "where": "s = f(q, k) if (i, j) ∈ M, else g(q′, k′)",
}

PROJECTED_QUERIES = {
    "general": "q′ = Wᵀq",
    "additive": "q′ = W_q q",
    "concat": "q′ = W_q q, W = [W_q W_k]",
    "cosine": "q′ = q / ‖q‖",
}

PROJECTED_KEYS = {
    "additive": "k′ = W_k k",
    "concat": "k′ = W_k k, W = [W_q W_k]",
    "cosine": "k′ = k / ‖k‖",
    "location": "k′ = one row of W per position",
}

NORMALISERS = {
    "softmax": "α = exp(s) / Σ exp(s)",
    "sparsemax": "α = max(0, s − τ), τ such that Σ α = 1",
    "entmax15": "α = max(0, s/2 − τ)², τ such that Σ α = 1",
    "entmax": "α = max(0, (a − 1) s − τ)^(1/(a − 1)), τ such that Σ α = 1",
    "relu": "α = max(0, s)",
    "sigmoid": "α = 1 / (1 + exp(−s))",
    "proportional": "α = s / Σ s",
    "mean": "α = s / N",
    "mean_relu": "α = max(0, s) / N",
    "top_k": "α = softmax over the k largest s",
    "hard": "α = 1 for the largest s, else 0",
    "sample": "α = 1 for one key drawn from softmax(s), else 0",
}


def score_equation(name: str) -> str:
    """The equation of a score, or ``s = name(q, k)``."""
    return SCORES.get(name, f"s = {name}(q, k)")


def normaliser_equation(name: str) -> str:
    """The equation of a normaliser, or ``α = name(s)``."""
    return NORMALISERS.get(name, f"α = {name}(s)")
