"""``regard show``: what looks at what, in any model."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from ..errors import ChoiceError, InputError
from ..tasks.search import SearchConfig
from .computing import ComputeOptions, SearchOptions
from .console import plain
from .flags import Switch
from .showing.choice import View, ViewName, seen_by

if TYPE_CHECKING:
    from ..lens.alignments import AlignmentView
    from ..zoo.seen import Seen


def show(
    text: str | None = None,
    /,
    *,
    view: ViewName | None = None,
    model: Annotated[tuple[str, ...], Parameter(consume_multiple=True, negative=())] = (),
    translation: str | None = None,
    picture: Path | None = None,
    module: str | None = None,
    word: int | None = None,
    force: Switch = False,
    layer: Annotated[int | None, Parameter(allow_leading_hyphen=True)] = None,
    head: str | None = None,
    tokens: Switch = False,
    out: Path | None = None,
    search: SearchOptions = None,
    pace: ComputeOptions | None = None,
) -> None:
    """Draw where a model looks: any of ours, or a folder of transformers.

    In the terminal, or into a file with --out. Of a translator, unless another view is named, the
    alignment of a sentence and its translation, which is its own or the one that is given: then it
    is made to read it. Several models stand side by side. All the weight of a word is there: what
    does not lie on words lies on the last column, the end.

    Args:
        text: The text.
        view: alignment, the usual one; heads: all of them at a glance; text: words shaded by how
            much they are looked at; matrix: the maps of a layer; picture: where heads look in a
            picture; gates: of channels and positions; steps: one query, number by number.
        model: Folders of runs, of checkpoints or of transformers, or names of the zoo.
        translation: A translation to look at instead of the model's own.
        picture: A picture for the model to look at.
        module: Part of the name of the modules that are meant.
        word: The query of the views text, picture and steps, counted from 0.
        force: Draw weights, too, that are not those that ran.
        layer: Layer, counted from 0, or -1 for the last; every layer of a translator if only
            --head is given.
        head: Head counted from 0, mean, all or alignment. Without it the mean of --layer; without
            both the alignment, which is where the model itself says it looks.
        tokens: Draw the tokens that the model reads and writes, ends included, instead of words.
        out: The file to write, ending in .png, .svg, .html, .json or .npy.
        search: How the model's own translation is found.
        pace: Where to compute.
    """
    from .console import speak_utf8
    from .showing.output import require_file, write_views

    search, pace = search or SearchConfig(), pace or ComputeOptions()
    if out is not None:
        require_file(out)
    if text is None and picture is None:
        raise InputError("show needs a text, or a picture by --picture, got neither")
    device = pace.start()
    speak_utf8()
    if text is None or not _draws_itself(view, model, module, picture):
        wanted = View(view, module, layer, head, word, bool(force))
        _draw(
            wanted, [seen_by(m, text, picture, translation, device) for m in model or (None,)], out
        )
        return

    asked = dict(
        text=text,
        translation=translation,
        layer=layer,
        head=head_from(head, layer),
        unit="tokens" if tokens else "words",
        strategy=search.strategy(),
        limits=search.limits(),
    )
    found = _drawn(asked, model, device)
    views = [view for one in found for view in one.views]
    if out is not None:
        write_views(out, views)
        return
    _print(text, found[0].target if len(model) < 2 else None, views)


def _draws_itself(
    view: ViewName | None, models: tuple[str, ...], module: str | None, picture: Path | None
) -> bool:
    """Whether the alignment of what is written is meant, in words and with the model's layers."""
    if view not in (None, "alignment") or module is not None or picture is not None:
        return False
    from .models import draws

    return all(map(draws, models))


def _draw(view: View, seen: "list[Seen]", out: Path | None) -> None:
    from .showing.output import print_views, write_views

    views = [one for each in seen for one in view.of(each)]
    if out is not None:
        write_views(out, views)
        return
    print_views(views, running=view.name == "text")


def _drawn(asked: Mapping[str, Any], models: tuple[str, ...], device: str) -> list[Any]:
    """How all models look at it; those that have nothing to draw are named, if others have."""
    from .models import name_of, predictor

    found = []
    reason: InputError | None = None
    for name in models or (None,):
        try:
            found.append(predictor(name, device).drawn(**asked, name=name_of(name)))
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
    from ..lens.words import heading

    console = plain(file=sys.stdout)
    console.print(heading(text, translation))
    console.print(beside(views))


def head_from(text: str | None, layer: int | None) -> int | Literal["mean", "all"] | None:
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
