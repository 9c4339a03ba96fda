"""Where mechanisms live, and what their pages show of it."""

import pytest

from docs.homes import (
    REFERENCE,
    canonical,
    companions,
    documented,
    found,
    identifier,
    members,
    methods,
)
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


def test_every_package_has_a_page_of_the_reference(root):
    packages = {path.parent.name for path in (root / "src" / "regard").glob("*/__init__.py")}
    shown = {name.split(".")[1] for modules in REFERENCE.values() for name in modules}
    assert packages - shown == {"cli", "functional", "kernels"}
    assert {"scores", "normalisers", "masks", "errors"} <= shown


def test_no_object_is_shown_twice():
    modules = [module for modules in REFERENCE.values() for module in modules]
    shown = [canonical(path) for module in modules for path in companions(module)]
    assert len(shown) > 200
    assert len(shown) == len(set(shown))


def test_members_are_fields_properties_and_methods():
    assert members("regard.training.task.Fact") == ["what", "which"]
    shown = members("regard.zoo.Zoo")
    assert {"names", "default", "find", "load"} <= set(shown)
    assert not [name for name in shown if name.startswith("_")]
    assert members("regard.masks.Mask") == []


def test_names_that_are_loaded_late_are_shown_too():
    assert "regard.tasks.translation.Translator" in companions("regard.tasks.translation")
    assert "regard.lens.alignments.terminal" in companions("regard.lens.alignments")
