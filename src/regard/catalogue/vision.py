"""Attention over images."""

from .mechanism import Mechanism

CBAM = ("Woo 2018", "https://arxiv.org/abs/1807.06521")

VISION = (
    Mechanism(
        "squeeze-and-excitation",
        "s = σ(W₂ relu(W₁ mean(x))),  x ⊙ s",
        "O(C² / r + C H W)",
        "Hu 2017",
        "https://arxiv.org/abs/1709.01507",
        "regard.nn.vision.SqueezeExcitation",
    ),
    Mechanism(
        "channel attention",
        "σ(MLP(mean x) + MLP(max x))",
        "O(C² / r + C H W)",
        *CBAM,
        "regard.nn.vision.ChannelAttention",
    ),
    Mechanism(
        "spatial attention",
        "σ(conv([mean_c x; max_c x]))",
        "O(C H W)",
        *CBAM,
        "regard.nn.vision.SpatialAttention",
    ),
    Mechanism("CBAM", "spatial(channel(x))", "O(C² / r + C H W)", *CBAM, "regard.nn.vision.CBAM"),
    Mechanism(
        "non-local block",
        "z = W_z y + x,  yᵢ = Σⱼ f(xᵢ, xⱼ) g(xⱼ) / C(x)",
        "O((H W)² C)",
        "Wang 2018",
        "https://arxiv.org/abs/1711.07971",
        "regard.nn.vision.NonLocal",
    ),
    Mechanism(
        "residual attention",
        "(1 + M(x)) ⊙ T(x)",
        "O(convolutions)",
        "Wang 2017",
        "https://arxiv.org/abs/1704.06904",
        "regard.nn.vision.ResidualAttention",
    ),
    Mechanism(
        "top-down attention",
        "aᵢ = wᵀ f([vᵢ; q])",
        "O(K A) a question",
        "Anderson 2018",
        "https://arxiv.org/abs/1707.07998",
        "regard.nn.vision.TopDownAttention",
    ),
    Mechanism(
        "patch embedding",
        "xₚ E,  P × P × C pixels to one token",
        "O(H W C M)",
        "Dosovitskiy 2021",
        "https://arxiv.org/abs/2010.11929",
        "regard.nn.vision.PatchEmbedding",
    ),
)
