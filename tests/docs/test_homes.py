"""Where mechanisms live, and what their pages show of it."""

import pytest

from docs.homes import canonical, companions, documented, found, identifier, methods
from regard.catalogue import CATALOGUE, Mechanism

ROWS = [row for rows in CATALOGUE.values() for row in rows]


def living_at(home: str) -> Mechanism:
    return Mechanism("name", "equation", "cost", "paper", "https://", home)


def test_a_class_or_a_function_describes_itself():
    assert identifier(living_at("regard.scores.Additive")) == "regard.scores.Additive"
    assert identifier(living_at("regard.masks.causal")) == "regard.masks.causal"
    assert identifier(living_at('regard.attend(x, x, x, score="dot")')) == "regard.attend"


def test_a_value_is_described_by_its_class():
    assert identifier(living_at("regard.normalisers.softmax")) == "regard.normalisers.Softmax"


def test_a_home_that_does_not_exist_is_an_error():
    with pytest.raises(AttributeError, match="NoSuchAttention"):
        identifier(living_at("regard.nn.NoSuchAttention"))


def test_every_mechanism_is_documented_where_its_object_is_defined():
    pages = documented()
    assert [row.name for row in ROWS if canonical(identifier(row)) not in pages] == []
    assert pages["regard.functional.scores.additive.Additive"] == "regard.scores.Additive"


def test_methods_are_those_a_user_calls_inherited_ones_too():
    shown = methods("regard.nn.BahdanauAttention")
    assert {"prepare", "forward", "contexts"} <= set(shown)
    assert not {"project_keys", "score", "attend", "extra_repr", "state_dict"} & set(shown)
    assert all(callable(getattr(found("regard.nn.BahdanauAttention"), name)) for name in shown)


def test_values_of_the_engine_show_no_methods():
    assert methods("regard.scores.Additive") == []
    assert methods("regard.masks.causal") == []


def test_companions_are_public_ours_and_no_mechanism():
    beside = companions("regard.cells")
    assert "regard.cells.Recurrent" in beside
    assert not {"regard.cells.GRU", "regard.cells.Any", "regard.cells.gru"} & set(beside)
    assert "regard.lens.capture" not in companions("regard.lens")
    assert "regard.cells.recurrent.Recurrent" in documented()
