"""Running text: how much each word is looked at, by one word or by all."""

from regard.errors import RangeError

from ..alignments import AlignmentView
from ..record import Record
from .choosing import Head, chosen, weights_of
from .maps import title_of


def running_text(
    record: Record,
    *,
    module: str | None = None,
    layer: int = -1,
    head: Head = "mean",
    word: int | None = None,
    model: str = "",
    force: bool = False,
) -> AlignmentView:
    """A text, its words shaded by how much they are looked at.

    Args:
        record: of a capture, its tokens read.
        module: a part of the name of the modules that are meant.
        layer: counted from 0, or from the last backwards.
        head: which head of it.
        word: the query, counted from 0; the mean of all if not given.
        model: the name of what looked.
        force: whether to draw what is not verified, too.

    Raises:
        RangeError: there is no such word.
    """
    [look] = chosen(record, module=module, layer=layer)
    weights, (queries, keys) = weights_of(look, head, force=force), look.labels()
    if word is not None and not 0 <= word < len(weights):
        raise RangeError(f"this text has {len(weights)} tokens, counted from 0, got {word}")
    row = weights.mean(dim=0) if word is None else weights[word]
    who = "all words" if word is None else queries[word]
    texts = tuple(key if key.strip() else str(number) for number, key in enumerate(keys))
    shown = row.clamp(min=0).unsqueeze(0)
    return AlignmentView(texts, (who or str(word),), shown, title_of(look, head), model=model)
