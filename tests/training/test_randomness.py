import json
import random

import numpy as np
import pytest
import torch

from regard.errors import ChoiceError
from regard.training import randomness
from regard.training.state_tree import Packed, pack, unpack


def draws(generator):
    return [
        random.random(),
        random.gauss(0, 1),
        np.random.random(),
        np.random.normal(),
        torch.rand(3).tolist(),
        torch.rand(3, generator=generator).tolist(),
    ]


def test_every_source_goes_on_from_where_it_stood_even_between_two_gaussians():
    generator = torch.Generator().manual_seed(2)
    random.gauss(0, 1)  # each of these keeps the second of two numbers for later
    np.random.normal()
    state = randomness.capture({"data": generator})
    first = draws(generator)
    assert draws(generator) != first
    packed = pack(state)
    stored = Packed(json.loads(json.dumps(packed.data)), packed.tensors)
    randomness.restore(unpack(stored, source="here"), {"data": generator})
    assert draws(generator) == first


def test_what_was_captured_does_not_move_with_its_source():
    generator = torch.Generator().manual_seed(2)
    state = randomness.capture({"data": generator})
    first = draws(generator)
    randomness.restore(state, {"data": generator})
    assert draws(generator) == first


def test_other_generators_are_refused_before_anything_is_put_back():
    state = randomness.capture({"data": torch.Generator()})
    torch.manual_seed(5)
    expected = torch.rand(2, generator=torch.Generator().manual_seed(5))
    with pytest.raises(ChoiceError, match=r"needs generators \['data'\], got \['noise'\]"):
        randomness.restore(state, {"noise": torch.Generator()})
    assert torch.equal(torch.rand(2), expected)
