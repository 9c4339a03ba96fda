"""Where it is computed, how much at once, and how answers are searched for: words of commands."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Group, Parameter

from ..options import fitted
from ..tasks.search import SearchConfig
from .flags import Options

if TYPE_CHECKING:
    from ..decoding import BatchLimit

SEARCH = Group("Search", sort_key=1)
PACE = Group("Pace", sort_key=2)
SearchOptions = Annotated[SearchConfig | None, Parameter(name="*", group=SEARCH)]


@Parameter(name="*", group=PACE)
@dataclass(frozen=True, kw_only=True)
class ComputeOptions(Options):
    """Where it is computed."""

    threads: int | None = None
    """Of torch; one per core if not given."""
    device: str | None = None
    """Where to compute, e.g. cuda; the GPU if there is one."""

    def start(self) -> str:
        """Let torch use so many threads; the name of the device.

        Raises:
            RangeError: no thread at all.
            DeviceError: this machine has no such device.
        """
        from ..devices import resolve, use_threads

        use_threads(self.threads)
        return str(resolve(self.device))


@Parameter(name="*", group=PACE)
@dataclass(frozen=True, kw_only=True)
class PaceOptions(ComputeOptions):
    """Where it is computed, and how much at once."""

    batch: int = 64
    """Sentences that are translated together."""
    ahead: int = 1024
    """Sentences that are read at most before the first of them is answered."""

    def limit(self) -> "BatchLimit":
        """How much is translated at once.

        Raises:
            ChoiceError: values that do not fit.
        """
        from ..decoding import BatchLimit

        return fitted(BatchLimit, sentences=self.batch, ahead=self.ahead)
