"""Tiny random models of ``transformers``, and what ours makes of the same weights."""

import pytest
import torch

from regard.models import build
from regard.models.interop import exported, imported

transformers = pytest.importorskip("transformers")

VOCAB = 23


def random_model(kind, config, seed=0):
    """One whose every parameter is random, biases and norms too."""
    torch.manual_seed(seed)
    model = kind(config).eval().double()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return model


def ours_of(model, dtype=torch.float64):
    """Our model with their weights."""
    found = imported(model.config.to_dict(), model.state_dict())
    ours = build(found.config).to(dtype).eval()
    ours.load_state_dict(found.weights)
    return ours


def back(ours, kind, theirs):
    """Their model, built anew from what ours says and holds."""
    found = exported(ours.config, ours.state_dict(), kind)
    fields = {name: value for name, value in found.settings.items() if name != "architectures"}
    made = type(theirs)(type(theirs.config)(**fields)).double().eval()
    missing, unexpected = made.load_state_dict(found.weights, strict=False)
    assert not unexpected
    made.tie_weights()
    tied = set(getattr(made, "all_tied_weights_keys", {}))
    assert {name for name in missing if not name.endswith("embed_positions.weight")} <= tied
    return made


def tokens(rows, width, *, low=3, seed=1):
    """Random token numbers."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(low, VOCAB, (rows, width), generator=generator)
