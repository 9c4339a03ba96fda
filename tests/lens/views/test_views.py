"""Views of a record: which look, which head, in which words; and as numbers."""

import numpy as np
import pytest
import torch

from regard.errors import ChoiceError, RangeError, ShapeError
from regard.functional.events import Attended, StoredWeights
from regard.functional.scores import Alibi, ScaledDot
from regard.lens import Record
from regard.lens.inputs import Inputs, Side, words
from regard.lens.views import (
    alignments,
    array,
    chosen,
    gates,
    heads,
    matrices,
    over_picture,
    running_text,
    steps,
)

WORDS = ("the", "black", "cat", "ate", "mice")


def drawn(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


@pytest.fixture
def record():
    """Two layers of three heads that look at a text, then across to another one."""
    found = Record()
    theirs = words([("le", "chat", "noir")])
    found.passes.append(Inputs({"input": words([WORDS]), "target": theirs}))
    for name in ("encoder.0", "encoder.1"):
        q, k, v = drawn(1, 3, 5, 4), drawn(1, 3, 5, 4) + 1, drawn(1, 3, 5, 2)
        found.add(name, Attended(q, k, ScaledDot() + Alibi(3), value=v))
    q, k = drawn(1, 3, 3, 4), drawn(1, 3, 5, 4)
    found.add("decoder.cross", Attended(q, k, kind="cross"))
    return found


def test_an_alignment_is_across_where_there_is_anything_across(record):
    [view] = alignments(record, head=1)
    assert (view.source, view.target) == (WORDS, ("le", "chat", "noir"))
    expected = record["decoder.cross"].looks[0].weigh()[0, 1]
    np.testing.assert_allclose(view.rows, expected, atol=1e-6)
    assert view.title.startswith("decoder.cross, not checked, head 1")


def test_a_module_may_be_named_in_part_and_a_layer_from_the_end(record):
    [view] = alignments(record, module="encoder", layer=0)
    assert view.target == WORDS
    mean = record["encoder.0"].looks[0].weigh()[0].mean(dim=0)
    np.testing.assert_allclose(view.rows, mean, atol=1e-6)
    assert [look.name for look in chosen(record, layer=-1)] == ["encoder.1"]


def test_matrices_are_all_heads_of_a_layer_or_one(record):
    assert [view.title[-6:] for view in matrices(record)] == ["head 0", "head 1", "head 2"]
    [one] = matrices(record, layer=0, head=2)
    expected = record["encoder.0"].looks[0].weigh()[0, 2]
    np.testing.assert_allclose(one.rows, expected, atol=1e-6)


def test_heads_are_all_maps_at_a_glance(record):
    views = heads(record)
    assert [view.title.partition(",")[0] for view in views] == [
        "encoder.0",
        "encoder.1",
        "decoder.cross",
    ]
    assert all(len(view.panels) == 3 for view in views)
    expected = record["encoder.1"].looks[0].weigh()[0, 2].double()
    torch.testing.assert_close(views[1].panels[2].heat, expected)


def test_running_text_is_looked_at_by_one_word_or_by_all(record):
    weights = record["encoder.1"].looks[0].weigh()[0, 0]
    view = running_text(record, head=0, word=3)
    assert (view.source, view.target) == (WORDS, ("ate",))
    np.testing.assert_allclose(view.rows[0], weights[3], atol=1e-6)
    every = running_text(record, head=0)
    np.testing.assert_allclose(every.rows[0], weights.mean(dim=0), atol=1e-6)


def test_steps_are_the_numbers_of_one_row_positions_included(record):
    look = record["encoder.1"].looks[0]
    found = steps(record, head=2, word=1, module="encoder")
    torch.testing.assert_close(found.weights[0], look.weigh()[0, 2, 1])
    torch.testing.assert_close(found.scores[0], look.scores()[0, 2, 1])
    torch.testing.assert_close(found["query"].tensor[0], look.query[0, 2, 1])


def test_gates_are_bars_of_channels_and_maps_of_positions():
    record = Record()
    record.add("channel", StoredWeights(torch.rand(2, 1, 7), kind="gate"))
    record.add("spatial", StoredWeights(torch.rand(2, 1, 3, 5), kind="gate"))
    channel, spatial = gates(record)
    assert channel.panels[0].bars.shape == (7,)
    assert spatial.panels[0].heat.shape == (3, 5)


def test_a_picture_lies_under_the_patches_without_what_stands_before_them():
    record = Record()
    record.passes.append(Inputs({"input": Side(grid=(2, 3), before=1)}))
    weights = torch.rand(1, 4, 7, 7).softmax(dim=-1)
    record.add("layer", StoredWeights(weights))
    view = over_picture(record, torch.zeros(3, 8, 12, dtype=torch.uint8), word=2)
    assert len(view.panels) == 5
    expected = weights[0, 3, 2, 1:].view(2, 3).double()
    torch.testing.assert_close(view.panels[4].heat, expected)
    record.add("other", StoredWeights(torch.rand(1, 4, 7, 5)))
    with pytest.raises(ShapeError, match="looked at 5 keys, and the picture has 2 × 3 patches"):
        over_picture(record, torch.zeros(3, 8, 12, dtype=torch.uint8))


def test_numbers_are_padded_where_maps_differ_in_size(record):
    views = [*alignments(record), *alignments(record, module="encoder")]
    found = array(views)
    assert found.shape == (2, 5, 5)
    assert np.isnan(found[0, 3:]).all()
    np.testing.assert_allclose(found[1], views[1].rows)
    assert array(heads(record)).shape == (9, 5, 5)
    assert array([steps(record)]).shape == (1, 1, 5)


@pytest.mark.parametrize(
    ("ask", "error", "says"),
    [
        (lambda r: alignments(r, module="nothing"), ChoiceError, "called like 'nothing'. Captured"),
        (lambda r: alignments(r, layer=3), RangeError, "there are 1 layers, counted from 0"),
        (lambda r: matrices(r, head=3), RangeError, "has 3 heads, counted from 0, got 3"),
        (lambda r: running_text(r, word=5), RangeError, "5 tokens, counted from 0, got 5"),
        (lambda r: steps(r, word=9), RangeError, "got query 9"),
        (gates, ChoiceError, "has no gates"),
        (lambda r: over_picture(r, torch.zeros(3, 2, 2)), ChoiceError, "was shown one"),
    ],
)
def test_what_is_not_there_is_refused(record, ask, error, says):
    with pytest.raises(error, match=says):
        ask(record)
