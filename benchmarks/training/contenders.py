"""Who trains what: the systems, where they are installed, and the goals."""

from dataclasses import dataclass

from regard.registry import Registry

from ..goals import at_least
from ..plans import Duel

OURS = "regard"


@dataclass(frozen=True)
class Contender:
    """A system in a process of its own.

    Args:
        name: what it is called in tables.
        driver: the program of :mod:`.outside.drivers` that trains it.
        note: what exactly runs, and what it calls a batch.
        environment: the folder of its virtual environment; None for the one we run in.
    """

    name: str
    driver: str
    note: str
    environment: str | None = None


@dataclass(frozen=True)
class Architecture:
    """One model, trained by everybody who has it.

    Args:
        name: what ``--only`` takes.
        title: its sizes.
        contenders: who takes part, we first.
    """

    name: str
    title: str
    contenders: tuple[Contender, ...]

    @property
    def duels(self) -> tuple[Duel, ...]:
        """Against JoeyNMT, and against the best of the others."""
        joey, *others = (contender.name for contender in self.contenders[1:])
        return (
            Duel(OURS, (joey,), goal=at_least(2.5)),
            Duel(OURS, tuple(others), goal=at_least(1.2)),
        )


BUDGET = "rows × longer side, padding counted; sorted by length"

REGARD = Contender(OURS, "ours", f"its models, batches and update; {BUDGET}")
JOEYNMT = Contender(
    "JoeyNMT",
    "joeynmt",
    "its own loop and loader; rows × longer side, padding counted, not sorted by length",
    "joeynmt",
)
EOLE = Contender(
    "eole",
    "eole",
    f"its own loop and loader; {BUDGET}; sentences twice in a batch are left out",
    "eole",
)
MARIAN = Contender("HF Marian", "marian", f"in the plain loop, post-norm; {BUDGET}", "marian")
TRANSFORMER = Contender("nn.Transformer", "plain", f"in the plain loop, post-norm; {BUDGET}")
TUTORIAL = Contender("tutorial GRU", "plain", f"in the plain loop; {BUDGET}")

ARCHITECTURES: Registry[Architecture] = Registry("architecture")
for _architecture in (
    Architecture(
        "gru",
        "GRU 256 (1 layer both ways, 1 layer) with Bahdanau's attention",
        (REGARD, JOEYNMT, EOLE, TUTORIAL),
    ),
    Architecture(
        "transformer",
        "Transformer 256 × 3+3, 4 heads, feed-forward 1024, one embedding for all",
        (REGARD, JOEYNMT, EOLE, MARIAN, TRANSFORMER),
    ),
):
    ARCHITECTURES.add(_architecture.name, _architecture)
