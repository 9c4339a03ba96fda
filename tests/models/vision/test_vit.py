"""The Vision Transformer: as Hugging Face has it, and where its patches stand."""

import pytest
import torch
from pydantic import ValidationError
from torch.testing import assert_close

from regard.errors import RangeError, ShapeError
from regard.models.vision import ViT, ViTConfig
from regard.models.vision.grid_rotary import GridRotary

SMALL = {"model_dim": 8, "num_layers": 3, "num_heads": 2, "hidden_dim": 12}


def pixels(count=2, height=8, width=12):
    return torch.randn(count, 3, height, width, generator=torch.Generator().manual_seed(1))


def test_it_computes_what_hugging_faces_does_with_its_weights():
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    theirs = transformers.ViTModel(
        transformers.ViTConfig(
            hidden_size=8,
            num_hidden_layers=3,
            num_attention_heads=2,
            intermediate_size=12,
            image_size=(8, 12),
            patch_size=4,
            layer_norm_eps=1e-6,
        ),
        add_pooling_layer=False,
    ).eval()
    for one in theirs.parameters():
        torch.nn.init.normal_(one, std=0.3)
    ours = ViT(ViTConfig(height=8, width=12, patch_size=4, **SMALL)).eval()
    ours.load_state_dict(copied(theirs.state_dict()))
    expected = theirs(pixels()).last_hidden_state
    assert_close(ours.pool(pixels()), expected[:, 0], atol=1e-5, rtol=1e-4)
    assert_close(ours.features(pixels()).flatten(2).mT, expected[:, 1:], atol=1e-5, rtol=1e-4)


def copied(theirs):
    """Their names as ours."""
    position = theirs["embeddings.position_embeddings"][0]
    found = {
        "patches.patch_proj.weight": theirs["embeddings.patch_embeddings.projection.weight"],
        "patches.patch_proj.bias": theirs["embeddings.patch_embeddings.projection.bias"],
        "patches.class_tokens": theirs["embeddings.cls_token"][0] + position[:1],
        "positions": position[1:],
        "norm.weight": theirs["layernorm.weight"],
        "norm.bias": theirs["layernorm.bias"],
    }
    names = [name for name in theirs if ".0." in name or name.startswith("layers.0.")]
    prefix = names[0].partition("0.")[0]
    for layer in range(3):
        at = f"{prefix}{layer}."
        own = {name.removeprefix(at): value for name, value in theirs.items() if at in name}
        for kind in ("weight", "bias"):

            def pick(*words, own=own, kind=kind):
                return next(
                    own[name]
                    for name in own
                    if name.endswith(kind) and all(word in name for word in words)
                )

            try:
                joint = torch.cat([pick(f"attention.{w}") for w in ("query", "key", "value")])
                output = pick("attention.output")
            except StopIteration:
                joint = torch.cat([pick(f"{w}_proj") for w in "qkv"])
                output = pick("o_proj")
            mine = f"layers.{layer}."
            found |= {
                f"{mine}attention.in_proj.{kind}": joint,
                f"{mine}attention.output_proj.{kind}": output,
                f"{mine}norm1.{kind}": pick("before"),
                f"{mine}norm2.{kind}": pick("after"),
                f"{mine}expand.{kind}": next(
                    v
                    for n, v in own.items()
                    if n.endswith(kind) and ("intermediate" in n or "fc1" in n)
                ),
                f"{mine}reduce.{kind}": next(
                    v
                    for n, v in own.items()
                    if n.endswith(kind) and (n.startswith("output") or "fc2" in n)
                ),
            }
    return found


@pytest.mark.parametrize("position", ["learned", "sinusoidal", "rotary"])
def test_patches_in_another_order_are_another_picture(position):
    torch.manual_seed(0)
    model = ViT(ViTConfig(height=8, width=12, patch_size=4, position=position, **SMALL)).eval()
    x = pixels()
    swapped = torch.cat([x[..., 4:8], x[..., :4], x[..., 8:]], dim=-1)
    assert not torch.allclose(model.pool(x), model.pool(swapped), atol=1e-4)


def test_without_positions_the_order_does_not_matter():
    torch.manual_seed(0)
    model = ViT(ViTConfig(height=8, width=12, patch_size=4, position="none", **SMALL)).eval()
    x = pixels()
    swapped = torch.cat([x[..., 4:8], x[..., :4], x[..., 8:]], dim=-1)
    assert_close(model.pool(x), model.pool(swapped), atol=1e-5, rtol=1e-4)


def test_registers_stand_before_the_patches_and_are_not_read():
    model = ViT(ViTConfig(height=8, width=12, patch_size=4, registers=3, **SMALL)).eval()
    tokens, grid = model.tokens(pixels())
    assert grid == (2, 3)
    assert tokens.shape == (2, 1 + 3 + 6, 8)
    assert model.features(pixels()).shape == (2, 8, 2, 3)


def test_learned_positions_are_interpolated_for_another_size():
    torch.manual_seed(0)
    model = ViT(ViTConfig(height=8, width=12, patch_size=4, **SMALL)).eval()
    with torch.no_grad():
        model.positions[:] = 3.0  # the same everywhere is the same on any grid
    larger = model._positions((5, 7), model.positions)
    assert_close(larger, torch.full((35, 8), 3.0))


def by_complex_numbers(x, row, column, base):
    """A vector turned as complex numbers, half by its row and half by its column."""
    half = len(x) // 2
    found = []
    for part, place in ((x[:half], row), (x[half:], column)):
        for i in range(half // 2):
            angle = torch.tensor(place * base ** (-2 * i / half), dtype=torch.float64)
            number = complex(part[2 * i], part[2 * i + 1]) * complex(angle.cos(), angle.sin())
            found += [number.real, number.imag]
    return found


def test_rotary_positions_turn_by_row_and_by_column():
    rotary = GridRotary(8, before=2)
    rotary.grid = (2, 3)
    x = torch.randn(5, 8, 8, dtype=torch.float64)
    found = rotary.rotate(x)
    assert torch.equal(found[:, :2], x[:, :2])
    for place in range(6):
        expected = by_complex_numbers(x[1, 2 + place].tolist(), place // 3, place % 3, 100.0)
        assert_close(found[1, 2 + place], torch.tensor(expected, dtype=torch.float64))


def test_rotary_positions_refuse_what_does_not_fit():
    with pytest.raises(RangeError, match="multiple of 4, got 6"):
        GridRotary(6)
    with pytest.raises(ShapeError, match="1 × 1 patches"):
        GridRotary(8).rotate(torch.zeros(1, 3, 8))


def test_layers_are_left_out_in_training_and_the_mean_stays():
    torch.manual_seed(0)
    config = ViTConfig(height=8, width=12, patch_size=4, layer_dropout=0.5, **SMALL)
    layer = ViT(config).layers[-1]
    assert layer.skipped == 0.5
    added = torch.ones(2000, 1, 1)
    found = layer.train()._kept(added)
    assert set(found.flatten().tolist()) == {0.0, 2.0}
    assert abs(found.mean() - 1) < 0.1
    assert torch.equal(layer.eval()._kept(added), added)


def test_heads_need_to_share_the_width():
    with pytest.raises(ValidationError, match="multiple of num_heads, got 8 and 3"):
        ViTConfig(model_dim=8, num_heads=3)
