"""Options that commands share: device and threads, batch sizes, search, which words are written."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from ..errors import ChoiceError
from ..tasks.search import SearchConfig, fitted
from .flags import Options, Several

if TYPE_CHECKING:
    from ..data.vocabulary import Tokeniser
    from ..decoding import BatchLimit, Processor


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


WORDS = Group("Words", sort_key=2)


@Parameter(name="*", group=WORDS)
@dataclass(frozen=True, kw_only=True)
class WordOptions(Options):
    """What may be written."""

    repetition_penalty: float | None = None
    """Above 1, tokens that were there already become less likely."""
    no_repeat_ngram: int | None = None
    """No sequence of so many tokens comes twice."""
    ban: Annotated[tuple[str, ...], Several] = ()
    """Words that are never written."""
    include: Annotated[tuple[str, ...], Several] = ()
    """Words that are written before the text may end."""

    def processors(
        self,
        tokeniser: "Tokeniser",
        encode: "Callable[[str], list[int]]",
        *,
        ends: tuple[int, ...],
        prefix: str = "",
    ) -> "tuple[Processor, ...]":
        """What changes logits before a token is chosen.

        Args:
            tokeniser: of what is written.
            encode: from a word to its tokens.
            ends: tokens that end a text.
            prefix: what every text begins with.

        Raises:
            ChoiceError: values that do not fit, or a word that the model cannot write.
        """
        from ..decoding import Banned, Forced, Included, NoRepeatNGram, RepetitionPenalty

        found = list[Any]()
        if self.repetition_penalty is not None:
            found.append(fitted(RepetitionPenalty, penalty=self.repetition_penalty))
        if self.no_repeat_ngram is not None:
            found.append(fitted(NoRepeatNGram, size=self.no_repeat_ngram))
        if self.ban:
            found.append(Banned(words=_spelled(self.ban, tokeniser, encode)))
        if self.include:
            if not ends:
                raise ChoiceError("--include needs a text that may end: say by --end what ends it")
            found.append(Included(words=_spelled(self.include, tokeniser, encode), eos=ends))
        if prefix:
            [begin] = _spelled((prefix,), tokeniser, encode)
            found.append(Forced(prefix=begin))
        return tuple(found)


def _spelled(
    words: tuple[str, ...], tokeniser: "Tokeniser", encode: "Callable[[str], list[int]]"
) -> tuple[tuple[int, ...], ...]:
    found = tuple(tuple(encode(word)) for word in words)
    for word, ids in zip(words, found, strict=True):
        if not ids or tokeniser.unk in ids:
            raise ChoiceError(
                f"the model has no tokens to write {word!r} with; name words of the text that it "
                "was trained on"
            )
    return found
