"""A run's model as a small folder to be passed on.

::

    folder/
      config.json          what the model is built from
      model.safetensors    its weights, in int8, float16 or float32
      codec/               between text and tokens
      manifest.json        size and sha256 of all of these
      CARD.md              data, licence, training, scores: for people, who may go on writing it

It is a checkpoint without what it takes to go on training, so whatever opens a checkpoint opens it.
"""

from pathlib import Path

from regard.storage import quantised
from regard.storage.checkpoint import Checkpoint
from regard.storage.quantised import Precision
from regard.storage.run_folder import read_best
from regard.storage.stored_model import ModelSettings, TaskKind, codec_files, predictor_of
from regard.training.task import Comparison

from ..errors import RangeError, StorageError
from ..types import PathLike, Tensor
from .card import About, card
from .repacking import Packed as Packed
from .repacking import form_of, is_only_model, repacked, size_of, written
from .shelf import CARD
from .trained import Trained, trained

SENTENCES = 200
"""How many translations are compared."""


def pack(
    run: PathLike,
    target: PathLike,
    *,
    precision: Precision = "int8",
    about: About | None = None,
    sentences: int = SENTENCES,
) -> Packed:
    """Write the model of a run to the new folder ``target``, whole or not at all.

    Args:
        run: a checkpoint, or the folder of a run, whose best or else last one is taken.
        target: a folder that is not there yet.
        precision: how weights are stored.
        about: what the card is to say beside what the run knows.
        sentences: how many validation sentences are translated with the weights as trained and as
            stored, to see what that changed.

    Raises:
        DamagedError: a file of the run is missing, cut short or changed; the message names it.
        StorageError: there is no checkpoint, or ``target`` is taken or cannot be written.
        InputError: there are sentences to compare, and the run's pairs cannot be read any more.
        RangeError: a weight that ``precision`` cannot hold.
    """
    if sentences < 0:
        raise RangeError(f"comparing translations needs 0 sentences or more, got {sentences}")
    place = Path(target).absolute()
    _require_new(place)
    if read_best(run, is_only_model):
        return repacked(run, place, precision=precision, about=about or About())
    found = trained(run)
    weights = quantised.stored(found.weights, precision)
    form = form_of(found.weights, weights, precision)
    comparison = _comparison(found, weights, sentences)
    text = card(place.name, found, about or About(), form, comparison)
    _write(found, weights, text, place)
    return Packed(place, size_of(place), form, comparison)


def _require_new(target: Path) -> None:
    if target.exists() or target.is_symlink():
        raise StorageError(
            f"a packed model needs a new folder, and {target} is there already; name another"
        )


def _comparison(found: Trained, weights: dict[str, Tensor], examples: int) -> Comparison | None:
    if not examples:
        return None
    task = found.config.task
    before, after = (
        predictor_of(task.kind, found.config.model, each, found.codec)
        for each in (found.weights, quantised.restored(weights))
    )
    return task.compared(before, after, examples)


def _write(found: Trained, weights: dict[str, Tensor], text: str, target: Path) -> None:
    shipped = Checkpoint(
        step=found.progress.step,
        config=ModelSettings(
            task=TaskKind(kind=found.config.task.kind, **found.config.task.in_use()),
            model=found.config.model,
        ),
        model=weights,
        resume=None,
        attachments=codec_files(found.codec),
        notes={CARD: text.encode()},
    )
    written(shipped, target)
