"""Who trains what: the systems, where they are installed, and the goals."""

from dataclasses import dataclass
from typing import Any

from ..goals import at_least
from ..processes import OURS, Contender
from ..race import Duel, Race

BUDGET = "rows × longer side, padding counted; sorted by length"


def contender(name: str, driver: str, note: str, environment: str | None = None) -> Contender:
    """A system with a program of :mod:`.drivers`."""
    return Contender(name, f"benchmarks.training.drivers.{driver}", note, environment)


REGARD = contender(OURS, "ours", f"its models, batches and update; {BUDGET}")
JOEYNMT = contender(
    "JoeyNMT",
    "joeynmt",
    "its own loop and loader; rows × longer side, padding counted, not sorted by length",
    "joeynmt",
)
EOLE = contender(
    "eole",
    "eole",
    f"its own loop and loader; {BUDGET}; sentences twice in a batch are left out",
    "eole",
)
MARIAN = contender("HF Marian", "marian", f"in the plain loop, post-norm; {BUDGET}", "marian")
TRANSFORMER = contender("nn.Transformer", "plain", f"in the plain loop, post-norm; {BUDGET}")
TUTORIAL = contender("tutorial GRU", "plain", f"in the plain loop; {BUDGET}")


@dataclass(frozen=True)
class Architecture:
    """One model, trained by everybody who has it.

    Args:
        name: what ``--only`` takes.
        title: its sizes.
        contenders: who takes part: we, JoeyNMT, the others.
    """

    name: str
    title: str
    contenders: tuple[Contender, ...]

    @property
    def label(self) -> str:
        """In one line."""
        return f"{self.name}, training"

    @property
    def race(self) -> Race["Architecture"]:
        """Against JoeyNMT, and against the best of the others."""
        names = tuple(contender.name for contender in self.contenders)
        joey, *others = names[1:]
        goals = (
            Duel(OURS, (joey,), goal=at_least(2.5)),
            Duel(OURS, tuple(others), goal=at_least(1.2)),
        )
        return Race(self, names, goals)

    def facts(self) -> dict[str, Any]:
        """Its name and sizes."""
        return {"name": self.name, "title": self.title}


ARCHITECTURES = {
    architecture.name: architecture
    for architecture in (
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
    )
}
