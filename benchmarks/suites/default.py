"""``attend(q, k, v)`` as it comes, against the better of the fused kernel and the eager form."""

from ..case import Case, Mask, both_passes
from ..goals import at_most, under
from ..plans import Suite
from ..race import Duel, Race

SHAPES = (
    (32, 8, 32, 64),
    (32, 8, 64, 64),
    (16, 8, 128, 64),
    (8, 8, 256, 64),
    (4, 8, 512, 64),
    (2, 8, 1024, 64),
    (1, 8, 2048, 64),
    (1, 8, 4096, 64),
)
MASKS: tuple[Mask, ...] = ("plain", "causal", "padded")
LAYER_SHAPES = ((8, 8, 256, 64), (1, 8, 2048, 64))
LAYER_PEERS = ("nn.MultiheadAttention", "x-transformers", "keras")
TINY = (1, 1, 4, 8)
EAGER_RESTS_AFTER = 2048


def race(case: Case, quick: bool) -> Race[Case]:
    """Ours against the best of the two; a quick look lets the eager form rest where it is slow."""
    peers = ("sdpa",) if quick and case.positions > EAGER_RESTS_AFTER else ("sdpa", "eager")
    duel = Duel("regard", peers, "slowdown", at_most(1.05))
    return Race(case, ("regard", *peers), (duel,))


def overhead(mask: Mask) -> Race[Case]:
    """Our Python on top of a direct call of the kernel, on tensors that cost nothing."""
    duel = Duel("regard", ("sdpa",), "overhead", under(20.0, "µs"))
    return Race(Case("softmax", TINY, mask=mask), ("regard", "sdpa"), (duel,))


def layer(case: Case) -> Race[Case]:
    """A whole layer, projections included on every side."""
    duels = tuple(Duel("regard", (peer,)) for peer in LAYER_PEERS)
    return Race(case, ("regard", *LAYER_PEERS), duels)


def default(quick: bool) -> Suite:
    """The suite; all its sizes are claims, so the quick one only measures less long."""
    races = [
        race(case, quick)
        for mask in MASKS
        for shape in SHAPES
        for case in both_passes(Case("softmax", shape, mask=mask))
    ]
    races += [overhead(mask) for mask in MASKS[:2]]
    shapes = LAYER_SHAPES[:1] if quick else LAYER_SHAPES
    races += [layer(case) for shape in shapes for case in both_passes(Case("layer", shape))]
    return Suite(
        name="default",
        title="The default: scaled dot product and softmax",
        note="The peers' mask tensors are built beforehand; 'layer' includes all projections.",
        races=tuple(races),
    )
