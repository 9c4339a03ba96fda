"""What storing weights in fewer bytes changed."""

from collections.abc import Sequence

from regard.data.pairs.lines import STANDARD_INPUT
from regard.errors import InputError
from regard.measures import bleu
from regard.training.task import Comparison

from .config import Data
from .example import HeldOut
from .files import FileData
from .predictor import Translator


def compared(before: Translator, after: Translator, held_out: Sequence[HeldOut]) -> Comparison:
    """Both translators on the same sentences.

    Args:
        before: with the weights as trained.
        after: with those that were stored.
        held_out: sentences with their references; at least one.
    """
    sources = [one.source for one in held_out]
    references = [one.references for one in held_out]
    texts = [[one.text for one in each.translate(sources)] for each in (before, after)]
    first, second = texts
    return Comparison(
        examples=len(sources),
        changed=sum(left != right for left, right in zip(first, second, strict=True)),
        measure="BLEU",
        before=bleu(first, references).value,
        after=bleu(second, references).value,
    )


def held_out(data: Data, count: int) -> list[HeldOut]:
    """The first sentences that a run was validated on.

    Raises:
        InputError: they cannot be read any more.
    """
    try:
        if isinstance(data, FileData) and _is_gone(data):
            raise InputError("the run's pairs came from the standard input, which is over")
        return data.held_out()[:count]
    except InputError as error:
        raise InputError(
            f"{error}; comparing translations needs the pairs the run was validated on: bring them "
            "back, or ask for 0 sentences"
        ) from None


def _is_gone(data: FileData) -> bool:
    links = data.valid_alignments if data.valid else data.alignments
    return STANDARD_INPUT in (*(data.valid or data.train), links)
