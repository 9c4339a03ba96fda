"""What happens without a token, and with other weights: runs of the model, exact."""

from collections.abc import Sequence

import torch

from regard.types import Float, Tensor

from ..edits import CutLink, Patched, Uniform, WithWeights
from ..reading import heads_first, vectors_of
from .subject import Subject

SHARES = (0.01, 0.05, 0.1, 0.2, 0.5)
"""Of the tokens, that ERASER takes away."""
PERMUTATIONS = 100


def left_out(subject: Subject, how: str, blank: int | None) -> Float[Tensor, " K"]:
    """Δ of every key: the number as it is less the number without.

    Args:
        subject: what is explained.
        how: ``"drop"`` a token, ``"blank"`` it, or ``"knock out"`` every look at it.
        blank: the number of what stands in for a token.
    """
    count = subject.look.num_keys
    base = subject.now()
    if how == "drop":
        found = [subject.without(place) for place in range(count)]
    elif how == "blank":
        assert blank is not None
        found = [subject.blanked([place], blank) for place in range(count)]
    else:
        found = [subject.knocked_out(place) for place in range(count)]
    return torch.nan_to_num(base - torch.tensor(found, dtype=torch.float64))


def cut_links(subject: Subject) -> Float[Tensor, " K"]:
    """Δ of cutting each link of the row, in all heads, the row made to sum to 1 again."""
    base = subject.now()
    found = [
        subject.now(CutLink(subject.module, subject.query, key, call=subject.call))
        for key in range(subject.look.num_keys)
    ]
    return base - torch.tensor(found, dtype=torch.float64)


def value_zeroing(subject: Subject) -> Float[Tensor, " K"]:
    r"""How far the context of the row moves when the value of a key is zero, heads together.

    .. math:: 1 - \cos(c_i, c_i^{\neg j}), \quad c_i^{\neg j} = c_i - \sum_h \alpha^h_{ij} v_j^h

    Mohebbi et al. 2023 (https://arxiv.org/abs/2301.12971), whose comparison is behind the whole
    block; here it is what the output projection and the residual path are given. Below 10⁻⁵ it is
    0, then the row sums to 1.
    """
    weights, row = subject.weights(), subject.query
    value = _values(subject)
    if value is None:
        return torch.zeros(weights.shape[-1], dtype=torch.float64)
    parts = torch.einsum("hk,hke->khe", weights[:, row].double(), value.double()).flatten(1)
    whole = parts.sum(dim=0)
    cosines = torch.nn.functional.cosine_similarity(whole - parts, whole.unsqueeze(0), dim=-1)
    apart = 1 - cosines
    apart = torch.where(apart < 1e-5, 0.0, apart)
    return apart / apart.sum().clamp(min=1e-12)


def eraser(
    subject: Subject, order: Float[Tensor, " K"], blank: int, *, seed: int = 0
) -> dict[str, float]:
    """Comprehensiveness and sufficiency of an order of keys, each beside that of random orders.

    DeYoung et al. 2020 (https://arxiv.org/abs/1911.03429): p less p without the first k %, and p
    less p with only these, means over 1, 5, 10, 20, 50 %.
    """
    count = len(order)
    full = torch.tensor(subject.now()).exp()
    generator = torch.Generator().manual_seed(seed)

    def both(ranked: Sequence[int]) -> tuple[float, float]:
        without, only = [], []
        for share in SHARES:
            size = max(1, round(share * count))
            first, rest = ranked[:size], ranked[size:]
            without.append(float(full - torch.tensor(subject.blanked(first, blank)).exp()))
            only.append(float(full - torch.tensor(subject.blanked(rest, blank)).exp()))
        return sum(without) / len(SHARES), sum(only) / len(SHARES)

    own = both(order.argsort(descending=True).tolist())
    drawn = [both(torch.randperm(count, generator=generator).tolist()) for _ in range(5)]
    chance = [sum(one[side] for one in drawn) / len(drawn) for side in (0, 1)]
    return {
        "comprehensiveness": own[0],
        "comprehensiveness by chance": chance[0],
        "sufficiency": own[1],
        "sufficiency by chance": chance[1],
    }


