"""Every normaliser beside the loop that defines it."""

from dataclasses import dataclass

from reference import normalisers as ref_normalisers
from regard import normalisers


@dataclass(frozen=True, eq=False)
class NormaliserCase:
    """A normaliser beside the loop that defines it.

    ``sums`` says that its rows sum to one; ``jumps`` that it is not continuous, so that rounding
    may change its result by more than rounding.
    """

    name: str
    value: normalisers.Normaliser | str
    row: ref_normalisers.RowNormaliser
    sums: bool = True
    jumps: bool = False

    def __str__(self) -> str:
        return self.name


NORMALISERS = [
    NormaliserCase("softmax", "softmax", ref_normalisers.softmax),
    NormaliserCase("sparsemax", normalisers.sparsemax, ref_normalisers.sparsemax),
    NormaliserCase("entmax15", "entmax15", ref_normalisers.entmax15),
    NormaliserCase("entmax(1.3)", normalisers.Entmax(1.3), ref_normalisers.entmax(1.3)),
    NormaliserCase("relu", "relu", ref_normalisers.relu, sums=False),
    NormaliserCase("sigmoid", normalisers.sigmoid, ref_normalisers.sigmoid, sums=False),
    NormaliserCase("proportional", "proportional", ref_normalisers.proportional, sums=False),
    NormaliserCase("mean", normalisers.mean, ref_normalisers.mean, sums=False),
    NormaliserCase("mean_relu", "mean_relu", ref_normalisers.mean_relu, sums=False),
    NormaliserCase("top_k(2)", normalisers.TopK(2), ref_normalisers.top_k(2), jumps=True),
    NormaliserCase("hard", "hard", ref_normalisers.hard, jumps=True),
]
NORMALISER = {case.name: case for case in NORMALISERS}
