"""Links by what weights carry, and by what they are worth; by the mean of chosen heads."""

from itertools import pairwise

import pytest
import torch

from regard.errors import ChoiceError
from regard.lens import WithWeights, attention_modules, capture, edit
from regard.measures import Head, best_head
from regard.measures.alignment_heads import best_rule
from regard.tasks.translation.evaluation import EVALUATION, LinkedPair, every_head, teacher_forced
from regard.tasks.translation.evaluation.alignments import weights_of
from regard.tasks.translation.evaluation.systems import by_heads
from tasks.translation.evaluation.phrases import GOLD, SOURCES, TEXTS, bahdanau, transformer

PAIRS = [LinkedPair(*one) for one in zip(SOURCES[:2], TEXTS, GOLD, strict=False)]


def read(translator, by):
    (one,) = teacher_forced(translator, [PAIRS[0][:2]], asked="heads", by=by)
    return one.weights


def test_value_norms_are_those_of_what_one_head_writes_of_one_key():
    translator = transformer()
    weights, found = read(translator, "attention"), read(translator, "value-norm")
    crosses = [name for name in attention_modules(translator.model) if name.endswith("cross")]
    with torch.no_grad(), capture(translator.model, crosses) as record:
        list(teacher_forced(translator, [PAIRS[0][:2]]))
    for layer, name in enumerate(crosses):
        value = record[name].looks[0].value[0]  # (H, S, E)
        matrix = translator.model.get_submodule(name).output_proj.weight.detach()
        heads, _, width = value.shape
        for head in range(heads):
            for key in range(found.shape[-1]):
                alone = torch.zeros(heads * width)
                alone[head * width : (head + 1) * width] = value[head, key]
                size = float((matrix @ alone).norm())
                expected = weights[layer, head, :, key] * size
                torch.testing.assert_close(found[layer, head, :, key], expected)


def test_gradients_are_the_change_of_the_prediction_with_each_weight():
    translator = transformer()
    translator.model.double()
    found, weights = read(translator, "gradient"), read(translator, "attention")
    name = next(name for name in attention_modules(translator.model) if name.endswith("cross"))
    for head, step, key in ((0, 0, 1), (1, 2, 0), (2, 3, 2)):
        ends = []
        for nudge in (1e-2, -1e-2):  # ln p is of single precision
            changed = weights[0].clone()
            changed[head, step, key] += nudge
            with edit(translator.model, WithWeights(name, changed[None])):
                (one,) = teacher_forced(translator, [PAIRS[0][:2]])
            ends.append(one.log_prob)
        slope = (ends[0] - ends[1]) / 2e-2
        expected = max(0.0, slope * float(weights[0, head, step, key]))
        assert float(found[0, head, step, key]) == pytest.approx(expected, rel=5e-3, abs=1e-5)


def test_the_model_learns_nothing_of_it():
    translator = transformer()
    before = [one.requires_grad for one in translator.model.parameters()]
    read(translator, "gradient")
    assert [one.requires_grad for one in translator.model.parameters()] == before
    assert all(one.grad is None for one in translator.model.parameters())


def test_a_model_without_heads_at_its_source_has_weights_alone():
    with pytest.raises(ChoiceError, match="links by value-norm need heads"):
        read(bahdanau(), "value-norm")


def test_named_heads_link_as_they_do_alone_and_the_best_is_found_first():
    translator = transformer()
    every = every_head(translator, PAIRS, by="value-norm")
    best = best_head(every)
    said = EVALUATION(by_heads=("1.2+1",), best_heads=2, link_scores="value-norm")
    (name, own), *found = by_heads(translator, "t", said, PAIRS)
    assert name == "t, 1.2+1 by value-norm"
    assert own == every[Head(1, 2, 1)]
    assert found[0][0].startswith(f"t, best: {best.layer}.{best.head}")
    assert found[0][1].aer == every[best].aer
    assert all(later[1].aer < before[1].aer for before, later in pairwise(found))
    (both,) = by_heads(translator, "t", EVALUATION(by_heads=("0.1", "1.0+1")), PAIRS)
    mean = best_rule(
        weights_of(translator, PAIRS), {"": said.chosen_rule()}, [Head(0, 1), Head(1, 0, 1)]
    )
    assert both[1] == mean[""]


def test_heads_that_are_none_are_refused():
    with pytest.raises(ChoiceError, match=r"needs layer\.head, such as 3\.0 or 5\.2\+1, got 'x'"):
        EVALUATION(by_heads=("x",)).chosen_heads()
    with pytest.raises(ChoiceError, match=r"layers 0 to 1 of heads 0 to 2, got --by-heads 2\.0"):
        list(by_heads(transformer(), "t", EVALUATION(by_heads=("2.0",)), PAIRS))
