"""A record is plain data: a mapping of names to looks, readable, and JSON."""

import json

import pytest
import torch

from regard.errors import ChoiceError
from regard.functional.events import Attended, StoredWeights
from regard.lens import Record


def record_of(**weights):
    """A record with these weights, one list of maps per name."""
    record = Record()
    for name, maps in weights.items():
        for each in maps:
            record.add(name, StoredWeights(torch.as_tensor(each)))
    return record


ONE, TWO = [[0.25, 0.75], [1.0, 0.0]], [[0.5, 0.5]]


def test_a_record_is_a_mapping_in_the_order_of_looking():
    record = record_of(b=[ONE], a=[TWO])
    assert list(record) == ["b", "a"]
    assert len(record) == 2
    assert "a" in record
    assert "c" not in record
    assert [entry.name for entry in record.values()] == ["b", "a"]
    assert repr(record) == "Record('b': once (2, 2), 'a': once (1, 2))"


def test_one_look_is_the_map_itself():
    assert record_of(a=[ONE])["a"].weights.tolist() == ONE


def test_several_looks_are_rows_of_one_map():
    assert record_of(a=[ONE, TWO])["a"].weights.tolist() == ONE + TWO


def test_weights_read_between_looks_grow_with_them():
    record = record_of(a=[ONE])
    assert record["a"].weights.tolist() == ONE
    record.add("a", StoredWeights(torch.tensor(TWO)))
    assert record["a"].weights.tolist() == ONE + TWO


def test_looks_at_different_keys_have_no_one_map():
    entry = record_of(a=[ONE, [[1.0]]])["a"]
    with pytest.raises(ChoiceError, match=r"'a' looked 2 times at different numbers of keys, so"):
        _ = entry.weights
    assert entry.looks[1].weigh().tolist() == [[1.0]]


def test_an_unknown_name_is_told_with_those_captured():
    with pytest.raises(ChoiceError, match=r"no attention of the name 'c' .* Captured: 'a', 'b'\."):
        _ = record_of(a=[ONE], b=[TWO])["c"]


def test_an_empty_record_says_so():
    with pytest.raises(ChoiceError, match="Captured: none: no attention module was called"):
        _ = Record()["a"]


def test_rows_may_be_steps():
    entry = record_of(a=[ONE, TWO])["a"]
    assert entry.weigh(rows=2).tolist() == TWO[0]
    assert entry.weigh(rows=slice(1, 3)).tolist() == [ONE[1], TWO[0]]


@pytest.mark.parametrize("rows", [None, 1, slice(0, 2), [2, 0]])
@pytest.mark.parametrize("heads", [None, 1, slice(0, 2), [1, 0]])
def test_known_weights_and_recomputed_ones_are_picked_alike(rows, heads):
    look = Attended(torch.randn(2, 3, 5, 7), torch.randn(2, 3, 4, 7))
    picked = StoredWeights(look.weigh()).weigh(rows, heads)
    torch.testing.assert_close(picked, look.weigh(rows, heads))


def test_json_holds_every_look():
    read = json.loads(json.dumps(record_of(a=[ONE, TWO], b=[ONE]).to_json()))
    assert read == {
        "a": {"name": "a", "shapes": [[2, 2], [1, 2]], "weights": [ONE, TWO]},
        "b": {"name": "b", "shapes": [[2, 2]], "weights": [ONE]},
    }


@pytest.mark.parametrize("recomputed", [True, False])
def test_json_of_a_large_map_holds_its_first_entries_and_says_so(recomputed):
    look = Attended(torch.randn(2, 3, 50, 7), torch.randn(2, 3, 40, 7))
    record, whole = Record(), look.weigh()
    record.add("a", look if recomputed else StoredWeights(whole))
    read = json.loads(json.dumps(record.to_json(most=2 * 3 * 13 * 10)))["a"]
    assert read["shapes"] == [[2, 3, 50, 40]]
    assert read["note"] == "look 0: the first [2, 3, 13, 10] of [2, 3, 50, 40]"
    torch.testing.assert_close(torch.tensor(read["weights"][0]), whole[:, :, :13, :10])


def test_json_shares_its_numbers_out_among_the_looks():
    record = record_of(a=[ONE, TWO, ONE])
    read = record["a"].to_json(most=6)
    assert read["weights"] == [ONE[:1], TWO, ONE[:1]]
    assert read["note"].startswith("look 0: the first [1, 2] of [2, 2]; look 2: ")


def test_half_precision_becomes_json():
    record = Record()
    record.add("a", StoredWeights(torch.tensor(ONE, dtype=torch.bfloat16)))
    assert json.loads(json.dumps(record.to_json()))["a"]["weights"] == [ONE]
