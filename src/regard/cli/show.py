"""``regard show``: what looks at what in a translation."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ..errors import ChoiceError, InputError
from .console import plain
from .flags import Switch
from .translation.options import ComputeOptions, SearchOptions

if TYPE_CHECKING:
    from ..lens.alignments import AlignmentView
    from ..tasks.translation.views import Head, Looked, Sentence


def show(
    text: str,
    /,
    *,
    model: Annotated[tuple[str, ...], Parameter(consume_multiple=True, negative=())] = (),
    translation: str | None = None,
    layer: Annotated[int | None, Parameter(allow_leading_hyphen=True)] = None,
    head: str | None = None,
    tokens: Switch = False,
    out: Path | None = None,
    search: SearchOptions | None = None,
    pace: ComputeOptions | None = None,
) -> None:
    """Draw the alignment of a sentence and its translation.

    In the terminal, or into a file with --out. The translation is the model's own, or the one that
    is given: then the model is made to read it. Several models stand side by side. All the weight
    of a word is there: what does not lie on words lies on the last column, the end.

    Args:
        text: The sentence.
        model: Folders of runs or of checkpoints, or names of bundled translators.
        translation: A translation to look at instead of the model's own.
        layer: Decoder layer, counted from 0, or -1 for the last; every layer if only --head is
            given.
        head: Head counted from 0, mean, all or alignment. Without it the mean of --layer; without
            both the alignment, which is where the model itself says it looks.
        tokens: Draw the tokens that the model reads and writes, ends included, instead of words.
        out: The file to write, ending in .png, .svg or .html.
        search: How the model's own translation is found.
        pace: Where to compute.
    """
    from .translation.output import require_end, speak_utf8, write_picture

    search, pace = search or SearchOptions(), pace or ComputeOptions()
    if out is not None:
        require_end(out, "--out")
    device = pace.start()

    from ..tasks.translation.views import Sentence

    sentence = Sentence(
        text=text,
        translation=translation,
        layer=layer,
        head=head_from(head, layer),
        unit="tokens" if tokens else "words",
        strategy=search.strategy(),
        limits=search.limits(),
    )
    found = _looked(sentence, model, device)
    views = [view for one in found for view in one.views]
    if out is not None:
        write_picture(out, views)
        return
    speak_utf8()
    _print(text, found[0].target if len(model) < 2 else None, views)


def _looked(sentence: "Sentence", models: tuple[str, ...], device: str) -> "list[Looked]":
    """How all models look at it; those that have nothing to draw are named, if others have."""
    from .models import name_of, translator

    found: list[Looked] = []
    reason: InputError | None = None
    for name in models or (None,):
        try:
            found.append(sentence.by(translator(name, device), name_of(name)))
        except InputError as error:
            reason = error
            if len(models) > 1:
                print(f"{name}: left out, {error}", file=sys.stderr)
    if not found and reason is not None:
        raise reason
    return found


def _print(text: str, translation: str | None, views: "list[AlignmentView]") -> None:
    """The sentences above, the drawing below."""
    from ..lens.alignments import beside
    from ..tasks.translation.terminal import heading

    console = plain(file=sys.stdout)
    console.print(heading(text, translation))
    console.print(beside(views))


def head_from(text: str | None, layer: int | None) -> "Head | None":
    """The heads that are meant by what was typed: a number, ``mean``, ``all``, ``alignment``.

    Raises:
        ChoiceError: something else, or a layer of what the model chooses by itself.
    """
    if text is None:
        return None if layer is None else "mean"
    if text == "alignment":
        if layer is not None:
            raise ChoiceError(
                "--head alignment is where the model says it looks; leave out --layer"
            )
        return None
    if text == "mean":
        return "mean"
    if text == "all":
        return "all"
    if text.isascii() and text.isdigit():
        return int(text)
    raise ChoiceError(f"--head needs a number from 0, mean, all or alignment, got {text!r}")
