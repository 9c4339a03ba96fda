"""Models of ``transformers`` under examination: padded on either side, fused and not."""

import pytest
import torch

from lens.foreign.families import FAMILIES, inputs, made, transformers
from regard.lens.census import census
from regard.lens.doctor import doctor
from regard.lens.scene import scene_of


def untrained(family):
    kind, config, sizes = FAMILIES[family]
    if family == "gemma3":  # whose scale is made for heads of 256 numbers
        sizes = {**sizes, "query_pre_attn_scalar": sizes["head_dim"]}
    torch.manual_seed(0)
    return getattr(transformers, kind)(getattr(transformers, config)(**sizes)).eval()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_model_that_nobody_trained_is_only_that(family):
    found = doctor(untrained(family), inputs(family))
    assert found.causes == ["at initialisation"], str(found)
    assert not found.of("broken")


@pytest.mark.parametrize("family", ["bert", "vit", "gpt2", "mistral", "marian"])
def test_a_census_of_fused_attention_is_that_of_eager(family):
    eager, fused = (
        {
            (row.module, row.head, row.role): row
            for row in census(made(family, how), [inputs(family)]).rows
        }
        for how in ("eager", "sdpa")
    )
    assert eager.keys() == fused.keys()
    for place, row in eager.items():
        assert fused[place].score == pytest.approx(row.score, abs=1e-5), place
        assert fused[place].chance == pytest.approx(row.chance, abs=1e-5), place
        assert fused[place].named == row.named


def test_padding_before_a_sentence_is_padding():
    model, given = made("gpt2", "sdpa"), inputs("gpt2")
    side = scene_of(model, given).sides["input"]
    assert side.real.tolist() == given["attention_mask"].bool().tolist()
    assert [one.tolist() for one in side.ends] == [[0, 2], [8, 8]]
    assert side.first(5).real.sum().item() == 8
    one = {name: x[1:, 2:] for name, x in given.items()}
    both = census(model, [{name: x[1:] for name, x in given.items()}], roles=["previous", "self"])
    alone = census(
        model, [{**one, "position_ids": torch.arange(2, 9)[None]}], roles=["previous", "self"]
    )
    for padded, row in zip(both.rows, alone.rows, strict=True):
        assert padded.cases == row.cases
        assert padded.score == pytest.approx(row.score, abs=1e-5)
