"""Positions: where a token stands."""

from .mechanism import Mechanism

VASWANI = ("Vaswani 2017", "https://arxiv.org/abs/1706.03762")

POSITIONS = (
    Mechanism(
        "sinusoidal positions",
        "PE(p, 2i) = sin(p / 10000^{2i/d}),  PE(p, 2i+1) = cos(·)",
        "O(N M)",
        *VASWANI,
        "regard.positions.Sinusoidal",
    ),
    Mechanism(
        "learned positions",
        "PE(p) = T[p]",
        "O(N M)",
        "Gehring 2017",
        "https://arxiv.org/abs/1705.03122",
        "regard.positions.Learned",
    ),
    Mechanism("linear positions", "PE(p) = a p + b", "O(N M)", *VASWANI, "regard.positions.Linear"),
    Mechanism(
        "rotary positions",
        "⟨R_p q, R_s k⟩ depends on p − s alone",
        "O(N D)",
        "Su 2021",
        "https://arxiv.org/abs/2104.09864",
        "regard.positions.Rotary",
    ),
    Mechanism(
        "ALiBi",
        "+ −m_h |q − k|",
        "O(1) per pair, fused if causal",
        "Press 2022",
        "https://arxiv.org/abs/2108.12409",
        "regard.positions.Alibi",
    ),
    Mechanism(
        "relative positions (Shaw)",
        "+ qᵀ a_{clip(k − q)} / √D",
        "O(Q R D) + O(1) per pair",
        "Shaw 2018",
        "https://arxiv.org/abs/1803.02155",
        "regard.positions.ShawKeys",
    ),
    Mechanism(
        "relative positions (T5)",
        "+ T_h[bucket(k − q)]",
        "O(1) per pair",
        "Raffel 2020",
        "https://arxiv.org/abs/1910.10683",
        "regard.positions.T5Bias",
    ),
    Mechanism(
        "relative bias, clipped",
        "+ T_h[clip(k − q)]",
        "O(1) per pair",
        "Shaw 2018",
        "https://arxiv.org/abs/1803.02155",
        "regard.positions.RelativeBias",
    ),
    Mechanism(
        "two-dimensional positions",
        "PE(y, x) = [PE(y); PE(x)]",
        "O(N M)",
        "Dosovitskiy 2021",
        "https://arxiv.org/abs/2010.11929",
        "regard.positions.Grid2d",
    ),
)
