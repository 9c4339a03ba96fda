"""The memory of parameters stays torch's own: FSDP frees and refills it in every pass."""

import pytest
import torch

from regard import attend, scores
from regard.models import build
from training.small import MODELS


def frozen(tensors):
    """Names of those whose memory cannot be resized any more; numpy's look at it is enough."""
    return [name for name, one in tensors if not one.untyped_storage().resizable()]


def test_what_numpy_has_seen_is_frozen():
    tensor = torch.randn(3)
    tensor.numpy()
    assert frozen([("seen", tensor), ("not seen", torch.randn(3))]) == ["seen"]


@pytest.mark.parametrize("name", MODELS)
def test_a_pass_of_a_model_freezes_no_parameter(name):
    preset, sizes = MODELS[name]
    model = build(preset, source_vocab=11, target_vocab=13, **sizes)
    source, target = torch.randint(11, (3, 5)), torch.randint(13, (3, 4))
    model(source, torch.tensor([5, 2, 3]), target).sum().backward()
    assert frozen(model.named_parameters()) == []


@pytest.mark.parametrize("normalise", ["softmax", "sparsemax", "entmax15"])
@pytest.mark.parametrize("score", ["dot", "additive"])
def test_attention_over_parameters_freezes_none(score, normalise):
    learned = {name: torch.randn(2, 300, 8, requires_grad=True) for name in ("q", "k", "v")}
    learned["w"] = torch.randn(8, requires_grad=True)
    value = scores.Additive(learned["w"]) if score == "additive" else scores.Dot()
    q, k, v, _ = learned.values()
    attend(3 * q, k, v, score=value, normalise=normalise).sum().backward()
    attend(q, k, v, score=value, normalise=normalise, path="stream").sum().backward()
    assert frozen(learned.items()) == []
