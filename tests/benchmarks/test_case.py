import json

import torch

from benchmarks.case import Case, both_passes
from benchmarks.inputs import make_inputs, make_lengths


def test_a_case_survives_json():
    case = Case("window", (2, 3, 5, 7), mask="around", backward=True, window=11, seed=13)
    assert Case.from_json(json.loads(json.dumps(case.to_json()))) == case


def test_a_case_says_what_it_is():
    assert Case("softmax", (2, 3, 5, 7), mask="causal").title == "softmax, causal"
    assert Case("window", (2, 3, 5, 7), mask="back", window=11).title == "window, 11 back"
    assert Case("softmax", (2, 3, 5, 7)).title == "softmax"
    assert Case("softmax", (2, 3, 5, 7)).size == "2×3×5×7"
    assert [case.work for case in both_passes(Case("softmax", (2, 3, 5, 7)))] == [
        "forward",
        "forward + backward",
    ]


def test_another_size_changes_n_only():
    assert Case("softmax", (2, 3, 5, 7), seed=1).at(11) == Case("softmax", (2, 3, 11, 7), seed=1)


def test_lengths_go_from_half_to_all():
    assert make_lengths(3, 100).tolist() == [50, 75, 100]
    assert make_lengths(1, 100).tolist() == [75]


def test_the_same_case_gives_the_same_inputs_and_gradients_only_when_asked():
    forward, both = both_passes(Case("additive", (2, 3, 5, 7)))
    first, second = make_inputs(forward), make_inputs(both)
    assert torch.equal(first.query, second.query.detach())
    assert torch.equal(first.parameters["v"], second.parameters["v"].detach())
    assert not any(leaf.requires_grad for leaf in first.leaves)
    assert all(leaf.requires_grad for leaf in second.leaves)
    assert first.query.shape == (2, 3, 5, 7)


def test_a_layer_gets_one_sequence_of_model_width():
    inputs = make_inputs(Case("layer", (2, 3, 5, 7)))
    assert inputs.query.shape == (2, 5, 21)
    assert inputs.key is inputs.query
    assert inputs.parameters["in_weight"].shape == (63, 21)
