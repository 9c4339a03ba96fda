"""Every mechanism has an example, and what it draws is attention."""

import pytest
import torch
from torch import Tensor, nn

pytest.importorskip("matplotlib")

from docs.examples import EXAMPLES
from docs.examples.example import Example, Map, sharper, shows
from docs.examples.panels import Panel, panels
from regard.catalogue import CATALOGUE

ROWS = {row.name: family for family, rows in CATALOGUE.items() for row in rows}
SUM_TO_ONE = {"scores", "positions", "cells", "pooling", "normalisers", "ways of attending"}
LOOSE = {
    *("ReLU", "mean ReLU", "mean", "sigmoid"),
    *("local-p", "output of another length", "attention over LSTM (LSTMN)"),
}
"""Rows of these need not sum to one."""


def _weights(shown: Tensor | Map) -> Tensor:
    return shown.weights if isinstance(shown, Map) else shown


def test_every_mechanism_has_an_example_and_every_example_a_mechanism():
    assert set(EXAMPLES) == set(ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_an_example_says_what_is_to_be_seen_and_how_it_was_made(name):
    example = EXAMPLES[name]
    assert len(example.caption) > 15
    assert example.caption.endswith(".")
    assert "shown = " in example.source
    assert "return" not in example.source
    compile(example.source, name, "exec")


@pytest.mark.parametrize("name", [name for name in ROWS if ROWS[name] in SUM_TO_ONE])
def test_the_weights_of_an_example_are_finite_and_rows_sum_to_one(name, shown):
    made = shown(name)
    made = made if isinstance(made, Map) else Map(made)
    assert made.weights.isfinite().all()
    assert made.weights.shape[-2:] == (len(made.queries), len(made.keys))
    if name not in LOOSE:
        assert (made.weights >= 0).all()
        assert (made.weights.sum(dim=-1) - 1).abs().max() < 1e-5


@pytest.mark.parametrize("name", [name for name in ROWS if ROWS[name] == "vision"])
def test_pictures_stand_beside_maps_of_finite_numbers_that_differ(name):
    shown = EXAMPLES[name].run()
    assert shown[0].title == "picture"
    assert all(panel.image.isfinite().all() for panel in shown)
    assert any(panel.image.std() > 0.01 * panel.image.mean() for panel in shown[1:])


@pytest.mark.parametrize("name", ["additive", "general", "sampled", "GRU", "CBAM"])
def test_an_example_gives_the_same_numbers_in_every_run_and_leaves_no_seed(name):
    state = torch.random.get_rng_state()
    one, other = EXAMPLES[name].run(), EXAMPLES[name].run()
    if isinstance(one, list):
        assert all(torch.equal(a.image, b.image) for a, b in zip(one, other, strict=True))
    else:
        assert torch.equal(_weights(one), _weights(other))
    assert torch.equal(torch.random.get_rng_state(), state)


def test_without_positions_both_articles_look_alike_and_with_them_they_do_not():
    weights = EXAMPLES["scaled dot"].run()
    placed = EXAMPLES["sinusoidal positions"].run()
    assert torch.equal(weights[0], weights[4])
    assert not torch.allclose(placed[0], placed[4], atol=0.05)


def test_later_words_have_no_influence_on_a_cell():
    for name in ("RNN", "LSTM", "GRU", "MUT1", "MUT2", "MUT3"):
        assert not EXAMPLES[name].run().triu(1).any()
        assert EXAMPLES[name].run().tril().diagonal().min() > 0


def test_a_chunk_sees_itself_and_the_chunk_before_it():
    seen = EXAMPLES["chunked, with carried memory"].run() > 0
    assert seen.tolist() == [
        [max(0, 2 * (i // 2) - 2) <= j < 2 * (i // 2) + 2 for j in range(6)] for i in range(6)
    ]


def test_a_second_example_of_one_mechanism_is_refused():
    with pytest.raises(AssertionError, match="'dot' has two examples"):
        shows("dot")(lambda: torch.eye(6))


def test_sharper_multiplies_every_parameter():
    layer = nn.Linear(2, 3)
    before = {name: p.detach().clone() for name, p in layer.named_parameters()}
    assert sharper(layer, 5.0) is layer
    for name, parameter in layer.named_parameters():
        assert torch.equal(parameter, before[name] * 5)


def test_panels_paint_channels_on_paper_and_numbers_from_zero():
    nothing, field = torch.zeros(3, 2, 5), torch.arange(10.0).reshape(2, 5)
    figure = panels([Panel("image", nothing), Panel("map", field, largest=20.0)])
    image, numbers = (axes.images[0] for axes in figure.axes)
    paper = Tensor([0xFC, 0xFB, 0xF8]) / 255
    assert torch.allclose(torch.tensor(image.get_array()), paper.expand(2, 5, 3), atol=1e-6)
    assert numbers.get_clim() == (0.0, 20.0)


def test_a_figure_is_a_heat_map_of_the_words():
    (axes,) = Example(lambda: torch.eye(6)).figure().axes
    assert [label.get_text() for label in axes.get_yticklabels()][:2] == ["The", "black"]
