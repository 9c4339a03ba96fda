"""Patches against loops, against torch's unfold, and against Hugging Face's ViT."""

import pytest
import torch
from torch.nn.functional import unfold
from torch.testing import assert_close

from nn.vision.cases import draw, randomised
from reference import vision as reference
from regard.errors import ChoiceError, RangeError, ShapeError
from regard.nn.vision import PatchEmbedding


def test_tokens_equal_the_loops():
    module, images = randomised(PatchEmbedding(7, patch_size=(2, 3), channels=5)), draw(2, 5, 4, 9)
    weight, bias = module.patch_proj.weight.flatten(1).tolist(), module.patch_proj.bias.tolist()
    expected = [
        [reference.linear(weight, patch, bias) for patch in reference.patches(image, 2, 3)]
        for image in images.tolist()
    ]
    assert_close(module(images), torch.tensor(expected, dtype=torch.float64))


def test_tokens_equal_unfolded_patches_times_a_matrix():
    module, images = randomised(PatchEmbedding(7, patch_size=4)), draw(2, 3, 8, 12)
    columns = unfold(images, 4, stride=4).mT  # (B, N, C P P)
    expected = columns @ module.patch_proj.weight.flatten(1).T + module.patch_proj.bias
    assert_close(module(images), expected)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_class_tokens_come_first_and_start_as_zeros(count):
    module = PatchEmbedding(7, patch_size=4, num_class_tokens=count).double()
    images = draw(2, 3, 8, 12)
    assert not module(images)[:, :count].any()
    module = randomised(module)
    tokens = module(images)
    assert tokens.shape == (2, count + 6, 7)
    assert_close(tokens[:, :count], module.class_tokens.expand(2, -1, -1))
    plain = PatchEmbedding(7, patch_size=4).double()
    plain.patch_proj.load_state_dict(module.patch_proj.state_dict())
    assert_close(tokens[:, count:], plain(images))


def test_a_remainder_is_refused_or_padded_with_zeros():
    images = draw(2, 3, 7, 10)
    with pytest.raises(ShapeError, match=r"multiples of the patch, 4 × 4, got 7 × 10; .*'pad'"):
        PatchEmbedding(7, patch_size=4).double()(images)
    module = randomised(PatchEmbedding(7, patch_size=4, remainder="pad"))
    padded = torch.zeros(2, 3, 8, 12, dtype=torch.float64)
    padded[..., :7, :10] = images
    assert_close(module(images), module(padded))
    assert module.grid(7, 10) == (2, 3)
    assert module.grid(8, 12) == (2, 3)


def test_the_defaults_are_those_of_the_paper():
    module = PatchEmbedding(7)
    assert module.patch_proj.weight.shape == (7, 3, 16, 16)
    assert module(torch.zeros(1, 3, 32, 48)).shape == (1, 6, 7)


def test_an_image_size_is_held_to():
    module = PatchEmbedding(7, patch_size=4, image_size=(8, 12))
    assert module(torch.zeros(2, 3, 8, 12)).shape == (2, 6, 7)
    with pytest.raises(ShapeError, match="needs images of 8 × 12, got 12 × 8; resize them"):
        module(torch.zeros(2, 3, 12, 8))


def test_mistakes_are_answered_in_one_sentence(without_shape_checks):
    with pytest.raises(ShapeError, match=r"images \(B, 3, height, width\), got \(2, 1, 8, 8\)"):
        PatchEmbedding(7, patch_size=4)(torch.zeros(2, 1, 8, 8))
    with pytest.raises(ShapeError, match="multiples of the patch, 16 × 16, got 30 × 30"):
        PatchEmbedding(7, image_size=30)
    with pytest.raises(RangeError, match="PatchEmbedding needs patch_width of at least 1, got 0"):
        PatchEmbedding(7, patch_size=(2, 0))
    with pytest.raises(RangeError, match="needs num_class_tokens of at least 1, got -1"):
        PatchEmbedding(7, num_class_tokens=-1)
    with pytest.raises(ChoiceError, match=r"unknown remainder 'crop'\. Known: pad, refuse\."):
        PatchEmbedding(7, remainder="crop")


def test_tokens_equal_those_of_hugging_face():
    pytest.importorskip("transformers")
    from transformers import ViTConfig
    from transformers.models.vit.modeling_vit import ViTEmbeddings

    config = ViTConfig(
        image_size=12, patch_size=4, num_channels=3, hidden_size=6, hidden_dropout_prob=0.0
    )
    theirs = ViTEmbeddings(config).double().eval()
    ours = PatchEmbedding(6, patch_size=4, image_size=12, num_class_tokens=1).double()
    with torch.no_grad():
        theirs.position_embeddings.normal_()
        ours.class_tokens.copy_(theirs.cls_token[0])
    ours.patch_proj.load_state_dict(theirs.patch_embeddings.projection.state_dict())
    images = draw(2, 3, 12, 12)
    assert_close(ours(images)[:, 1:], theirs.patch_embeddings(images))
    assert_close(ours(images) + theirs.position_embeddings, theirs(images))
