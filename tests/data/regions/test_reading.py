"""Tables, COCO's JSON, run lengths, outlines and masks in files."""

import gzip
import json
import zipfile
from io import BytesIO

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from reference import regions as reference
from regard.data.regions import MaskStore, Region, RunLengths, read_coco, read_names, read_table
from regard.data.regions.raster import classes_of, pixels_of
from regard.data.regions.rle import compressed, encoded, run_lengths
from regard.errors import InputError


def written(folder, text, name="table.tsv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_table_has_a_name_and_a_field_for_every_object(tmp_path):
    path = written(tmp_path, "a\tRBC 0.1 0.2 0.3 0.4\tlong name 0 0 1 1\n\nb.png\n")
    one, other = read_table(path)
    assert one.name == "a"
    assert one.regions == (Region("RBC", (0.1, 0.2, 0.3, 0.4)), Region("long name", (0, 0, 1, 1)))
    assert (other.name, other.regions) == ("b.png", ())
    assert [one.name for one in read_names(written(tmp_path, "x\t1\t2\ny\t-\n"))] == ["x", "y"]


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("RBC 0.1 0.2 0.3", "needs to be 'CLASS xmin ymin xmax ymax'"),
        ("RBC 0.5 0.2 0.3 0.4", "xmin < xmax"),
        ("RBC 0 0 nan 1", "xmin < xmax"),
        ("RBC 0 0 320 240", "shares of the picture, from 0 to 1.*divide pixels"),
    ],
)
def test_a_field_that_is_no_box_is_named_by_its_line(tmp_path, field, said):
    with pytest.raises(InputError, match=rf"line 2.*{said}"):
        list(read_table(written(tmp_path, f"a\nb\t{field}\n")))


def coco(**changes):
    content = {
        "images": [{"id": 7, "file_name": "a.jpg", "width": 20, "height": 10}],
        "categories": [{"id": 3, "name": "cat"}],
        "annotations": [
            {
                "id": 1,
                "image_id": 7,
                "category_id": 3,
                "bbox": [2, 1, 10, 5],
                "segmentation": [[2, 1, 12, 1, 12, 6, 2, 6]],
            },
            {"id": 2, "image_id": 7, "category_id": 3, "bbox": [0, 0, 20, 10], "iscrowd": 1},
        ],
    }
    return content | changes


def test_coco_has_boxes_and_outlines_in_pixels(tmp_path):
    (one,) = read_coco(written(tmp_path, json.dumps(coco()), "a.json"))
    (region,) = one.regions  # crowds are left out
    assert (one.name, region.label) == ("a.jpg", "cat")
    assert region.edges == (0.1, 0.1, 0.6, 0.6)
    assert pixels_of(region.outline, 10, 20).nonzero().amin(dim=0).tolist() == [1, 2]
    assert int(pixels_of(region.outline, 10, 20).sum()) == 50
    packed = tmp_path / "a.json.gz"
    packed.write_bytes(gzip.compress(json.dumps(coco()).encode()))
    assert read_coco(str(packed)) != [] and read_coco(str(packed))[0].regions == one.regions


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"images": None}, "needs a list of images, got NoneType"),
        ({"images": [{"id": 1}]}, "images number 0 needs file_name, width, height"),
        ({"categories": []}, "an image or a category that is not listed"),
        (
            {"annotations": [{"image_id": 7, "category_id": 3, "bbox": "no"}]},
            r"needs bbox \[x, y, width, height\]",
        ),
        (
            {
                "annotations": [
                    {
                        "image_id": 7,
                        "category_id": 3,
                        "bbox": [0, 0, 1, 1],
                        "segmentation": {"size": [2, 2], "counts": [1, 2]},
                    }
                ]
            },
            "need to fill 2 × 2 pixels, got 3 of 4",
        ),
    ],
)
def test_json_of_another_form_is_answered_in_a_sentence(tmp_path, change, said):
    with pytest.raises(InputError, match=said):
        read_coco(written(tmp_path, json.dumps(coco(**change)), "a.json"))
    with pytest.raises(InputError, match="needs to be JSON"):
        read_coco(written(tmp_path, "{", "b.json"))
    with pytest.raises(InputError, match="cannot be read"):
        read_coco(str(tmp_path / "none.json"))


MASKS = st.integers(1, 7).flatmap(
    lambda h: st.lists(st.lists(st.booleans(), min_size=h, max_size=h), min_size=1, max_size=9)
)


