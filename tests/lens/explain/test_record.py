"""An explanation as data: by name, in order, to JSON and back."""

import json

import pytest
import torch

from regard import explain, masks, scores
from regard.errors import ChoiceError, InputError
from regard.lens.explain import Explanation

QUERY = torch.tensor([[10.0, 5.0, 10.0], [1.0, 0.1, 0.3]], dtype=torch.float64)
KEYS = torch.tensor([[0, 1, 1], [5, 0, 1], [1, 1, 0], [0, 5, 1]], dtype=torch.float64)


def strict(text):
    """JSON as the standard has it, without Infinity and NaN."""

    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_steps_come_by_name_and_in_order():
    found = explain(QUERY, KEYS, mask="causal")
    assert [step.name for step in found] == [
        "query",
        "key",
        "value",
        "dot_products",
        "scores",
        "allowed",
        "masked_scores",
        "weights",
        "weighted_values",
        "context",
    ]
    assert found["context"].tensor is found.context
    assert "weights" in found
    assert "gradient_query" not in found


def test_an_unknown_step_is_answered_with_the_nearest():
    with pytest.raises(
        ChoiceError, match=r"no step 'weigths'. Did you mean 'weights'\? Here: query"
    ):
        explain(QUERY, KEYS)["weigths"]


def test_the_choices_are_told_as_they_are_written():
    found = explain(QUERY, KEYS, score=scores.Cosine(2.0), mask=masks.window(1, 0))
    assert (found.score, found.mask, found.normalise) == (
        "Cosine(scale=2.0)",
        "window(1, 0)",
        "softmax",
    )
    assert repr(found) == "Explanation(Cosine(scale=2.0), softmax, scores (2, 4))"
    assert repr(found["scores"]) == "Step(scores: s = β cos(q, k), (2, 4))"


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("leading", [(), (2, 3)])
def test_json_keeps_every_digit(dtype, leading):
    query, key = torch.randn(*leading, 2, 3, dtype=dtype), torch.randn(*leading, 4, 3, dtype=dtype)
    found = explain(query, key, mask="causal", gradients=True)
    again = Explanation.from_json(found.to_json())
    assert (again.score, again.mask, again.normalise) == (found.score, found.mask, found.normalise)
    for one, other in zip(found, again, strict=True):
        assert (one.name, one.stage, one.symbol, one.equation, one.axes, one.note) == (
            (other.name, other.stage, other.symbol, other.equation, other.axes, other.note)
        )
        assert one.tensor.dtype == other.tensor.dtype
        assert torch.equal(one.tensor, other.tensor)
    assert str(again) == str(found)
    assert again.to_html() == found.to_html()


def test_json_is_json_even_with_infinities():
    data = strict(explain(QUERY, KEYS, mask="causal").to_json(indent=2))
    steps = {step["name"]: step for step in data["steps"]}
    assert steps["masked_scores"]["values"][0][1] == "-inf"
    assert steps["allowed"]["values"][0] == [True, False, False, False]
    assert steps["query"]["axes"] == ["Q", "D"]


def test_not_a_number_survives_json():
    broken = KEYS.clone()
    broken[0, 0] = torch.nan
    found = explain(QUERY, broken)
    again = Explanation.from_json(json.dumps(strict(found.to_json())))
    assert again["key"].tensor.isnan().tolist() == broken.isnan().tolist()


def test_empty_tensors_keep_their_shape_in_json():
    found = explain(torch.zeros(2, 3), torch.zeros(0, 3), torch.zeros(0, 5))
    again = Explanation.from_json(found.to_json())
    assert [step.tensor.shape for step in again] == [step.tensor.shape for step in found]


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("{", "stops being JSON at line 1, column 2"),
        ("[1]", "says format 'regard explanation 1', this says 'list'"),
        ('{"format": "other"}', "this says 'other'"),
        ('{"format": "regard explanation 1"}', "damaged: KeyError"),
    ],
)
def test_other_text_is_refused(text, match):
    with pytest.raises(InputError, match=match):
        Explanation.from_json(text)


@pytest.mark.parametrize(
    ("field", "value"),
    [("stage", "elsewhere"), ("dtype", "int3"), ("shape", [9]), ("values", [["x"]])],
)
def test_a_damaged_step_is_refused(field, value):
    data = explain(QUERY, KEYS).to_dict()
    data["steps"][0][field] = value
    with pytest.raises(InputError, match="this explanation is damaged"):
        Explanation.from_dict(data)
