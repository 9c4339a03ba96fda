"""Where pictures with regions come from: what files and scenes have in common."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import Field

from regard.data.sources import Source

if TYPE_CHECKING:
    from regard.data.batches import Pools
    from regard.data.regions import RegionCodec

    from .batch import Batch
    from .held_out import HeldOut

Frame = tuple[Annotated[int, Field(ge=16)], Annotated[int, Field(ge=16)]]
"""Rows and columns."""
D = TypeVar("D", bound="RegionData")


class RegionData(Source):
    """Where pictures come from."""

    @abstractmethod
    def codec(self, frame: Frame | None, *, masked: bool) -> "RegionCodec":
        """Labels and frame.

        Raises:
            InputError: bad data, named by file and line.
        """

    @abstractmethod
    def pools(self, codec: "RegionCodec", *, masked: bool) -> "Pools[Batch]":
        """The pictures to train on."""

    @abstractmethod
    def held_out(self, codec: "RegionCodec", *, masked: bool) -> "HeldOut":
        """The pictures to validate on."""

    def placed(self: D, *, masked: bool) -> D:
        """The same with what is found where it usually lies."""
        return self
