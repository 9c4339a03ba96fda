"""A folder that ``transformers`` wrote: its model, its tokeniser, and one run of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import nn

from regard.errors import InputError
from regard.extras import need
from regard.json_text import parsed
from regard.types import Tensor

from ..capture import capture
from ..record import Record

if TYPE_CHECKING:
    from PIL.Image import Image

HALF = (0.5, 0.5, 0.5)
"""Mean and deviation of pixels, unless a model says others."""
MOST_WRITTEN = 60
"""Tokens that a model writes, where no translation is given."""


class Folder(NamedTuple):
    """A model of ``transformers`` with its tokeniser."""

    model: nn.Module
    tokenizer: Any
    """``None`` where the folder has none."""
    pixels: dict[str, Any]
    """How pictures are prepared; empty where nothing is said."""


def is_folder(path: Path) -> bool:
    """Whether ``transformers`` wrote this folder."""
    return "model_type" in _json(path / "config.json")


def read_folder(path: Path) -> Folder:
    """The model and the tokeniser of a folder; nothing is fetched, and no code of it is run.

    Raises:
        InputError: the folder holds no model that ``transformers`` knows.
        MissingExtraError: ``transformers`` is not installed.
    """
    transformers = need("transformers", "a model of transformers")
    config = _json(path / "config.json")
    named = (config.get("architectures") or ["AutoModel"])[0]
    kind: Any = getattr(transformers, str(named), None)
    if not (isinstance(kind, type) and issubclass(kind, transformers.PreTrainedModel)):
        kind = transformers.AutoModel
    try:
        with _without_bars(transformers):
            model = kind.from_pretrained(
                path, local_files_only=True, trust_remote_code=False, use_safetensors=True
            )
    except Exception as error:  # safetensors and transformers raise what they like
        why = str(error).partition("\n")[0]
        raise InputError(f"{path} holds no model that transformers can load: {why}") from error
    return Folder(model.eval(), _tokenizer(path), _json(path / "preprocessor_config.json"))


@contextmanager
def _without_bars(transformers: Any) -> Iterator[None]:
    """A folder is read at once: no bar between what a command prints."""
    bars = transformers.utils.logging
    shown = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            bars.enable_progress_bar()


def _tokenizer(path: Path) -> Any:
    transformers = need("transformers", "a tokeniser of transformers")
    if not any((path / name).exists() for name in ("tokenizer.json", "vocab.txt", "vocab.json")):
        return None
    return transformers.AutoTokenizer.from_pretrained(
        path, local_files_only=True, trust_remote_code=False
    )


@torch.no_grad()
def look_at_text(folder: Folder, text: str, translation: str | None = None) -> Record:
    """Where a model looks while it reads a text, and writes or reads its translation.

    Raises:
        InputError: the folder has no tokeniser.
    """
    if folder.tokenizer is None:
        raise InputError("this folder has no tokeniser, so it reads no text; give it a picture")
    given = folder.tokenizer(text, return_tensors="pt", truncation=True)
    config = getattr(folder.model, "config", None)
    if getattr(config, "is_encoder_decoder", False):
        given["decoder_input_ids"] = _written(folder, given, translation)
    with capture(folder.model) as record:
        folder.model(**given)
    return record.read(folder.tokenizer)


def _written(folder: Folder, given: Any, translation: str | None) -> Tensor:
    """What a decoder reads: its own translation, or the one that is given."""
    model: Any = folder.model
    if translation is None:
        return model.generate(**given, max_new_tokens=MOST_WRITTEN, num_beams=1, do_sample=False)
    ids = folder.tokenizer(text_target=translation, return_tensors="pt", truncation=True)
    begin = torch.full((1, 1), model.config.decoder_start_token_id)
    return torch.cat([begin, ids["input_ids"]], dim=-1)


@torch.no_grad()
def look_at_picture(folder: Folder, picture: "Image") -> Record:
    """Where a model looks while it sees a picture, squeezed to the size that it wants."""
    size = getattr(getattr(folder.model, "config", None), "image_size", 224)
    side = (size, size) if isinstance(size, int) else tuple(size)
    array = torch.tensor(bytearray(picture.convert("RGB").resize(side[::-1]).tobytes()))
    pixels = array.view(*side, 3).permute(2, 0, 1).float() / 255
    mean = torch.tensor(folder.pixels.get("image_mean", HALF)).view(3, 1, 1)
    spread = torch.tensor(folder.pixels.get("image_std", HALF)).view(3, 1, 1)
    with capture(folder.model) as record:
        folder.model(pixel_values=((pixels - mean) / spread).unsqueeze(0))
    return record


def _json(path: Path) -> dict[str, Any]:
    try:
        found = parsed(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
