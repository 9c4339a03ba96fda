"""``regard reconstruct``: a text or a picture through its latent, and back."""

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from ..errors import ChoiceError, InputError, RangeError
from .computing import ComputeOptions
from .files import write
from .flags import Switch

if TYPE_CHECKING:
    from ..tasks.autoencoding.data import Seen

TASKS = ("autoencoding",)
AHEAD = 1024
"""Texts that are read at most before the first of them is answered."""
STEP = 4
"""Lengths of texts that have one colour."""


def reconstruct(
    *inputs: str,
    model: str,
    file: Path | None = None,
    first: int | None = None,
    show: Switch = False,
    out: Path | None = None,
    space: Path | None = None,
    method: Literal["pca", "tsne"] = "pca",
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    pace: ComputeOptions | None = None,
) -> None:
    """Take texts or pictures through an autoencoder, as its model reads the one or the other.

    A text in is a line out: what came back. A picture in is a line out: its name, the mean squared
    error of its colours and the peak signal-to-noise ratio, with tabs between. With --json there is
    the latent, too.

    Args:
        inputs: Texts, one each, or pictures: files, folders, zips, idx files, the word digits;
            lines of stdin if neither this nor --file is given.
        model: The folder of a run or of a checkpoint, or a name of the zoo.
        file: A file of lines: texts, or names of pictures.
        first: Read so many of them, and no more; of folders and idx files spread over all.
        show: Draw on stderr what came back, and what is wrong with it.
        out: Draw pictures with what came back of them below, or how much each word of one text
            counted, into a file ending in .png, .svg or .html.
        space: Draw all latents on a plane, coloured by label or length, into a file ending in .png
            or .svg.
        method: Onto the plane by principal components, or by t-SNE (scikit-learn).
        as_json: Print a JSON object per text or picture.
        pace: Where to compute.
    """
    from .console import speak_utf8
    from .figure import SUFFIXES
    from .files import require_end
    from .verbs import _show, _warn, predictor_for

    if out is not None:
        require_end(out, "--out")
    if space is not None and space.suffix.lower() not in SUFFIXES:
        raise InputError(f"--space needs a name that ends in .png or .svg, got {str(space)!r}")
    if first is not None and first < 1:
        raise RangeError(f"--first needs to be at least 1, got {first}")
    device = (pace or ComputeOptions()).start()
    speak_utf8()
    predictor = predictor_for(model, TASKS, verb="reconstruct", device=device)
    groups = _groups(predictor, inputs, file, first)
    looks = out is not None or as_json or show or space is not None
    kept: list[tuple[Seen, Any]] = []
    number = 0
    for group in groups:
        samples = predictor.predict([one.content for one in group], looks=looks)
        for one, sample in zip(group, samples, strict=True):
            number += 1
            sample = sample._replace(name=one.place) if one.place else sample
            _warn(number, sample)
            print(json.dumps(sample.to_json(), ensure_ascii=False) if as_json else sample)
            if show:
                _show(sample)
            kept += [(one, sample)] if out is not None or space is not None else []
        sys.stdout.flush()
    if out is not None:
        _draw(out, [sample for _, sample in kept], model)
    if space is not None:
        _draw_space(space, kept, method)


def _groups(
    predictor: Any, inputs: tuple[str, ...], file: Path | None, first: int | None
) -> "Iterator[list[Seen]]":
    """What is read, as much together as is there."""
    from ..tasks.autoencoding.data import Seen
    from .console import groups

    if getattr(predictor, "reads", "text") == "pictures":
        if inputs and file is not None:
            raise InputError("reconstruct needs pictures or --file, got both")
        named = list(inputs) or [line for group in groups((), file, AHEAD) for line in group]
        yield _pictures(named, first)
        return
    left = first
    for group in groups(inputs, file, AHEAD):
        some = group[:left]
        yield [Seen(text, "") for text in some]
        if left is not None and (left := left - len(some)) <= 0:
            return


def _pictures(named: Sequence[str], first: int | None) -> "list[Seen]":
    """Pictures of files; those of folders, zips, idx files and digits one by one."""
    from ..tasks.autoencoding.data import Seen, are_several, read_pictures, spread

    found: list[Seen] = []
    for name in named:
        if not are_several(name):
            found.append(Seen(name, Path(name).parent.name))
            continue
        read = read_pictures(name)
        numbers = spread(len(read), first or len(read))
        found += [
            Seen(read.source(number), read.labels[number], read.places[number])
            for number in numbers
        ]
    return list(islice(found, first))


def _draw(out: Path, samples: Sequence[Any], model: str) -> None:
    """Pictures on one sheet; of a text what there is to draw.

    Raises:
        ChoiceError: several texts.
    """
    from dataclasses import replace

    from .output import write_picture
    from .verbs import draw

    if samples and hasattr(samples[0], "psnr"):
        from ..tasks.autoencoding.views import beside

        write_picture(out, [replace(beside(samples), model=model)])
        return
    if len(samples) != 1:
        raise ChoiceError(f"--out is for one text, got {len(samples)}; --space draws several")
    draw(out, samples, model)


def _draw_space(space: Path, kept: "Sequence[tuple[Seen, Any]]", method: Any) -> None:
    """Latents on a plane; blank texts have none."""
    import torch

    from ..lens.plots import save
    from ..lens.plots.latents import latents_figure

    there = [(one, sample) for one, sample in kept if sample.latent is not None]
    if len(there) < 3:
        raise ChoiceError(f"--space needs three texts or pictures at least, got {len(there)}")
    there.sort(key=lambda pair: _group(*pair)[0])
    figure = latents_figure(
        torch.stack([sample.latent for _, sample in there]),
        method,
        names=[getattr(sample, "text", "") for _, sample in there],
        groups=[_group(*pair)[1] for pair in there],
    )
    write(space, lambda file: save(figure, file, space.suffix.lower()[1:]))


def _group(one: "Seen", sample: Any) -> tuple[tuple[int, str], str]:
    """What decides the colour, in the order of the legend: the label, or the length in tokens."""
    if hasattr(sample, "words"):
        number = max(0, len(sample.words) - 1) // STEP
        return (number, ""), f"{number * STEP + 1}–{(number + 1) * STEP} tokens"
    number = int(one.label) if one.label.isdecimal() else 0
    return (number, one.label), one.label
