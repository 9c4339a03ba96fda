"""What every source of pairs for translation offers."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING

from regard.config import Config
from regard.data.vocabulary import Vocabularies

from .example import Example
from .held_out import HeldOut

if TYPE_CHECKING:
    from regard.data.batches import Pools

    from .batch import Batch


class Data(Config):
    """Where pairs come from."""

    @abstractmethod
    def texts(self) -> Iterable[Example]:
        """Pairs to learn vocabularies from; a new pass with every call.

        Raises:
            InputError: bad data, named by file and line.
        """

    @abstractmethod
    def pools(self, vocabularies: Vocabularies, *, longest: int | None = None) -> "Pools[Batch]":
        """The pairs to train on, encoded.

        Args:
            vocabularies: what encodes them.
            longest: tokens of either side at most, its end included; all are taken if not given.
        """

    @abstractmethod
    def held_out(self) -> list[HeldOut]:
        """The pairs to validate on."""

    def located(self) -> "Data":
        """The same data wherever a process is: paths of files are absolute."""
        return self

    def published(self) -> "Data":
        """The same data without the folders of files, which are nobody else's business."""
        return self

    def flags(self) -> list[str]:
        """The data as words of ``regard train``, to be typed again."""
        return []

    @property
    def about(self) -> str:
        """What was read, in a line; empty if there is nothing to say."""
        return ""

    @property
    def name(self) -> str:
        """What a model card calls it."""
        return type(self).__name__

    @property
    def origin(self) -> str:
        """Whose it is, and under which licence."""
        return "not stated"

    @abstractmethod
    def samples(self) -> list[HeldOut]:
        """A few pairs to show translations of."""

    @property
    @abstractmethod
    def about_samples(self) -> str:
        """Whether they may be learned from, in a few words."""
