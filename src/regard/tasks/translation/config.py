"""What every source of pairs for translation offers, and the terms of the loss."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pydantic import Field

from regard.config import Config
from regard.data.sources import Source
from regard.data.vocabulary import Vocabularies

from .example import Example, HeldOut

if TYPE_CHECKING:
    from regard.data.batches import Pools

    from .corpus import Batch


class Data(Source):
    """Where pairs come from."""

    @abstractmethod
    def texts(self) -> Iterable[Example]:
        """Pairs to learn vocabularies from; a new pass with every call.

        Raises:
            InputError: bad data, named by file and line.
        """

    @abstractmethod
    def pools(
        self, vocabularies: Vocabularies, *, longest: int | None = None, extension: int = 0
    ) -> "Pools[Batch]":
        """The pairs to train on, encoded.

        Args:
            vocabularies: what encodes them.
            longest: tokens of either side at most, its end included; all are taken if not given.
            extension: words of a source that the vocabulary lacks and that have numbers all the
                same.
        """

    @abstractmethod
    def held_out(self) -> list[HeldOut]:
        """The pairs to validate on."""

    @abstractmethod
    def samples(self) -> list[HeldOut]:
        """A few pairs to show translations of."""

    @property
    @abstractmethod
    def about_samples(self) -> str:
        """Whether they may be learned from, in a few words."""


class LossConfig(Config):
    """The terms of the loss, and how much each of them counts."""

    label_smoothing: float = Field(default=0.0, ge=0, lt=1)
    """Share of the target's probability that goes to all tokens alike (Szegedy et al. 2016)."""
    guided: float = Field(default=0.0, ge=0)
    """Weight of the loss that makes attention look where gold alignments say; 0 leaves it out."""
    coverage: float = Field(default=0.0, ge=0)
    """Weight of the loss for looking again at what was looked at (See et al. 2017); 0 leaves it
    out."""
    reinforce: float = Field(default=1.0, ge=0)
    """λ_r, weight of the reward of positions drawn; only for hard attention by REINFORCE."""
    entropy: float = Field(default=0.01, ge=0)
    """λ_e, weight of the entropy of what positions are drawn from, in hard attention."""
