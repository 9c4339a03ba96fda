"""Whether weights that were computed again are those that ran: the context is the witness."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import torch

from regard.functional.tensors import spread_over
from regard.notebook import table
from regard.types import Int, Tensor

if TYPE_CHECKING:
    from .look import Look

Verdict = Literal["verified", "unverified", "not checked"]

ROWS = 8
"""Rows of a look that are compared with what came out."""

TOLERANCE = {
    torch.float64: 1e-5,
    torch.float32: 1e-5,
    torch.bfloat16: 1e-2,
    torch.float16: 1e-2,
}
"""Largest relative error of a context that was computed again: models of double precision, too,
take their softmax in single precision."""


@dataclass(frozen=True)
class Receipt:
    """What became of comparing Σ α v with the context that really came out.

    .. math:: \\varepsilon = \\max_i |\\sum_j \\alpha_{ij} v_j - c_i| / \\max_i |c_i|

    Args:
        verdict: ``"verified"``, ``"unverified"``, or ``"not checked"``.
        error: ε, where it could be measured.
        tolerance: what ε was allowed to be.
        rows: how many rows were compared.
        why: one sentence.
    """

    verdict: Verdict
    error: float | None = None
    tolerance: float | None = None
    rows: int = 0
    why: str = ""

    def __str__(self) -> str:
        if self.verdict == "verified":
            return f"verified to {self.error:.0e} on {self.rows} rows"
        return f"{self.verdict}: {self.why}"

    def _repr_html_(self) -> str:
        told = [(name, part) for name, part in vars(self).items() if part not in (None, "")]
        return table(("receipt", ""), told)


@torch.no_grad()
def receipt_of(look: "Look") -> Receipt:
    """The receipt of a look, from a few rows drawn by chance, the same ones for the same sizes."""
    if look.kind == "gate":
        return Receipt("not checked", why="a gate multiplies features, it pools no values")
    if look.training and look.dropout:
        return Receipt(
            "not checked",
            why=f"dropout {look.dropout:g} was on, so the context is not that of these weights",
        )
    if look.value is None or look.context is None:
        return Receipt("not checked", why="the module told its weights alone, without values")
    rows = _drawn_rows(look.num_queries)
    if not len(rows) or not look.context.numel():
        return Receipt("verified", 0.0, TOLERANCE[look.context.dtype], 0)
    return _compared(look, rows, look.context.detach())


def _drawn_rows(count: int) -> Int[Tensor, " r"]:
    chosen = torch.Generator().manual_seed(count)
    return torch.randperm(count, generator=chosen)[:ROWS].sort().values


def _pooling(look: "Look", rows: Tensor) -> Tensor:
    """What the values of these rows were multiplied with."""
    pooled = getattr(look.told, "pooled", None)
    if pooled is None:
        return look.weigh(rows, force=True)
    return pooled.index_select(-2, rows.to(pooled.device))


def _compared(look: "Look", rows: Tensor, context: Tensor) -> Receipt:
    weights = _pooling(look, rows)
    value = look.value
    assert value is not None
    wide = torch.promote_types(torch.promote_types(weights.dtype, value.dtype), torch.float32)
    again = weights.to(wide) @ spread_over(weights, value).to(wide)  # (*B, r, E)
    came = context.index_select(-2, rows.to(context.device)).to(wide)
    if again.shape != came.shape:
        sizes = f"{tuple(again.shape)} against {tuple(came.shape)}"
        return Receipt("unverified", rows=len(rows), why=f"the contexts differ in shape, {sizes}")
    scale = came.abs().amax().item()
    error = (again - came).abs().amax().item() / (scale or 1.0)
    allowed = TOLERANCE[context.dtype]
    if error <= allowed:
        return Receipt("verified", error, allowed, len(rows))
    why = f"Σ α v is not the context that came out, they differ by {error:.1e} of it"
    return Receipt("unverified", error, allowed, len(rows), why)
