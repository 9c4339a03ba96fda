"""Every role finds the head that was planted for it, and only what deserves a name gets one."""

import math
from dataclasses import replace

import pytest
import torch

from lens.census import planted
from regard.lens.census import ROLES, Relation, census_of
from regard.lens.census.tally import Tally
from regard.lens.maps import Maps, plain_tokens

SEEDS = range(20)
NOISES = (0.0, 0.25, 0.5, 0.75, 1.0)
MARGIN = 4.0
SCORES = {
    "self": planted.at_shift(0),
    "previous": planted.at_shift(-1),
    "next": planted.at_shift(1),
    "shift -3": planted.at_shift(-3),
    "shift +5": planted.at_shift(5),
    "first": planted.on_class("first"),
    "end": planted.on_class("end"),
    "separator": planted.on_class("separator"),
    "punctuation": planted.on_class("punctuation"),
    "sink": planted.on_class("first"),
    "local": planted.local,
    "broad": planted.broad,
    "duplicate token": planted.duplicate,
    "induction": planted.induction,
    "rare word": planted.rare,
    "part of speech": planted.tagged,
    "bound": planted.bound,
}
ALL = [*(ROLES[name] for name in ROLES), Relation("bound")]


def role_of(name):
    return Relation("bound") if name == "bound" else ROLES[name]


def found_in(maps: Maps, role) -> torch.Tensor:
    """Which of the heads bear the name."""
    tally = Tally(role)
    tally.add(maps)
    return role.named(tally.sums, tally.chance)


def names(maps: Maps, role) -> bool:
    return bool(found_in(maps, role).all())


@pytest.mark.parametrize("name", SCORES)
def test_a_planted_head_is_named_in_19_of_20_seeds_at_every_noise(name):
    for level, noise in enumerate(NOISES):
        noise = noise / 4 if name == "broad" else noise
        side = planted.tokens(torch.Generator().manual_seed(level))
        score = SCORES[name](side)
        # The score of one key beats that of all others together by the margin.
        margin = MARGIN if name == "broad" else MARGIN + math.log(planted.LENGTH)
        one = planted.maps(
            score, seed=level, margin=margin, noise=noise, heads=len(SEEDS), side=side
        )
        found = int(found_in(one, role_of(name)).sum())
        assert found >= 19, (name, noise, found)


@pytest.mark.parametrize("causal", [False, True])
def test_random_heads_bear_no_name_in_95_of_100(causal):
    one = planted.maps(0.0, seed=1, margin=0.0, noise=2.0, heads=100, causal=causal)
    found = torch.stack([found_in(one, role) for role in ALL if role.measure(one) is not None])
    assert int((~found.any(dim=0)).sum()) >= 95


def test_three_heads_planted_among_141_random_ones_are_exactly_those_found():
    modules = []
    for layer in range(12):
        one = planted.maps(0.0, seed=layer, margin=0.0, noise=2.0, heads=12, causal=True)
        modules.append(replace(one, name=f"h.{layer}"))
    jobs = {(2, 3): "previous", (5, 0): "induction", (11, 11): "duplicate token"}
    for (layer, head), job in jobs.items():
        side = modules[layer].query
        own = planted.maps(SCORES[job](side), seed=layer, margin=7, noise=1, side=side, causal=True)
        weights = modules[layer].weights.clone()
        weights[:, head] = own.weights[:, 0]
        modules[layer] = replace(modules[layer], weights=weights)
    roles = ["previous", "next", "self", "induction", "duplicate token", "sink", "broad", "local"]
    named = census_of(modules, roles=roles).named
    wanted = {(f"h.{layer}", head, job) for (layer, head), job in jobs.items()}
    assert {(row.module, row.head, row.role) for row in named} == wanted


@pytest.mark.parametrize("by", [-8, -2, -1, 1, 2, 8])
def test_a_shift_has_the_sign_of_key_less_query(by):
    one = planted.maps(planted.at_shift(by)(None), seed=3, margin=9.0, noise=0.1)
    found = {row.role for row in census_of([one], roles=[ROLES[n] for n in ROLES]).named}
    wanted = {-1: "previous", 1: "next"}.get(by, f"shift {by:+d}")
    opposite = {-1: "next", 1: "previous"}.get(by, f"shift {-by:+d}")
    assert wanted in found
    assert opposite not in found


def test_the_row_of_a_previous_head_written_by_hand():
    weights = torch.tensor([[[[1.0, 0, 0], [1, 0, 0], [0, 1, 0]]]])
    side = plain_tokens(1, 3)
    one = Maps(weights, side, side, torch.ones(3, 3, dtype=torch.bool).tril().expand(1, 1, 3, 3))
    sums = ROLES["previous"].measure(one)
    assert sums is not None
    assert ROLES["previous"].score(sums).item() == 1.0
    assert ROLES["next"].score(ROLES["next"].measure(one)).item() == 0.0


CROSS = {
    "alignment": lambda gold, side: gold[:, None].double(),
    "alignment, step +1": lambda gold, side: torch.roll(gold, 1, dims=1)[:, None].double(),
    "diagonal": lambda gold, side: planted.diagonal(side) / 2,
    "monotone": lambda gold, side: planted.diagonal(side) / 2,
    "coverage": lambda gold, side: gold[:, None].double(),
}


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("name", CROSS)
def test_a_planted_head_that_looks_at_another_sequence_is_named_in_19_of_20(name, noise):
    side = planted.tokens(torch.Generator().manual_seed(2))
    gold = planted.with_gold(side, 2)
    one = planted.maps(
        CROSS[name](gold, side),
        seed=int(4 * noise), margin=MARGIN + math.log(planted.LENGTH), noise=noise,
        heads=len(SEEDS), side=side, kind="cross", gold=gold,
    )  # fmt: skip
    assert int(found_in(one, ROLES[name]).sum()) >= 19
    if "alignment" in name:
        (other,) = {"alignment", "alignment, step +1"} - {name}
        assert not found_in(one, ROLES[other]).any()


