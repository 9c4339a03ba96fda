"""What every source of pairs for translation offers."""

from abc import abstractmethod
from collections.abc import Iterable

from regard.config import Config

from ..batches import Example, Pools
from ..vocabulary import Vocabularies
from .held_out import HeldOut


class Data(Config):
    """Where pairs come from."""

    @abstractmethod
    def texts(self) -> Iterable[Example]:
        """Pairs to learn vocabularies from; a new pass with every call.

        Raises:
            InputError: bad data, named by file and line.
        """

    @abstractmethod
    def pools(self, vocabularies: Vocabularies) -> Pools:
        """The pairs to train on, encoded."""

    @abstractmethod
    def held_out(self) -> list[HeldOut]:
        """The pairs to validate on."""

    @abstractmethod
    def samples(self) -> list[HeldOut]:
        """A few pairs to show translations of."""
