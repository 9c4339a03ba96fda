"""Pictures as scenes: what is swapped is swapped, what is left out is not there."""

from itertools import islice

import pytest
import torch

import regard
from regard.data.scenes import Scenes
from regard.lens.census import census
from regard.lens.doctor import doctor
from regard.lens.faithfulness import faithfulness
from regard.tasks.scenes import scenes_of

PICTURES = [one.picture for one in islice(Scenes(seed=3, split="test"), 3)]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    for number, one in enumerate(PICTURES):
        one.save(folder / f"{number}.png")
    return [str(folder / f"{number}.png") for number in range(3)]


@pytest.fixture(scope="module")
def captioner(files):
    predictor = regard.load("scene-captioner")
    return predictor, scenes_of("captioning", predictor, files)[0]


@torch.no_grad()
def test_a_caption_is_the_models_own_and_other_numbers_are_other_pictures(captioner):
    predictor, scene = captioner
    there = scene.wanted != -100
    assert bool((scene.run().argmax(-1) == scene.wanted)[there].all())
    swapped = scene.run(input=scene.ids["input"][[1, 2, 0]])
    target = scene.ids["target"]
    expected = predictor.model(predictor.read([PICTURES[n] for n in (1, 2, 0)]), target)
    torch.testing.assert_close(swapped, expected, rtol=1e-4, atol=1e-4)


def test_a_captioner_is_examined_and_explained_place_by_place(captioner, files):
    predictor, scene = captioner
    found = census(predictor.model, [scene], important=False)
    assert {one.module for one in found.heads} == {"looking.attention"}
    assert "coverage" not in {row.role for row in found.named}
    assert not doctor(predictor.model, scene).of("broken")
    (alone,) = scenes_of("captioning", predictor, files[:1])
    told = faithfulness(predictor.model, alone, row=1)
    assert told.target.startswith(f"ln p({alone.sides['target'].texts[0][2]}) = ")
    assert told.tokens[:2] == ("0,0", "0,1")
    assert len(told.tokens) == 64
    assert float(told["left out"].abs().max()) > 0


def test_gates_of_a_classifier_of_pictures_are_examined(files):
    predictor = regard.load("fashion-classifier")
    scenes = scenes_of("image-classification", predictor, files)
    found = census(predictor.model, scenes, roles=["constant gate", "saturated gate"])
    assert len(found.heads) == 4
    assert not doctor(predictor.model, scenes[0]).of("broken")