@given(MASKS)
def test_run_lengths_come_and_go(rows):
    mask = torch.tensor(rows)
    found = encoded(mask)
    assert list(found.counts) == reference.run_lengths(rows)
    assert torch.equal(found.mask(), mask)
    again = run_lengths(found.height, found.width, compressed(found))
    assert again == found
    assert run_lengths(found.height, found.width, list(found.counts)) == found


def test_compressed_run_lengths_are_those_of_pycocotools():
    # pycocotools.mask.encode of a 6 × 8 mask with ones in [1:4, 2:7], and of one of 300 × 300 with
    # ones in [20:280, 50:250]: written down from its output.
    small = torch.zeros(6, 8, dtype=torch.bool)
    small[1:4, 2:7] = True
    assert list(encoded(small).counts) == [13, 3, 3, 3, 3, 3, 3, 3, 3, 3, 8]
    pycoco = pytest.importorskip("pycocotools.mask")
    large = torch.zeros(300, 300, dtype=torch.bool)
    large[20:280, 50:250] = True
    for mask in (small, large):
        theirs = pycoco.encode(np.asfortranarray(mask.numpy().astype(np.uint8)))["counts"]
        assert compressed(encoded(mask)) == theirs.decode()


def test_damaged_run_lengths_are_answered_in_a_sentence():
    for counts, said in [("1é", "no letter"), ("P", "cut short"), (3, "numbers or text")]:
        with pytest.raises(InputError, match=said):
            run_lengths(2, 2, counts, "here")


@pytest.mark.parametrize(
    ("size", "counts", "said"),
    [
        ((10**6, 10**6), [10**12], "may have 67,108,864 pixels, and this one says it has more"),
        ((-2, -2), [4], "says it has more"),
        ((2, 2), "o" * 1_000_000, "more than 60 bits"),
    ],
)
def test_run_lengths_of_no_picture_take_neither_memory_nor_time(size, counts, said):
    with pytest.raises(InputError, match=said):
        run_lengths(*size, counts, "here")


INF = float("inf")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"bbox": [float("nan"), 0, 1, 1]}, "needs bbox"),
        ({"bbox": [0, 0, 10**400, 1]}, "needs bbox"),
        ({"segmentation": [[0, 0, 1, 0, INF, 1]]}, "neither polygons"),
        ({"segmentation": {"size": [INF, 1], "counts": [1]}}, "neither polygons"),
        ({"image_id": []}, "needs a number as image_id"),
    ],
)
def test_numbers_that_are_none_are_answered_in_a_sentence(tmp_path, change, said):
    one = {"image_id": 7, "category_id": 3, "bbox": [0, 0, 1, 1]} | change
    with pytest.raises(InputError, match=said):
        read_coco(written(tmp_path, json.dumps(coco(annotations=[one])), "a.json"))


def test_later_outlines_lie_over_earlier_ones():
    left = ((0.0, 0.0), (0.5, 0.0), (0.5, 1.0), (0.0, 1.0))
    top = ((0.0, 0.0), (1.0, 0.0), (1.0, 0.5), (0.0, 0.5))
    found = classes_of([(1, (left,)), (2, (top,))], 4, 6)
    assert found.tolist() == [[2] * 6] * 2 + [[1, 1, 1, 0, 0, 0]] * 2
    lengths = RunLengths(2, 2, (2, 2))  # the right column, at twice the size
    assert pixels_of(lengths, 4, 4).tolist() == [[False, False, True, True]] * 4


def png(array, mode=None):
    file = BytesIO()
    picture = Image.fromarray(array)
    if mode == "P":
        picture.putpalette([value for colour in range(256) for value in (255 - colour, 0, colour)])
    picture.save(file, "PNG")
    return file.getvalue()


def test_masks_are_numbers_whatever_colours_a_palette_gives_them(tmp_path):
    numbers = np.array([[1, 2, 3], [3, 2, 0]], dtype=np.uint8)
    with zipfile.ZipFile(tmp_path / "masks.zip", "w") as archive:
        archive.writestr("grey.png", png(numbers))
        archive.writestr("palette.png", png(numbers, "P"))
        archive.writestr("colours.png", png(np.zeros((2, 3, 3), dtype=np.uint8)))
    store = MaskStore(tmp_path / "masks.zip")
    for name in ("grey", "grey.jpg", "palette"):
        assert store.mask(name).tolist() == numbers.tolist()
    with pytest.raises(InputError, match="one number a pixel"):
        store.mask("colours")
    with pytest.raises(InputError, match="needs a picture of the name"):
        store.mask("none")
