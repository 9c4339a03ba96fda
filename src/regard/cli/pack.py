"""``regard pack``: a trained model, small enough to be passed on."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..errors import InputError

if TYPE_CHECKING:
    from ..zoo.packing import Packed


def pack(
    run: Path,
    /,
    *,
    out: Path,
    precision: Literal["int8", "float16", "float32"] = "int8",
    licence: str | None = None,
    origin: str | None = None,
    command: str | None = None,
    text: Path | None = None,
    sentences: int = 200,
) -> None:
    """Pack a trained model into a small folder to be passed on.

    The folder holds weights, vocabulary, checksums and a model card, and nothing of the training;
    every command that takes --model opens it. Its CARD.md is for people: go on writing it.

    Args:
        run: Folder of a run, whose best weights are taken, or one of its checkpoints.
        out: The folder to make.
        precision: How weights are stored; int8 is four times smaller than float32.
        licence: Of the weights, for the card.
        origin: Whose data it is and under which licence, for the card.
        command: How it was trained, for the card.
        text: A file of Markdown, for the card: what the model is for, and what it is not for.
        sentences: How many examples of the validation to answer before and after, to see what the
            precision changed.
    """
    from ..zoo.card import About
    from ..zoo.packing import pack as packed

    about = About(text=_text(text), licence=licence, origin=origin, command=command)
    tell(packed(run, out, precision=precision, about=about, sentences=sentences))
    print(out)


def tell(done: "Packed") -> None:
    """Size, and what it cost, on stderr."""
    from ..zoo.card import megabytes

    form, comparison = done.form, done.comparison
    lines = [
        f"{done.folder.name}: {megabytes(done.size)} in all, {form.parameters:,} parameters as "
        f"{form.precision} ({megabytes(4 * form.parameters)} as trained)"
    ]
    if comparison is not None:
        lines.append(
            f"{comparison.changed} of {comparison.examples} answers changed; {comparison.measure} "
            f"{comparison.before:.2f} as trained, {comparison.after:.2f} as packed"
        )
    print("\n".join(lines), file=sys.stderr)


def _text(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read, {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: needs to be text in UTF-8, {error.reason}") from None
