"""A folder of ``transformers`` as a model of ours, and a model of ours as such a folder."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from regard import __version__
from regard.data.vocabulary.tokenizer_json import TokenizerJson
from regard.errors import ChoiceError, StorageError
from regard.extras import need
from regard.models.interop import exported, families, imported
from regard.models.interop.family import Exported
from regard.storage import checkpoint as checkpoints
from regard.storage.checkpoint import Checkpoint
from regard.storage.regular import new_folder
from regard.storage.run_folder import read_best
from regard.storage.stored_model import (
    Ancestor,
    ModelSettings,
    StoredModel,
    TaskKind,
    codec_files,
    read_model,
)
from regard.tasks.image_classification.codec import PictureCodec
from regard.types import PathLike

from ..shelf import CARD
from .codecs import SERVED
from .folder import CONFIG, TOKENIZER, TOKENIZER_CONFIG, WEIGHTS, HuggingFaceFolder

PREPROCESSOR, PROCESSOR = "preprocessor_config.json", "ViTImageProcessor"


class Converted(NamedTuple):
    """What came of it."""

    folder: Path
    family: str
    task: str
    """What it is for."""
    parameters: int
    left_out: tuple[str, ...]
    """Weights that belonged to a task of the training, and are nowhere now."""


def from_hugging_face(source: PathLike, target: PathLike) -> Converted:
    """A folder as ``save_pretrained`` writes it as a model that every command of ours opens.

    Args:
        source: their folder: ``config.json``, ``model.safetensors``, ``tokenizer.json``.
        target: a folder that is not there yet.

    Raises:
        ChoiceError: no such family, or settings and weights that are not understood.
        InputError: a file is missing or damaged.
        StorageError: ``target`` is taken or cannot be written.
    """
    folder, place = HuggingFaceFolder(Path(source)), Path(target).absolute()
    _require_new(place)
    found = imported(folder.config, folder.weights())
    served = SERVED[found.config.kind](found.config, folder)
    name, family = folder.path.absolute().name, str(folder.config["model_type"])
    settings = ModelSettings(
        task=TaskKind(**served.task),
        model=served.config,
        ancestor=Ancestor(name=name, sha256=folder.digest()),
    )
    place.parent.mkdir(parents=True, exist_ok=True)
    checkpoints.write(
        Checkpoint(
            step=0,
            config=settings,
            model=found.weights,
            resume=None,
            attachments=codec_files(served.codec),
            notes={CARD: _card(place.name, name, family).encode()},
        ),
        place,
    )
    count = sum(x.numel() for x in {x.data_ptr(): x for x in found.weights.values()}.values())
    return Converted(place, family, served.task["kind"], count, found.left_out)


def to_hugging_face(run: PathLike, target: PathLike, *, family: str | None = None) -> Converted:
    """A model of ours as a folder that ``from_pretrained`` reads.

    Args:
        run: a run, a checkpoint or a packed model.
        target: a folder that is not there yet.
        family: theirs, as ``model_type``; the first that has such a model if not given.

    Raises:
        ChoiceError: no family of theirs has such a model; why not is said of each.
        StorageError: there is no model, or ``target`` is taken or cannot be written.
    """
    place = Path(target).absolute()
    _require_new(place)
    stored = read_best(Path(run), read_model)
    kind, found = _fitting(stored, family)
    labels = getattr(stored.codec, "labels", None)
    told = {} if labels is None else _labels(labels)
    files = {CONFIG: _json({**found.settings, **told}), **_tokens(stored.codec)}
    save = need("safetensors.torch", "writing weights").save
    files[WEIGHTS] = save(found.weights, metadata={"format": "pt"})
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with new_folder(place) as draft:
            for name, data in files.items():
                (draft / name).write_bytes(data)
    except OSError as error:
        raise StorageError(f"{place} cannot be written, {error.strerror or error}") from None
    count = sum(x.numel() for x in found.weights.values())
    return Converted(place, kind, stored.task["kind"], count, ())


def _fitting(stored: StoredModel, family: str | None) -> tuple[str, Exported]:
    reasons: list[str] = []
    for kind in [family] if family else list(families):
        try:
            return kind, exported(stored.config, stored.weights, kind)
        except ChoiceError as error:
            reasons.append(f"{kind}: {error}")
    raise ChoiceError(
        f"transformers has no model like this one that is known here; {'; '.join(reasons)}"
    )


def _tokens(codec: Any) -> dict[str, bytes]:
    """The vocabulary, where it is one of theirs; else our own files, which they do not read."""
    for tokens in _tokenisers(codec):
        if isinstance(tokens, TokenizerJson):
            names = {
                f"{role}_token": tokens.name(number)
                for role, number in tokens.special._asdict().items()
                if number is not None
            }
            told = {"tokenizer_class": "PreTrainedTokenizerFast", **names}
            return {TOKENIZER: tokens.source.encode(), TOKENIZER_CONFIG: _json(told)}
    if isinstance(codec, PictureCodec):
        size = {"height": codec.height, "width": codec.width}
        colours = {"image_mean": list(codec.mean), "image_std": list(codec.std)}
        return {PREPROCESSOR: _json({**colours, "size": size, "image_processor_type": PROCESSOR})}
    return {f"regard-{name.replace('/', '-')}": data for name, data in codec.files().items()}


def _labels(labels: tuple[str, ...]) -> dict[str, Any]:
    numbered = {str(number): label for number, label in enumerate(labels)}
    return {"id2label": numbered, "label2id": {label: n for n, label in enumerate(labels)}}


def _tokenisers(codec: Any) -> Iterator[Any]:
    for field in ("tokens", "tokeniser", "source"):
        if hasattr(codec, field):
            yield getattr(codec, field)


def _card(name: str, origin: str, family: str) -> str:
    return (
        f"# {name}\n\n"
        f"Weights, tokens and settings of `{origin}`, a {family} of transformers, converted by "
        f"regard {__version__}. Data, training and licence are those of `{origin}`: see its own "
        "card.\n"
    )


def _require_new(target: Path) -> None:
    if target.exists() or target.is_symlink():
        raise StorageError(
            f"converting needs a new folder, and {target} is there already; name another"
        )


def _json(told: dict[str, Any]) -> bytes:
    return (json.dumps(told, indent=2, ensure_ascii=False) + "\n").encode()
