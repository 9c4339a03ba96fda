"""Normalisers: how scores become weights."""

from .mechanism import Mechanism

ENTMAX = ("Peters 2019", "https://arxiv.org/abs/1905.05702")
XU = ("Xu 2015", "https://arxiv.org/abs/1502.03044")

NORMALISERS = (
    Mechanism(
        "softmax",
        "αₖ = exp eₖ / Σⱼ exp eⱼ",
        "O(Q K)",
        "Bridle 1990",
        "https://doi.org/10.1007/978-3-642-76153-9_28",
        "regard.normalisers.softmax",
    ),
    Mechanism(
        "sparsemax",
        "α = argmin_{p ∈ Δ} ‖p − e‖²",
        "O(Q K), no sort",
        "Martins 2016",
        "https://arxiv.org/abs/1602.02068",
        "regard.normalisers.sparsemax",
    ),
    Mechanism(
        "1.5-entmax",
        "αₖ = max(0, ½ eₖ − τ)²",
        "O(Q K), no sort",
        *ENTMAX,
        "regard.normalisers.entmax15",
    ),
    Mechanism(
        "α-entmax",
        "αₖ = max(0, (α−1) eₖ − τ)^{1/(α−1)}",
        "O(Q K) times some steps",
        *ENTMAX,
        "regard.normalisers.Entmax",
    ),
    Mechanism(
        "ReLU",
        "αₖ = max(0, eₖ)",
        "O(Q K)",
        "Zhang 2021",
        "https://arxiv.org/abs/2104.07012",
        "regard.normalisers.relu",
    ),
    Mechanism(
        "mean ReLU",
        "αₖ = max(0, eₖ) / N",
        "O(Q K)",
        "Wortsman 2023",
        "https://arxiv.org/abs/2309.08586",
        "regard.normalisers.mean_relu",
    ),
    Mechanism(
        "mean",
        "αₖ = eₖ / N",
        "O(Q K)",
        "Wang 2018",
        "https://arxiv.org/abs/1711.07971",
        "regard.normalisers.mean",
    ),
    Mechanism(
        "sigmoid",
        "αₖ = 1 / (1 + exp −eₖ)",
        "O(Q K)",
        "Ramapuram 2024",
        "https://arxiv.org/abs/2409.04431",
        "regard.normalisers.sigmoid",
    ),
    Mechanism(
        "proportional",
        "αₖ = eₖ / Σⱼ eⱼ",
        "O(Q K)",
        "Nadaraya 1964, Watson 1964",
        "https://doi.org/10.1137/1109020",
        "regard.normalisers.proportional",
    ),
    Mechanism(
        "top-k",
        "softmax over the k best",
        "O(Q K)",
        "Gupta 2021",
        "https://arxiv.org/abs/2106.06899",
        "regard.normalisers.TopK",
    ),
    Mechanism("hard (one-hot)", "αₖ = 1[k = argmax e]", "O(Q K)", *XU, "regard.normalisers.hard"),
    Mechanism(
        "sampled", "k ~ softmax(e),  α = one-hot(k)", "O(Q K)", *XU, "regard.normalisers.Sample"
    ),
)
