import json
import math
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.errors import DamagedError, DtypeError
from regard.storage.tensors import Packed, pack, unpack

leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
keys = st.text() | st.integers() | st.sampled_from(["$tuple", "$dict", "$"])
states = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(keys, inner, max_size=5)
    ),
    max_leaves=8,
)


def there_and_back(state):
    packed = pack(state)
    text = json.dumps(packed.data, allow_nan=False)
    return unpack(Packed(json.loads(text), packed.tensors), source="state")


@settings(max_examples=60)
@given(states)
def test_a_state_comes_back_as_it_was_types_and_signs_included(state):
    assert repr(there_and_back(state)) == repr(state)  # repr tells 1 from 1.0 from True, -0 from 0


def test_tensors_are_named_by_their_place():
    momentum, step = torch.ones(2, 3), torch.tensor(5.0)
    packed = pack({"state": {0: {"step": step, "exp_avg": momentum}}})
    assert packed.tensors == {"state.0.step": step, "state.0.exp_avg": momentum}


def test_two_places_of_one_name_are_two_tensors():
    back = there_and_back({"a.b": torch.tensor(2), "a": {"b": torch.tensor(3)}})
    assert back["a.b"].item() == 2
    assert back["a"]["b"].item() == 3


def test_a_counter_stays_a_counter():
    back = there_and_back(Counter({2: 1, 5: 3}))
    assert type(back) is Counter
    assert back == {2: 1, 5: 3}


def test_not_a_number_stays_none():
    assert math.isnan(there_and_back([math.nan])[0])


@pytest.mark.parametrize("value", [np.float64(2.0), {1, 2}, object(), b"x", lambda: 0])
def test_what_cannot_be_stored_is_refused_with_its_place(value):
    with pytest.raises(DtypeError, match=r"got a \S+ at optimizer\.0\.lr; convert it"):
        pack({"optimizer": [{"lr": value}]})


@pytest.mark.parametrize("data", [{"$tensor": "lost"}, {"$new": 1}, {"$tuple": 3}, {"$dict": [1]}])
def test_halves_that_do_not_fit_are_refused(data):
    with pytest.raises(DamagedError, match=r"^there is damaged: its two halves do not fit"):
        unpack(Packed(data, {}), source="there")
