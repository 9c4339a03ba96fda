"""A census of whole models: heads planted in weights, importance, the same however it is read."""

import pytest
import torch

from lens.doctor.planted import WIDTH, drawn, scene, tiny
from regard.errors import ChoiceError, InputError
from regard.lens.census import census
from regard.lens.maps import Tokens
from regard.lens.scene import Scene


@pytest.fixture(scope="module")
def found():
    model = tiny(0)
    return model, census(model, [scene(model, seed) for seed in range(6)])


def test_every_head_of_every_module_has_rows_facts_and_examples(found):
    _, result = found
    assert [(one.module, one.head) for one in result.heads] == [
        ("layers.0.attention", 0),
        ("layers.0.attention", 1),
        ("layers.1.attention", 0),
        ("layers.1.attention", 1),
    ]
    one = result.heads[0]
    assert 0 < one.confidence <= 1
    parts = [one.shares[name] for name in ("key", "offset", "either", "content")]
    assert sum(parts) == pytest.approx(1)
    assert len(one.examples) >= 10
    assert all(row.interval[0] <= row.interval[1] for row in result.rows)


def test_what_the_loss_loses_is_exact_and_its_slope_has_its_sign_where_a_head_is_small(found):
    model, result = found
    with torch.no_grad():
        projection = model.layers[1].attention.output_proj.weight
        before = projection.clone()
        projection[:, : WIDTH // 2] *= 0.01
        small = census(model, [scene(model, seed) for seed in range(6)], roles=["broad"])
        projection.copy_(before)
    one = next(h for h in small.heads if h.module == "layers.1.attention" and h.head == 0)
    assert one.loss == pytest.approx(one.slope, abs=2e-4)
    other = next(h for h in result.heads if h.module == "layers.1.attention" and h.head == 0)
    assert abs(one.loss) < abs(other.loss) + 1e-3


def test_batches_of_one_say_the_same(found):
    model, result = found
    alone = []
    for seed in range(6):
        ids, lengths = drawn(seed)
        for row in range(len(ids)):
            own, length = ids[row : row + 1, : lengths[row]], lengths[row : row + 1]
            alone.append(
                Scene(
                    {"input": Tokens(own, length)},
                    lambda given, n=length: model(given["input"], n),
                )
            )
    again = census(model, alone, roles=["previous", "self", "sink", "broad"])
    one = {(r.module, r.head, r.role): r.score for r in result.rows}
    for row in again.rows:
        assert row.score == pytest.approx(one[row.module, row.head, row.role], abs=1e-5)


def test_a_census_is_as_stable_as_the_names_it_shares(found):
    _, result = found
    assert result.stability(result) == 1
    assert "layers.0.attention.0" in str(result)
    assert result.to_json()["rows"][0]["module"] == "layers.0.attention"


def test_a_census_needs_data_and_known_roles():
    model = tiny(0)
    with pytest.raises(InputError, match="at least one batch"):
        census(model, [])
    with pytest.raises(ChoiceError, match="unknown role 'prevous'"):
        census(model, [scene(model, 0)], roles=["prevous"])
