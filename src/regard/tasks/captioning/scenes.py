"""Pictures and captions as scenes: what a captioner sees and says."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from regard.decoding import Greedy
from regard.lens.scene import NOTHING, Ids, Scene
from regard.tasks.scenes import padded, side
from regard.types import Tensor

from ..seeing.scenes import AT_ONCE, chosen, pictures_of, places, shown
from .predictor import PictureCaptioner

if TYPE_CHECKING:
    from PIL.Image import Image


def scenes(predictor: PictureCaptioner, files: Iterable[str] | None) -> list[Scene]:
    """Pictures with the captions that the model itself writes; drawn ones if there are no files."""
    read = pictures_of(files)
    groups = (read[at : at + AT_ONCE] for at in range(0, len(read), AT_ONCE))
    return [_scene(predictor, group) for group in groups]


def _scene(predictor: PictureCaptioner, pictures: "Sequence[Image]") -> Scene:
    model, tokens = predictor.model, predictor.codec.tokens
    pixels = predictor.read(pictures)
    written = [list(one.hypothesis.tokens) for one in predictor.captions(pixels, Greedy())]
    given = [[tokens.bos, *row] for row in written]
    known = places(len(pixels), model.extent.height, model.extent.width)
    target = side(given, [tokens.pieces_of(row) for row in given], tokens.pad)

    def forward(ids: Ids) -> Tensor:
        seen = pixels[shown(ids["input"], known)].to(next(model.parameters()).device)
        looked = chosen(model.read(seen), ids["input"], known)
        found: Tensor = model.output(model.decode(looked, ids["target"]).features)
        return found

    wanted = padded([[*row, tokens.eos] for row in written], NOTHING)
    return Scene({"input": known, "target": target}, forward, wanted, causal=True, pad=tokens.pad)
