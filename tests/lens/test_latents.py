"""Latents on a plane: components of any width, a colour for each group."""

import pytest
import torch
from torch.testing import assert_close

pytest.importorskip("matplotlib")

from regard.errors import RangeError, ShapeError
from regard.lens.plots.latents import latents_figure
from regard.lens.space import on_a_plane


def test_principal_components_keep_distances_of_what_lies_on_a_plane():
    torch.manual_seed(0)
    flat, turned = torch.randn(7, 2), torch.linalg.qr(torch.randn(5, 5))[0][:2]
    found = on_a_plane(flat @ turned + 3)
    assert found.shape == (7, 2)
    assert_close(torch.cdist(found, found), torch.cdist(flat, flat), atol=1e-4, rtol=1e-4)


def test_a_single_number_lies_on_a_line():
    found = on_a_plane(torch.tensor([[1.0], [2.0], [4.0]]))
    assert found.shape == (3, 2) and not found[:, 1].any()
    assert_close((found[2] - found[0]).abs()[0], torch.tensor(3.0))


def test_every_group_has_a_colour_and_stands_in_the_legend():
    figure = latents_figure(torch.randn(5, 3), groups=list("aabbc"), names=["x" * 50, *"1234"])
    [axes] = figure.axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b", "c"]
    assert len({tuple(one.get_facecolor()[0]) for one in axes.collections}) == 3
    assert len(axes.texts) == 5 and axes.texts[0].get_text() == "x" * 31 + "…"
    many = latents_figure(torch.randn(50, 3), groups=[f"{n % 12}" for n in range(50)])
    assert len(many.axes[0].collections) == 12 and not many.axes[0].texts


def test_what_does_not_fit_is_one_sentence():
    with pytest.raises(RangeError, match="at least 3, got 2"):
        on_a_plane(torch.zeros(2, 3))
    with pytest.raises(ShapeError, match="needs a group for each of 3, got 2"):
        latents_figure(torch.zeros(3, 4), groups=["a", "b"])
