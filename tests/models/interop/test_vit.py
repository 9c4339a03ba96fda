"""A ViT's logits are those of transformers, there and back."""

import pytest
import torch
from torch.testing import assert_close

from models.interop.theirs import back, ours_of, random_model, transformers
from regard.errors import ChoiceError
from regard.models.interop import imported

SIZES = {
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "image_size": [8, 12],
    "patch_size": 4,
    "num_labels": 5,
}


def vit(kind="ViTForImageClassification", **fields):
    config = transformers.ViTConfig(**{**SIZES, **fields})
    return random_model(getattr(transformers, kind), config)


def pictures():
    return torch.randn(2, 3, 8, 12, generator=torch.Generator().manual_seed(1)).double()


def test_logits_are_theirs_there_and_back():
    theirs, pixels = vit(layer_norm_eps=0.1), pictures()
    ours = ours_of(theirs)
    with torch.no_grad():
        wanted = theirs(pixels).logits
        assert_close(ours(pixels), wanted, atol=1e-9, rtol=1e-9)
        single = ours_of(theirs, torch.float32)(pixels.float())
        assert_close(single.double(), wanted, atol=1e-4, rtol=1e-4)
        assert_close(back(ours, "vit", theirs)(pixels).logits, wanted, atol=1e-12, rtol=0)


def test_files_of_earlier_versions_are_read_too():
    theirs = vit()
    older = {}
    for name, value in theirs.state_dict().items():
        name = name.replace("vit.layers.", "vit.encoder.layer.")
        for new, old in (("q_proj", "query"), ("k_proj", "key"), ("v_proj", "value")):
            name = name.replace(f"attention.{new}", f"attention.attention.{old}")
        name = name.replace("attention.o_proj", "attention.output.dense")
        older[name.replace("mlp.fc1", "intermediate.dense").replace("mlp.fc2", "output.dense")] = (
            value
        )
    assert not set(older) & {name for name in theirs.state_dict() if "layers" in name}
    settings = theirs.config.to_dict()
    found, wanted = imported(settings, older), imported(settings, theirs.state_dict())
    for name, value in wanted.weights.items():
        assert_close(found.weights[name], value, atol=0, rtol=0)


def test_a_model_without_labels_is_refused():
    theirs = vit("ViTModel")
    with pytest.raises(ChoiceError, match=r"the weights lack classifier.bias, classifier.weight"):
        imported(theirs.config.to_dict(), theirs.state_dict())
