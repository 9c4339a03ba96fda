"""Which words are written, whatever searches for them, as words of a command line."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from ..errors import ChoiceError
from ..options import fitted
from .flags import Options, Several

if TYPE_CHECKING:
    from ..data.vocabulary import Tokeniser
    from ..decoding import Processor

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
