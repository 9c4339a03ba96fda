"""A model without a training behind it, such as one that was converted, stored smaller."""

from pathlib import Path
from typing import NamedTuple

import torch

from regard.storage import checkpoint as checkpoints
from regard.storage import manifest, quantised
from regard.storage.checkpoint import MODEL, RESUME, Checkpoint
from regard.storage.quantised import Precision
from regard.storage.run_folder import read_best
from regard.storage.skeleton import require_model
from regard.storage.stored_model import ModelSettings, codec_files, read_codec
from regard.storage.tensors import distinct, outlines
from regard.training.task import Comparison

from ..errors import StorageError
from ..types import PathLike, Tensor
from .card import STORED, About, Form, megabytes
from .shelf import CARD

WHOLE = (torch.float32, torch.float64, torch.int64)
"""Numbers as models are trained with."""


class Packed(NamedTuple):
    """What came of it."""

    folder: Path
    size: int
    """Bytes of all its files."""
    form: Form
    comparison: Comparison | None
    """``None`` for 0 sentences, and for a model that has no validation examples."""


def is_only_model(folder: Path) -> bool:
    """Whether a folder holds a model to be used, all digits of it, and no run to go on with."""
    listed = manifest.read(folder)
    if RESUME in listed.files:
        return False
    with manifest.opened(folder, MODEL, listed) as file:
        stored = outlines(file, source=folder / MODEL).values()
    return all(one.dtype in WHOLE for one in stored)


def repacked(run: PathLike, target: Path, *, precision: Precision, about: About) -> Packed:
    """Write a model to the new folder ``target``, whole or not at all.

    Args:
        run: a model without a training, as :mod:`regard.zoo.hugging_face` writes it.
        target: a folder that is not there yet.
        precision: how weights are stored.
        about: what the card is to say beside what it says already.

    Raises:
        DamagedError: a file is missing, cut short or changed; the message names it.
        StorageError: ``target`` cannot be written.
        RangeError: a weight that ``precision`` cannot hold.
    """
    return read_best(run, lambda folder: _repacked(folder, target, precision, about))


def _repacked(folder: Path, target: Path, precision: Precision, about: About) -> Packed:
    settings, known = checkpoints.load(folder, ModelSettings, require_model)
    codec = read_codec(folder, settings.task.kind, settings.model)
    weights = quantised.stored(known, precision)
    form = form_of(known, weights, precision)
    card = _card(folder / CARD, target.name, form, about)
    written(
        Checkpoint(
            step=0,
            config=settings,
            model=weights,
            resume=None,
            attachments=codec_files(codec),
            notes={CARD: card.encode()},
        ),
        target,
    )
    return Packed(target, size_of(target), form, None)


def form_of(before: dict[str, Tensor], weights: dict[str, Tensor], precision: Precision) -> Form:
    """How weights are stored.

    Args:
        before: as they were.
        weights: as they are stored.
        precision: in which.
    """
    return Form(
        precision,
        parameters=sum(weight.numel() for weight in distinct(before)),
        size=sum(weight.nbytes for weight in distinct(weights)),
    )


def written(shipped: Checkpoint, target: Path) -> None:
    """Write a checkpoint, and the folders above it.

    Raises:
        StorageError: it cannot be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"{target.parent} cannot be made, {error.strerror or error}; name another folder"
        ) from None
    checkpoints.write(shipped, target)


def size_of(folder: Path) -> int:
    """Bytes of all files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _card(path: Path, name: str, form: Form, about: About) -> str:
    """What the card said, under its new name, and how the weights are stored now."""
    said = path.read_text(encoding="utf-8") if path.exists() else ""
    first, _, rest = said.partition("\n")
    body = rest if first.startswith("# ") else said
    facts = [
        f"Weights: {form.parameters:,} parameters, {STORED[form.precision]}; "
        f"{megabytes(form.size)}.",
        *([f"Origin of the data: {about.origin}."] if about.origin else []),
        f"| what | which |\n| --- | --- |\n| licence of the weights | {about.licence} |"
        if about.licence
        else "",
    ]
    parts = [f"# {name}", about.text.strip(), body.strip(), *facts]
    return "\n\n".join(part for part in parts if part) + "\n"
