"""Twelve pictures of bright blobs with boxes, outlines and masks, as files."""

import json
import zipfile
from io import BytesIO

import numpy as np
from PIL import Image

COUNT, WIDTH, HEIGHT = 12, 48, 32
COLOURS = {"red": (220, 30, 30), "blue": (30, 30, 220)}


def blobs(number):
    """One or two rectangles: label, and edges in pixels."""
    chance = np.random.default_rng([7, number])
    found = []
    for half in range(int(chance.integers(1, 3))):
        left = int(chance.integers(half * 24, half * 24 + 8))
        top = int(chance.integers(0, 14))
        label = ("red", "blue")[int(chance.integers(2))]
        found.append((label, (left, top, left + 12, top + int(chance.integers(8, 16)))))
    return found


def written(folder):
    """images.zip, masks.zip, boxes.tsv and coco.json."""
    table, annotations = [], []
    with (
        zipfile.ZipFile(folder / "images.zip", "w") as images,
        zipfile.ZipFile(folder / "masks.zip", "w") as masks,
    ):
        for number in range(COUNT):
            pixels = np.full((HEIGHT, WIDTH, 3), 120, dtype=np.uint8)
            mask = np.full((HEIGHT, WIDTH), 5, dtype=np.uint8)
            fields = []
            for label, (left, top, right, bottom) in blobs(number):
                pixels[top:bottom, left:right] = COLOURS[label]
                mask[top:bottom, left:right] = 9
                shares = left / WIDTH, top / HEIGHT, right / WIDTH, bottom / HEIGHT
                fields.append(" ".join([label, *(f"{one:.5f}" for one in shares)]))
                box = [left, top, right - left, bottom - top]
                corners = [left, top, right, top, right, bottom, left, bottom]
                annotations.append(
                    {
                        "image_id": number,
                        "category_id": list(COLOURS).index(label),
                        "bbox": box,
                        "segmentation": [corners],
                    }
                )
            images.writestr(f"blob{number}.png", _png(pixels))
            masks.writestr(f"blob{number}.png", _png(mask))
            table.append("\t".join([f"blob{number}", *fields]))
    (folder / "boxes.tsv").write_text("\n".join(table) + "\n", encoding="utf-8")
    listed = [
        {"id": number, "file_name": f"blob{number}.png", "width": WIDTH, "height": HEIGHT}
        for number in range(COUNT)
    ]
    names = [{"id": number, "name": name} for number, name in enumerate(COLOURS)]
    content = {"images": listed, "categories": names, "annotations": annotations}
    (folder / "coco.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def _png(array):
    file = BytesIO()
    Image.fromarray(array).save(file, "PNG")
    return file.getvalue()
