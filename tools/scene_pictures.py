"""The pictures of scenes, captions and answers on the pages about them.

``python tools/scene_pictures.py`` draws ``docs/pictures/scenes.png``: scenes with the boxes of
their things, as they are generated. With ``--captioner MODEL`` and ``--answerer MODEL``, names of
the zoo or folders of runs, it draws ``captions.png`` and ``answers.png``, too: where these looked.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw, ImageFont

from regard.data.scenes import Scene, Scenes

if TYPE_CHECKING:
    from regard.lens.pictures import PictureView

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
LARGER, ACROSS, TEXT, SPACE = 4, 4, 64, 16
SHOWN = (0, 1, 6, 9, 18, 19, 25, 30)


def sheet() -> Image.Image:
    """Some scenes side by side, each with the boxes of its things and a caption."""
    drawn = [_one(Scenes()[number]) for number in SHOWN]
    width, height = drawn[0].width + SPACE, drawn[0].height + SPACE
    rows = -(-len(drawn) // ACROSS)
    found = Image.new("RGB", (ACROSS * width + SPACE, rows * height + SPACE), "white")
    for number, one in enumerate(drawn):
        row, column = divmod(number, ACROSS)
        found.paste(one, (SPACE + column * width, SPACE + row * height))
    return found


def _one(scene: Scene) -> Image.Image:
    side = LARGER * scene.config.size
    found = Image.new("RGB", (side, side + TEXT), "white")
    found.paste(scene.picture.resize((side, side), Image.Resampling.NEAREST), (0, 0))
    pen = ImageDraw.Draw(found)
    for box in scene.boxes:
        pen.rectangle([LARGER * edge for edge in box], outline="white", width=2)
    for number, line in enumerate(wrap(scene.caption.text, 30)):
        pen.text((0, side + 4 + 20 * number), line, "black", ImageFont.load_default(16))
    return found


def captions(model: str) -> "Iterator[PictureView]":
    """Where each word of a caption looked, of scenes that were never trained on."""
    import regard

    captioner = regard.load(model)
    for scene in _test(lambda scene: len(scene.objects) == 2, 2):
        yield from captioner(scene, looks=True).views()


def answers(model: str) -> "Iterator[PictureView]":
    """Where the model looked for answers about scenes that were never trained on."""
    import regard

    answerer = regard.load(model)
    for scene in _test(lambda scene: len(scene.objects) == 3, 3):
        asked = next(one for one in scene.questions if one.kind in ("colour", "shape", "place"))
        yield from answerer(asked.text, scene, looks=True).views()


def _test(fits: Callable[[Scene], bool], count: int) -> Iterator[Scene]:
    found = (scene for scene in Scenes(split="test") if fits(scene))
    return (next(found) for _ in range(count))


def main() -> None:
    """Draw what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--captioner")
    parser.add_argument("--answerer")
    asked = parser.parse_args()
    sheet().save(FOLDER / "scenes.png", optimize=True)
    for name, make, model in (
        ("captions", captions, asked.captioner),
        ("answers", answers, asked.answerer),
    ):
        if model:
            from regard.lens.pictures import picture

            (FOLDER / f"{name}.png").write_bytes(picture(list(make(model)), "png"))


if __name__ == "__main__":
    main()
