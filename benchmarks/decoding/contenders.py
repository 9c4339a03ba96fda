"""Who translates, in which ways, and the goals."""

from dataclasses import asdict, dataclass
from typing import Any

from ..goals import at_least
from ..processes import OURS, Contender
from ..race import Duel, Race

HUGGING_FACE = "HF generate"
CTRANSLATE2 = "CTranslate2"
CTRANSLATE2_ALONE = "CTranslate2, 1 thread"


def contender(name: str, driver: str, note: str, environment: str | None = None) -> Contender:
    """A system with a program of :mod:`.decoders`."""
    return Contender(name, f"benchmarks.decoding.decoders.{driver}", note, environment)


CONTENDERS = (
    contender(OURS, "ours", "its model and its search"),
    contender(HUGGING_FACE, "hugging_face", "generate of Marian or Pegasus, cached", "marian"),
    contender(CTRANSLATE2, "ctranslate", "float32, converted from it, without torch", "marian"),
    contender(CTRANSLATE2_ALONE, "ctranslate_alone", "the same on one thread", "marian"),
)

DUELS = (
    Duel(OURS, (HUGGING_FACE,), goal=at_least(2.0)),
    Duel(OURS, (CTRANSLATE2, CTRANSLATE2_ALONE)),
)
"""CTranslate2 is there to be compared with; no goal is claimed. Where threads wait for each other
longer than they work, it is faster on one."""


@dataclass(frozen=True)
class Way:
    """One way to translate.

    Args:
        name: what ``--only`` takes.
        size: sentences at once.
        beam: hypotheses of each; 1 is greedy.
        sentences: of one turn.
    """

    name: str
    size: int
    beam: int
    sentences: int

    @property
    def label(self) -> str:
        """In words."""
        return f"batch {self.size}, {'greedy' if self.beam == 1 else f'beam {self.beam}'}"

    @property
    def race(self) -> Race["Way"]:
        """Everybody in this way."""
        return Race(self, tuple(contender.name for contender in CONTENDERS), DUELS)

    def facts(self) -> dict[str, Any]:
        """All of it."""
        return asdict(self) | {"title": self.label}


WAYS = {
    way.name: way
    for way in (
        Way("1-greedy", size=1, beam=1, sentences=32),
        Way("1-beam", size=1, beam=5, sentences=32),
        Way("64-greedy", size=64, beam=1, sentences=256),
        Way("64-beam", size=64, beam=5, sentences=256),
    )
}
