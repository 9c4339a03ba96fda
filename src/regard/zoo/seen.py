"""Where a model looked: one of the zoo, of a run, or of ``transformers``, whatever its task."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from regard.errors import ChoiceError, InputError
from regard.lens import Record, capture
from regard.lens.foreign.folder import is_folder, look_at_picture, look_at_text, read_folder
from regard.lens.inputs import words

from ..types import PathLike
from .load import load_folder
from .shelf import ZOO

if TYPE_CHECKING:
    from PIL.Image import Image


class Seen(NamedTuple):
    """What a model looked at, and how."""

    record: Record
    model: str
    picture: "Image | None" = None


def look_at(
    model: PathLike | None,
    text: str | None = None,
    *,
    picture: "Image | None" = None,
    translation: str | None = None,
    device: str = "cpu",
) -> Seen:
    """Run a model once, and record where it looks.

    >>> look_at("en-fr-transformer", "The black cat ate the mouse.").record

    Args:
        model: a name of the zoo, the folder of a run, or one that ``transformers`` wrote.
        text: what it reads.
        picture: or what it sees.
        translation: what a translator is made to write; its own translation if not given.
        device: where it computes.

    Raises:
        InputError: nothing to look at.
        ChoiceError: neither a folder nor a name, or a model that does not attend.
    """
    if text is None and picture is None:
        raise InputError("a model needs a text or a picture to look at, got neither")
    name = str(model or ZOO.default)
    if model is not None and is_folder(Path(model)):
        folder = read_folder(Path(model))
        folder.model.to(device)
        if picture is not None:
            return Seen(look_at_picture(folder, picture), name, picture)
        return Seen(look_at_text(folder, text or "", translation), name)
    predictor = load_folder(ZOO.find(model), device)
    return Seen(_recorded(predictor, text, picture, translation), name, picture)


def _recorded(
    predictor: Any, text: str | None, picture: "Image | None", translation: str | None
) -> Record:
    """A record of one of our models, with the words it was given."""
    if hasattr(predictor, "vocabularies"):
        return _translating(predictor, text or "", translation)
    if hasattr(predictor.model, "features") and hasattr(predictor, "stream"):
        return _continuing(predictor, text or "")
    with capture(predictor.model) as record:
        [sample] = predictor.predict([text if picture is None else picture], looks=True)
    found = getattr(sample, "tokens", None) or getattr(sample, "words", None) or ()
    return _described(record, tuple(map(str, found)))


def _translating(predictor: Any, text: str, translation: str | None) -> Record:
    """A translator that reads both sentences, all steps at once."""
    from regard.tasks.translation.evaluation.forced import forced

    if translation is None:
        [own] = predictor.translate([text])
        translation = own.text
    source, target = predictor.vocabularies
    with capture(predictor.model) as record:
        forced(predictor, [(text, translation)], asked="heads")
    read, written = tuple(source.pieces(text)), tuple(target.pieces(translation))
    ends = next((look.num_keys for look in record.looks if look.kind == "cross"), len(read))
    read = (*read, "(end)")[:ends]
    return record.describe(input=words([read]), target=words([("(start)", *written)]))


def _continuing(predictor: Any, text: str) -> Record:
    """A language model that reads a prompt, all at once."""
    ids = predictor.codec.encode(text).tolist()[-predictor.context :]
    device = next(predictor.model.parameters()).device
    with torch.no_grad(), capture(predictor.model) as record:
        predictor.model.features(torch.tensor([ids], device=device))
    return record.describe(input=words([predictor.codec.pieces(ids)]))


def _described(record: Record, tokens: tuple[str, ...]) -> Record:
    """The words, behind the place of a class token if there is one more."""
    looks = record.looks
    if not looks:
        raise ChoiceError("this model has no attention that could be shown")
    if not tokens:  # a picture, or a sample that does not say what was read
        return record
    if looks[0].num_keys == len(tokens) + 1:
        tokens = ("(class)", *tokens)
    return record.describe(input=words([tokens]))
