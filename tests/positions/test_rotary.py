"""Rotary positions against complex numbers, their one property, and Hugging Face."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.autograd import gradcheck
from torch.testing import assert_close

from reference import positions as ref
from regard import positions
from regard.errors import ChoiceError, DtypeError, RangeError, ShapeError

both_layouts = pytest.mark.parametrize("layout", ["halves", "pairs"])


@both_layouts
@pytest.mark.parametrize("start", [0, 5, 10**6])
def test_each_pair_is_a_complex_number_turned_by_its_angle(layout, start):
    x = torch.randn(2, 3, 5, 6, dtype=torch.float64)
    found = positions.Rotary(6, 500.0, layout).rotate(x, start)
    expected = [
        [[ref.rotary(v, start + p, layout, 500.0) for p, v in enumerate(head)] for head in sentence]
        for sentence in x.tolist()
    ]
    assert_close(found, torch.tensor(expected, dtype=torch.float64), rtol=0, atol=1e-9)


@both_layouts
@given(st.integers(0, 2**20), st.integers(0, 2**20), st.integers(0, 2**20))
def test_a_product_depends_on_the_distance_alone(layout, i, j, by):
    generator = torch.Generator().manual_seed(i % 97)
    q, k = torch.randn(2, 1, 6, generator=generator, dtype=torch.float64)
    rotary = positions.Rotary(6, layout=layout)
    near = (rotary.rotate(q, i) * rotary.rotate(k, j)).sum()
    far = (rotary.rotate(q, i + by) * rotary.rotate(k, j + by)).sum()
    assert_close(near, far, rtol=0, atol=1e-8)


@both_layouts
def test_a_million_positions_on_float32_is_still_float32(layout):
    x = torch.randn(3, 8)
    found = positions.Rotary(8, layout=layout).rotate(x, 10**6)
    expected = [ref.rotary(v, 10**6 + p, layout) for p, v in enumerate(x.tolist())]
    assert_close(found, torch.tensor(expected), rtol=0, atol=1e-6)


@both_layouts
def test_lengths_stay_and_position_zero_does_nothing(layout):
    x = torch.randn(2, 5, 6, dtype=torch.float64)
    found = positions.Rotary(6, layout=layout)(x)
    assert_close(found.norm(dim=-1), x.norm(dim=-1))
    assert found[:, 0].equal(x[:, 0])


@both_layouts
def test_step_by_step_is_all_at_once(layout):
    rotary, x = positions.Rotary(6, layout=layout), torch.randn(2, 3, 7, 6)
    steps = [rotary.rotate(x[..., i : i + 1, :], i) for i in range(7)]
    assert torch.cat(steps, dim=-2).equal(rotary.rotate(x))


@both_layouts
def test_features_behind_dim_stay_as_they_are(layout):
    x = torch.randn(2, 5, 7)
    found = positions.Rotary(4, layout=layout).rotate(x, 3)
    assert found[..., 4:].equal(x[..., 4:])
    assert found[..., :4].equal(positions.Rotary(4, layout=layout).rotate(x[..., :4], 3))


@both_layouts
def test_its_gradient_is_that_of_finite_differences(layout):
    x = torch.randn(2, 3, 5, dtype=torch.float64, requires_grad=True)
    assert gradcheck(lambda x: positions.Rotary(4, layout=layout).rotate(x, 2), (x,))


def test_half_precision_is_rounded_once():
    x = torch.randn(3, 5, 6).bfloat16()
    rotary = positions.Rotary(6)
    assert rotary.rotate(x, 900).equal(rotary.rotate(x.double(), 900).float().bfloat16())


def test_halves_are_those_of_llama():
    llama = pytest.importorskip("transformers.models.llama.modeling_llama")
    config = pytest.importorskip("transformers").LlamaConfig(
        hidden_size=30, num_attention_heads=3, head_dim=10, max_position_embeddings=64
    )
    query, key = torch.randn(2, 3, 7, 10), torch.randn(2, 3, 7, 10)
    places = torch.arange(4, 11).unsqueeze(0)
    cos, sin = llama.LlamaRotaryEmbedding(config)(query, places)
    expected = llama.apply_rotary_pos_emb(query, key, cos, sin)
    rotary = positions.Rotary(10, layout="halves")
    assert_close(rotary.rotate(query, 4), expected[0], rtol=0, atol=1e-5)
    assert_close(rotary.rotate(key, 4), expected[1], rtol=0, atol=1e-5)


def test_pairs_are_those_of_gpt_j():
    gptj = pytest.importorskip("transformers.models.gptj.modeling_gptj")
    x = torch.randn(2, 5, 3, 8)  # (B, N, H, D)
    sin, cos = gptj.create_sinusoidal_positions(9, 8)[4:].unsqueeze(0).chunk(2, dim=-1)
    expected = gptj.apply_rotary_pos_emb(x, sin, cos).transpose(1, 2)
    found = positions.Rotary(8, layout="pairs").rotate(x.transpose(1, 2), 4)
    assert_close(found, expected, rtol=0, atol=1e-5)


def test_pairs_are_those_of_roformer():
    roformer = pytest.importorskip("transformers.models.roformer.modeling_roformer")
    query, key = torch.randn(2, 3, 7, 10), torch.randn(2, 3, 7, 10)
    table = roformer.RoFormerSinusoidalPositionalEmbedding(7, 10)
    table.weight.data = table.create_weight()
    sines = table(torch.Size([2, 7]))[None, None]
    rotate = roformer.RoFormerSelfAttention.apply_rotary_position_embeddings
    expected = rotate(sines, query, key)
    rotary = positions.Rotary(10, layout="pairs")
    assert_close(rotary.rotate(query), expected[0], rtol=0, atol=1e-5)
    assert_close(rotary.rotate(key), expected[1], rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda: positions.Rotary(5), RangeError, "needs an even dim, .*pairs, got 5"),
        (lambda: positions.Rotary(0), RangeError, "Rotary needs dim of at least 1, got 0"),
        (lambda: positions.Rotary(4, base=1), RangeError, "Rotary needs a finite base above 1"),
        (
            lambda: positions.Rotary(4, layout="half"),
            ChoiceError,
            r"unknown layout 'half'\. Did you mean 'halves'\?",
        ),
        (
            lambda: positions.Rotary(4).rotate(torch.zeros(3, 2)),
            ShapeError,
            r"Rotary needs vectors \(\*B, N, D\) of at least 4 features, got \(3, 2\)",
        ),
        (
            lambda: positions.Rotary(4).rotate(torch.zeros(3, 4).long()),
            DtypeError,
            "Rotary needs floating-point vectors, got torch.int64",
        ),
        (
            lambda: positions.Rotary(4).rotate(torch.zeros(3, 4), 0.5),
            DtypeError,
            "Rotary needs a whole number as start, got float",
        ),
    ],
)
def test_mistakes_are_answered_in_one_sentence(make, error, match, without_shape_checks):
    with pytest.raises(error, match=match):
        make()