@pytest.mark.parametrize("keys", [20, 200])
def test_random_heads_that_look_at_another_sequence_bear_no_name(keys):
    generator = torch.Generator().manual_seed(3)
    weights = (2 * torch.randn(6, 100, 20, keys, generator=generator)).softmax(dim=-1)
    gold = torch.zeros(6, 20, keys, dtype=torch.bool)
    gold[:, torch.arange(20), torch.randperm(20, generator=generator)] = True
    one = Maps(weights, plain_tokens(6, 20), plain_tokens(6, keys), kind="cross", gold=gold)
    roles = [role for role in ALL if role.measure(one) is not None]
    assert len(roles) >= 6
    found = torch.stack([found_in(one, role) for role in roles])
    assert int((~found.any(dim=0)).sum()) >= 95


@pytest.mark.parametrize("noise", NOISES)
def test_a_frozen_head_has_one_map_for_every_input(noise):
    score = torch.randn(planted.LENGTH, planted.LENGTH, generator=torch.Generator().manual_seed(0))
    still = planted.maps(score, seed=1, margin=3, noise=noise / 50, heads=len(SEEDS))
    moved = planted.maps(score, seed=1, margin=3, noise=1, heads=len(SEEDS))
    assert int(found_in(still, ROLES["frozen"]).sum()) >= 19
    assert not found_in(moved, ROLES["frozen"]).any()


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(("role", "other"), [("constant gate", "saturated gate")])
def test_gates_are_constant_or_saturated_in_19_of_20(noise, role, other):
    generator = torch.Generator().manual_seed(0)

    def named(gates, name):
        side = plain_tokens(len(gates), 1)
        one = Maps(gates[:, None, None], side, plain_tokens(len(gates), 31), kind="gate")
        return bool(found_in(one, ROLES[name]).all())

    for _ in SEEDS:
        drawn = torch.randn(16, 31, generator=generator)
        still = 0.4 + torch.zeros_like(drawn) + 0.008 * noise * drawn
        ends = (6 * drawn.sign() + noise * torch.randn(16, 31, generator=generator)).sigmoid()
        assert named(still, role)
        assert not named(still, other)
        assert named(ends, other)
        assert not named(ends, role)
        assert not named(drawn.sigmoid(), role)
        assert not named(drawn.sigmoid(), other)


@pytest.mark.parametrize(("down", "right"), [(-1, 0), (0, -1), (0, 1), (1, 1)])
def test_a_patch_shift_has_the_sign_of_rows_and_columns(down, right):
    rows, columns, before = 3, 5, 2
    n = torch.arange(rows * columns)
    y, x = n // columns, n % columns
    there = (y - y[:, None] == down) & (x - x[:, None] == right)
    score = torch.nn.functional.pad(there, (before, 0, before, 0)).double() * 12
    weights = score.softmax(dim=-1).expand(4, 1, -1, -1)
    side = plain_tokens(4, rows * columns + before)
    side = replace(side, grid=(rows, columns))
    one = Maps(weights, side, side)
    found = {row.role for row in census_of([one]).named if row.role.startswith("patch")}
    assert found == {f"patch shift {down:+d},{right:+d}"}


def test_an_outlier_patch_is_one_whose_key_is_far_longer():
    generator = torch.Generator().manual_seed(0)
    score = torch.zeros(20, 20)
    score[:, 7] = 8.0
    one = planted.maps(score, seed=0, margin=1, noise=0.5)
    sizes = 1 + 0.1 * torch.rand(planted.BATCH, 1, 20, generator=generator)
    assert not names(replace(one, key_sizes=sizes.clone()), ROLES["outlier patch"])
    sizes[..., 7] *= 50
    assert names(replace(one, key_sizes=sizes), ROLES["outlier patch"])


@pytest.mark.parametrize(("size", "told"), [(0.0, "no-op"), (1.0, "carries")])
def test_a_sink_says_whether_its_value_carries_anything(size, told):
    side = planted.tokens(torch.Generator().manual_seed(0))
    one = planted.maps(planted.on_class("first")(side), seed=0, margin=7, noise=0.5, side=side)
    values = torch.ones(planted.BATCH, 1, planted.LENGTH)
    values[..., 0] = size
    (row,) = census_of([replace(one, value_sizes=values)], roles=["sink"]).rows
    assert row.named
    assert row.note.startswith(told)


@pytest.mark.parametrize("name", ["constant gate", "saturated gate"])
def test_gates(name):
    generator = torch.Generator().manual_seed(0)
    open_ = torch.rand(30, 1, 1, 6, generator=generator)
    planted_gate = {
        "constant gate": torch.rand(6, generator=generator).expand(30, 1, 1, 6),
        "saturated gate": (open_ > 0.5).float(),
    }[name]
    sides = plain_tokens(30, 1), plain_tokens(30, 6)
    assert names(Maps(planted_gate, *sides, kind="gate"), ROLES[name])
    assert not names(Maps(open_, *sides, kind="gate"), ROLES[name])