def permuted(subject: Subject, *, times: int = PERMUTATIONS, seed: int = 0) -> float:
    """The median \\|Δp\\| when the weights of the row are shuffled among keys that it may see.

    Jain and Wallace 2019 (https://arxiv.org/abs/1902.10186).
    """
    weights, row = heads_first(subject.look.weigh()), subject.query
    seen = heads_first(subject.look.allowed().expand(subject.look.shape))[0, 0, row]
    places = seen.nonzero().flatten()
    base = torch.tensor(subject.now()).exp()
    generator = torch.Generator().manual_seed(seed)
    moved = []
    for _ in range(times):
        changed = weights.clone()
        order = places[torch.randperm(len(places), generator=generator)]
        changed[..., row, places] = weights[..., row, order]
        given = changed.reshape(subject.look.shape)
        after = subject.now(WithWeights(subject.module, given, call=subject.call))
        moved.append(float((torch.tensor(after).exp() - base).abs()))
    return float(torch.tensor(moved).median())


def adversary(
    subject: Subject,
    *,
    steps: int = 500,
    starts: int = 5,
    within: float = 0.01,
    rate: float = 0.01,
    seed: int = 0,
) -> float:
    r"""The largest Jensen-Shannon divergence to weights that predict the same, at most ln 2.

    .. math:: \max_{\alpha'} JS(\alpha, \alpha') \quad \text{with} \quad |\Delta p| \le 0.01

    Jain and Wallace 2019, by Adam over the scores of the row, all heads alike. What is found is a
    lower bound: there may be weights that are farther away.
    """
    look, row = subject.look, subject.query
    weights = heads_first(look.weigh())
    seen = heads_first(look.allowed().expand(look.shape))[:, :, row]
    own = weights[:, :, row]
    value, context = look.value, look.context
    if value is None or context is None:
        return 0.0
    values = heads_first(value).detach()
    base = torch.tensor(subject.now()).exp()
    generator = torch.Generator().manual_seed(seed)
    best = 0.0
    for _ in range(starts):
        drawn = torch.randn(own.shape, generator=generator)
        scores = (own.clamp(min=1e-6).log() + drawn).requires_grad_()
        adam = torch.optim.Adam([scores], lr=rate)
        for _ in range(steps):
            other = scores.masked_fill(~seen, -torch.inf).softmax(dim=-1)
            apart = _divergence(own, other)
            changed = context.detach().clone()
            row_of = (other.unsqueeze(-2) @ values).squeeze(-2)
            changed[..., row, :] = row_of.reshape(changed[..., row, :].shape)
            with torch.enable_grad(), _patched(subject, changed):
                p = subject.score(subject.scene.run()).exp()
            moved = (p - base).abs()
            if float(moved.detach()) <= within:
                best = max(best, float(apart.detach()))
            loss = -apart + 50 * (moved - within).clamp(min=0)
            adam.zero_grad()
            loss.backward()
            adam.step()
    return best


def uniform(subject: Subject) -> float:
    """Δ of the number if the module looks at all keys alike (Wiegreffe and Pinter 2019)."""
    return subject.now() - subject.now(Uniform(subject.module, call=subject.call))


def _patched(subject: Subject, context: Tensor):  # type: ignore[no-untyped-def]
    from ..edits import edit

    return edit(subject.model, Patched(subject.module, context, call=subject.call))


def _divergence(one: Tensor, other: Tensor) -> Tensor:
    middle = torch.special.entr((one + other) / 2).sum(dim=-1)
    sides = torch.special.entr(one).sum(dim=-1) + torch.special.entr(other).sum(dim=-1)
    return (middle - sides / 2).mean()


def _values(subject: Subject) -> Float[Tensor, "H K E"] | None:
    """Values with a head for each of the queries'."""
    return vectors_of(subject.look)["value"][0] if subject.look.value is not None else None
