"""Every number of one cell of a map: one query, one key."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import torch

from regard.functional.tensors import spread_over
from regard.notebook import table
from regard.types import Float, Tensor

if TYPE_CHECKING:
    from .look import Look


@dataclass(frozen=True, eq=False)
class Cell:
    r"""What one query makes of one key.

    Args:
        name: of the module.
        at: batch, head, query, key.
        allowed: whether the pair may attend.
        score: s, scaled and biased; ``None`` where the module told its weights alone.
        weight: α.
        rank: how many keys of this query have a larger weight, plus one.
        slope: ∂α/∂s, how the weight moves with its own score.
        query: the vector that looks, as it is compared.
        key: the vector that is looked at.
        value: v, what is pooled of it.
        share: ⟨α v, c⟩ / ‖c‖², the part of the context that this key gives; the parts of all keys
            sum to 1.
        context: c of this query.
    """

    name: str
    at: tuple[int, int, int, int]
    allowed: bool
    score: float | None
    weight: float
    rank: int
    slope: float | None
    query: Float[Tensor, " D"] | None
    key: Float[Tensor, " D"] | None
    value: Float[Tensor, " E"] | None
    share: float | None
    context: Float[Tensor, " E"] | None

    def to_json(self) -> dict[str, Any]:
        """All of it, ready for ``json.dump``."""
        return {
            name: part.tolist() if isinstance(part, Tensor) else part
            for name, part in asdict(self).items()
        }

    def _rows(self) -> list[tuple[str, str]]:
        told = [(name, part) for name, part in vars(self).items() if part is not None]
        return [(name, _shown(part)) for name, part in told]

    def __str__(self) -> str:
        return "\n".join(f"{name:8} {shown}" for name, shown in self._rows())

    def _repr_html_(self) -> str:
        return table(("", ""), self._rows())


def _shown(part: object) -> str:
    if isinstance(part, Tensor):
        numbers = " ".join(f"{x:.4g}" for x in part.flatten().tolist()[:16])
        return f"{numbers} …" if part.numel() > 16 else numbers
    return f"{part:.6g}" if isinstance(part, float) else str(part)


@torch.no_grad()
def cell_of(look: "Look", query: int, key: int, *, head: int, batch: int) -> Cell:
    """The numbers of one cell; the row is computed, and nothing else."""
    at = _leading(look, batch, head)
    row = look.weigh([query], force=True)[(*at, 0)]  # (K,)
    weight = row[key].item()
    scored = look.scored
    found = look.value
    value = (
        None if found is None else _vector(spread_over(look.told.weigh([query]), found), at, key)
    )
    context = None if look.context is None else _vector(look.context.detach(), at, query)
    share = None
    if value is not None and context is not None and value.shape == context.shape:
        share = (weight * (value @ context) / context.square().sum()).item()
    return Cell(
        name=look.name,
        at=(batch, head, query, key),
        allowed=bool(look.allowed([query])[(*at, 0, key)]),
        score=look.scores([query])[(*at, 0, key)].item() if scored else None,
        weight=weight,
        rank=int((row > weight).sum()) + 1,
        slope=_slope(look, at, query, key) if scored else None,
        query=_vector(look.query, at, query) if scored else None,
        key=_vector(spread_over(look.query, look.key), at, key) if scored else None,
        value=value,
        share=share,
        context=context,
    )


def _leading(look: "Look", batch: int, head: int) -> tuple[int, ...]:
    """The leading axes of the map, of this element of the batch and this head."""
    axes = len(look.shape) - 2
    return {0: (), 1: (batch,)}.get(axes, (*(0,) * (axes - 2), batch, head))


def _vector(x: Tensor, at: tuple[int, ...], position: int) -> Tensor:
    """One vector of a tensor whose leading axes may be broadcast."""
    own = x.shape[:-2]
    places = at[len(at) - len(own) :] if own else ()
    return x[(*(i if n > 1 else 0 for i, n in zip(places, own, strict=True)), position)]


def _slope(look: "Look", at: tuple[int, ...], query: int, key: int) -> float:
    """The derivative of a weight by its own score, as autograd has it."""
    scores, allowed = look.scores([query])[at], look.allowed([query])[at]  # (1, K)
    normaliser = look.normalise
    if len(at) > 1:
        normaliser = normaliser.of_heads(torch.tensor([at[-1]], device=scores.device))
    with torch.enable_grad():
        given = scores.detach().clone().requires_grad_()
        weights = normaliser(given.unsqueeze(0), allowed.unsqueeze(0))[0]
        if not weights.requires_grad:
            return 0.0
        (slope,) = torch.autograd.grad(weights[0, key], given)
    return slope[0, key].item()
