"""A model to be used: config, weights and codec of a checkpoint or a packed model, of any task.

Reading one imports the ``predictor.py`` of its task and nothing of training.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import (
    BeforeValidator,
    ConfigDict,
    SerializeAsAny,
    ValidationError,
    model_validator,
)
from torch import nn

from regard.config import Config, problems
from regard.errors import DamagedError, InputError
from regard.models import build, config_from
from regard.models.config import ModelConfig
from regard.models.outline import SkipInitialisation
from regard.task_registry import predictor_class
from regard.types import Tensor

from ..task_registry import upgraded
from . import checkpoint as checkpoints
from . import manifest, regular
from .checkpoint import MODEL, RESUME
from .skeleton import require_model

CARD = "CARD.md"
"""What a packed model says about itself, for people."""
LONGEST = 2**16
"""Characters of a card that are kept."""
_LICENCE = re.compile(r"^\| licence of the weights \| (.+?) \|\s*$", re.MULTILINE)


class Ancestor(Config):
    """A trained model that another one goes on from."""

    name: str
    """Of its folder."""
    sha256: str
    """Of its weights, as they are stored."""
    licence: str | None = None
    """Of its weights, as its card has it."""
    card: str | None = None
    """All that its card says."""
    ancestor: "Ancestor | None" = None
    """What it began with itself."""


def ancestor_in(folder: Path, before: Ancestor | None) -> Ancestor:
    """What a checkpoint or a packed model is to those that go on from it.

    Args:
        folder: where it lies.
        before: what it began with itself.
    """
    listed = manifest.read(folder).files
    place = folder.absolute()
    name = f"{place.parent.name}/{place.name}" if RESUME in listed else place.name
    card = _card(folder / CARD)
    found = _LICENCE.search(card or "")
    licence = found[1] if found and found[1] != "not stated" else None
    return Ancestor(
        name=name, sha256=listed[MODEL].sha256, licence=licence, card=card, ancestor=before
    )


def _card(path: Path) -> str | None:
    try:
        with regular.opened(path) as file:
            return file.read(LONGEST).decode(errors="replace")
    except OSError:
        return None


CODEC = "codec"
"""Folder of a checkpoint with the files of its codec."""
EARLIER_CODEC = "vocabulary"
"""The same in checkpoints of translators before there were other tasks."""


def _model_config(value: Any) -> Any:
    return config_from(value) if isinstance(value, Mapping) else value


AnyModelConfig = Annotated[SerializeAsAny[ModelConfig], BeforeValidator(_model_config)]
"""The config of any kind of model; ``kind`` says which."""


class TaskKind(Config):
    """Of all that a task is, its name; the rest is not looked at."""

    model_config = ConfigDict(extra="allow")

    kind: str


class ModelSettings(Config):
    """Of all that decides how a run goes, what using its model takes."""

    model_config = ConfigDict(extra="ignore")

    task: TaskKind
    """What it was trained for."""
    model: AnyModelConfig
    """What was trained."""
    ancestor: Ancestor | None = None
    """What it began with itself."""

    _upgraded = model_validator(mode="before")(upgraded)


class StoredModel(NamedTuple):
    """A model as it was stored, not built yet."""

    task: dict[str, Any]
    """Settings of its task; of a packed model ``kind``, and what its predictor asks for."""
    config: ModelConfig
    weights: dict[str, Tensor]
    codec: Any
    ancestor: Ancestor | None = None
    """Which model this is to those that go on from it."""

    def predictor(self, device: str = "cpu") -> Any:
        """The predictor of its task, ready to be used; no random number is drawn.

        Raises:
            DamagedError: settings of the task that cannot be.
        """
        made = predictor_of(self.task["kind"], self.config, self.weights, self.codec, device)
        try:
            return made.in_use(self.task) if hasattr(made, "in_use") else made
        except ValidationError as error:
            raise DamagedError(
                f"the settings of this model's task are damaged, {problems(error)}; use another "
                "checkpoint"
            ) from None


def read_model(folder: Path) -> StoredModel:
    """The model in a checkpoint or a packed model.

    Raises:
        DamagedError: a file is missing, cut short or changed; the message names it.
        StorageError: another version of regard wrote it.
    """
    settings, weights = checkpoints.load(folder, ModelSettings, require_model)
    codec = read_codec(folder, settings.task.kind, settings.model)
    ancestor = ancestor_in(folder, settings.ancestor)
    return StoredModel(settings.task.model_dump(), settings.model, weights, codec, ancestor)


def read_codec(folder: Path, kind: str, config: ModelConfig) -> Any:
    """The codec of a checkpoint: the files that its manifest lists, and no others.

    Args:
        folder: the checkpoint.
        kind: of its task.
        config: of its model, whose sizes must be those of the codec.

    Raises:
        DamagedError: a file is missing, changed, or of another model; the message names it.
        StorageError: another version of regard wrote it.
    """
    listed = manifest.read(folder)
    name = CODEC
    if not any(file.startswith(f"{CODEC}/") for file in listed.files):
        name = EARLIER_CODEC
    files = manifest.below(folder, name, listed)
    try:
        codec = predictor_class(kind).codec_from(files, folder / name)
    except InputError as error:
        raise DamagedError(f"{error}; use another checkpoint") from None
    for what, size in codec.sizes().items():
        if getattr(config, what, size) != size:
            raise DamagedError(
                f"{folder / name} is damaged: its {what} is {size}, and that of its model "
                f"{getattr(config, what)}; use another checkpoint"
            )
    return codec


def codec_files(codec: Any) -> dict[str, bytes]:
    """The files of a codec, as a checkpoint keeps them."""
    return {f"{CODEC}/{name}": data for name, data in codec.files().items()}


def predictor_of(
    kind: str, config: ModelConfig, weights: Mapping[str, Tensor], codec: Any, device: str = "cpu"
) -> Any:
    """A predictor of parts; no random number is drawn.

    Args:
        kind: of the task.
        config: what the model is built from.
        weights: its ``state_dict()``.
        codec: between a user's values and numbers.
        device: where it is to compute.
    """
    with SkipInitialisation():
        model: nn.Module = build(config)
    model.load_state_dict(weights)
    return predictor_class(kind)(model.to(device).eval(), codec)
