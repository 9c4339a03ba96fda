"""How translations are searched for, as words of a command line."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from cyclopts import Group, Parameter
from pydantic import ValidationError

from ...config import Config, problems
from ...errors import ChoiceError
from ..flags import Options, Switch

if TYPE_CHECKING:
    from ...decoding import BatchLimit, Limits
    from ...decoding.search import Strategy

SEARCH = Group("Search", sort_key=1)
PACE = Group("Pace", sort_key=2)
Made = TypeVar("Made", bound=Config)

BEAM = (
    "beam",
    "length_penalty",
    "length_normalisation",
    "coverage_penalty",
    "groups",
    "diversity",
)
SAMPLE = ("temperature", "top_k", "top_p", "min_p", "typical_p", "seed")
"""What is said only to one kind of search."""


@Parameter(name="*", group=SEARCH)
@dataclass(frozen=True, kw_only=True)
class SearchOptions(Options):
    """How to search."""

    search: Literal["beam", "greedy", "sample"] = "beam"
    """Keep the best few, take the likeliest token each time, or draw from the distribution."""
    beam: int | None = None
    """Hypotheses that go on in every step; 5 if not given."""
    length_penalty: float | None = None
    """The power alpha, 1 if not given: more likes longer translations."""
    length_normalisation: Literal["gnmt", "length"] | None = None
    """What it is a power of: GNMT's (5 + |Y|) / 6, which is usual, or the length |Y| itself."""
    coverage_penalty: float | None = None
    """GNMT's beta, 0 if not given: more wants every source word to be looked at."""
    groups: int | None = None
    """Parts of the beam that keep off each other's tokens: diverse beam search."""
    diversity: float | None = None
    """How much they do."""
    temperature: float | None = None
    """Of sampling: below 1 likely tokens become likelier."""
    top_k: int | None = None
    """Of sampling: only so many tokens can be drawn."""
    top_p: float | None = None
    """Of sampling: only the likeliest tokens of this probability can be drawn."""
    min_p: float | None = None
    """Of sampling: only tokens that are so many times as likely as the likeliest can be drawn."""
    typical_p: float | None = None
    """Of sampling: only the most typical tokens of this probability can be drawn."""
    seed: int | None = None
    """Of sampling: another one draws something else."""
    min_length: int | None = None
    """Tokens of a translation at least."""
    max_length: int | None = None
    """Tokens of a translation at most; 256 if not given."""
    forced_end: Switch = False
    """End a translation at this length as if the model had; otherwise it is cut."""

    def strategy(self, n_best: int | None = None) -> "Strategy":
        """The search that was asked for.

        Args:
            n_best: translations of every line; one if not given.

        Raises:
            ChoiceError: values that do not fit, or that belong to another search.
        """
        from ...decoding import Beam, Greedy, Sample

        several = {} if n_best is None else {"n_best": n_best}
        if self.search == "beam":
            said = {"length_penalty": 1.0} | self._of(BEAM) | several
            return fitted(Beam, size=said.pop("beam", 5), **said)
        if self.search == "sample":
            several = {} if n_best is None else {"n": n_best}
            return fitted(Sample, **self._of(SAMPLE), **several)
        self._of(())
        if (n_best or 1) > 1:
            raise ChoiceError("--n-best needs --search beam or sample: greedy finds one")
        return Greedy()

    def limits(self) -> "Limits":
        """How long a translation may become.

        Raises:
            ChoiceError: values that do not fit.
        """
        from ...decoding import Limits

        given, names = self.given(), ("min_length", "max_length", "forced_end")
        return fitted(Limits, **{name: given[name] for name in names if name in given})

    def _of(self, names: tuple[str, ...]) -> dict[str, Any]:
        """What was said of this search; nothing may be said of another."""
        given = self.given()
        for name in (*BEAM, *SAMPLE):
            if name in given and name not in names:
                kind = "beam" if name in BEAM else "sample"
                raise ChoiceError(
                    f"--{name.replace('_', '-')} belongs to --search {kind}, got it with --search "
                    f"{self.search}"
                )
        return {name: given[name] for name in names if name in given}


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
        from ...devices import resolve, use_threads

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
        from ...decoding import BatchLimit

        return fitted(BatchLimit, sentences=self.batch, ahead=self.ahead)


NAMES = {
    "size": "--beam",
    "n": "--n-best",
    "sentences": "--batch",
    "above": "--threshold",
}
"""Options whose fields are called something else."""


def fitted(config: type[Made], **fields: Any) -> Made:
    """The config of these fields.

    Raises:
        ChoiceError: values that do not fit, all of them at once.
    """
    try:
        return config(**fields)
    except ValidationError as error:
        raise ChoiceError(_by_options(problems(error, named=_named), config)) from None


def _named(place: tuple[int | str, ...]) -> str:
    field = next((part for part in reversed(place) if isinstance(part, str)), "")
    return _option(field) if field else ""


def _option(field: str) -> str:
    return NAMES.get(field, f"--{field.replace('_', '-')}")


def _by_options(said: str, config: type[Config]) -> str:
    """A sentence about several fields, with the options in place of them.

    A plain word is only meant as a field where the sentence begins with it.
    """

    def option(word: re.Match[str]) -> str:
        return _option(word[0]) if word[0] in config.model_fields else word[0]

    return re.sub(r"^\w+(?= needs)|\w+_\w+", option, said)
