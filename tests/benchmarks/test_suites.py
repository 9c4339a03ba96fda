"""The suites hold what the project claims: no more sizes, no softer goals."""

import pytest

from benchmarks.peers import SYSTEMS
from benchmarks.suites import TOPICS
from regard.functional.engine.stream import BLOCK_ELEMENTS

ORDER = [make for topic in TOPICS for make in TOPICS[topic]]
SUITES = {make.__name__: make for make in ORDER}


def goals_of(name: str, quick: bool = False) -> dict:
    """(mechanism, mask, shape, backward, ours, peers, measure) to the goal, where there is one."""
    return {
        (
            race.what.mechanism,
            race.what.mask,
            race.what.shape,
            race.what.backward,
            duel.ours,
            duel.peers,
            duel.measure,
        ): str(duel.goal)
        for race in SUITES[name](quick).races
        for duel in race.duels
        if duel.goal
    }


@pytest.mark.parametrize("quick", [False, True])
def test_additive_claims(quick):
    shape = (1, 1, 1024, 64)
    expected = {}
    for peer in ("eager", "keras"):
        for ours, backward, goal in (
            ("regard, numba", False, "≥ 30×"),
            ("regard, no numba", False, "≥ 12×"),
            ("regard, numba", True, "≥ 12×"),
            ("regard, no numba", True, "≥ 4×"),
        ):
            key = ("additive", "plain", shape, backward, ours, (peer,), "speedup")
            expected[key] = goal
    assert goals_of("additive", quick) == expected


@pytest.mark.parametrize("quick", [False, True])
def test_entmax_claims(quick):
    shape = (1, 8, 2048, 64)
    assert goals_of("entmax", quick) == {
        (name, "plain", shape, backward, "regard", ("entmax",), "speedup"): goal
        for name in ("sparsemax", "entmax15")
        for backward, goal in ((False, "≥ 8×"), (True, "≥ 6×"))
    }


@pytest.mark.parametrize("quick", [False, True])
def test_window_claims(quick):
    shape = (1, 8, 4096, 64)
    assert goals_of("window", quick) == {
        ("window", mask, shape, backward, "regard", (peer,), "speedup"): goal
        for mask in ("back", "around")
        for backward in (False, True)
        for peer, goal in (("local-attention", "≥ 1×"), ("sdpa", "≥ 2.5×"))
    }
    sizes = {race.what.positions for race in SUITES["window"](quick).races}
    assert sizes == {1024, 2048, 4096}
    assert {race.what.window for race in SUITES["window"](quick).races} == {128}


@pytest.mark.parametrize("quick", [False, True])
def test_default_claims(quick):
    shapes = (
        (32, 8, 32, 64),
        (32, 8, 64, 64),
        (16, 8, 128, 64),
        (8, 8, 256, 64),
        (4, 8, 512, 64),
        (2, 8, 1024, 64),
        (1, 8, 2048, 64),
        (1, 8, 4096, 64),
    )
    expected = {}
    for mask in ("plain", "causal", "padded"):
        for shape in shapes:
            peers = ("sdpa",) if quick and shape[2] == 4096 else ("sdpa", "eager")
            for backward in (False, True):
                key = ("softmax", mask, shape, backward, "regard", peers, "slowdown")
                expected[key] = "≤ 1.05×"
    for mask in ("plain", "causal"):
        key = ("softmax", mask, (1, 1, 4, 8), False, "regard", ("sdpa",), "overhead")
        expected[key] = "< 20 µs"
    assert goals_of("default", quick) == expected


@pytest.mark.parametrize("quick", [False, True])
def test_lowered_claims(quick):
    expected = {}
    for name, mask in (
        ("general", "plain"),
        ("cosine", "plain"),
        ("euclidean", "plain"),
        ("gaussian", "plain"),
        ("alibi", "causal"),
    ):
        peers = ("sdpa",) if name in ("general", "cosine") else ("sdpa", "sdpa + bias")
        for n in (512, 2048) if quick else (512, 1024, 2048):
            for backward in (False, True):
                key = (name, mask, (1, 8, n, 64), backward, "regard", peers, "slowdown")
                expected[key] = "≤ 1.15×"
    assert goals_of("lowered", quick) == expected


@pytest.mark.parametrize("quick", [False, True])
def test_weigh_claims(quick):
    rows, summary = SUITES["weigh"](quick).probes
    assert rows.case.shape == (1, 1, 100_000, 64)
    assert (str(rows.peak), str(rows.seconds)) == ("< 300 MB", "< 2 s")
    assert (summary.case.shape, summary.case.mask) == ((1, 1, 16_384, 64), "causal")
    assert str(summary.peak) == "< 268 MB"  # a quarter of 16384² × 4 bytes


@pytest.mark.parametrize("quick", [False, True])
def test_growth_claims(quick):
    claimed = {
        (name, curve.quantity, curve.system, curve.cases[0].mechanism, curve.cases[0].backward)
        for name in SUITES
        for curve in SUITES[name](quick).curves
        if curve.goal
    }
    expected = {
        ("additive", "memory", ours, "additive", backward)
        for ours in ("regard, numba", "regard, no numba")
        for backward in (False, True)
    }
    expected |= {
        ("entmax", "memory", "regard", mechanism, backward)
        for mechanism in ("sparsemax", "entmax15")
        for backward in (False, True)
    }
    expected |= {("window", "time", "regard", "window", backward) for backward in (False, True)}
    kinds = ("cached", "RNN", "LSTM", "GRU")
    expected |= {("steps", "time", "regard.nn", f"{kind} step", False) for kind in kinds}
    assert claimed == expected
    bounds = {
        (curve.cases[0].mechanism.split()[0] in kinds[1:], str(curve.goal))
        for name in SUITES
        for curve in SUITES[name](quick).curves
        if curve.goal
    }
    assert bounds == {(False, "≤ 1.15"), (True, "≤ 0.15")}


@pytest.mark.parametrize("quick", [False, True])
def test_module_claims(quick):
    layers = goals_of("layer", quick)
    assert {goal for goal in layers.values()} == {"≤ 1.05×"}
    assert {key[5] for key in layers} == {
        ("nn.MultiheadAttention",),
        ("x-transformers",),
        ("keras",),
    }
    decoder = goals_of("decoder", quick)
    training = [goal for key, goal in decoder.items() if key[0] == "bahdanau steps" and key[3]]
    assert training == ["≥ 3×"]
    assert {goal for key, goal in decoder.items() if key[0] == "bahdanau"} == {"≤ 1.05×"}


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", list(SUITES))
def test_all_named_systems_exist_know_their_case_and_duel_only_in_their_race(name, quick):
    suite = SUITES[name](quick)
    assert suite.name == name
    for race in suite.races:
        for system in race.systems:
            assert SYSTEMS[system].can(race.what)
        for duel in race.duels:
            assert {duel.ours, *duel.peers} <= set(race.systems)
    for curve in suite.curves:
        assert all(SYSTEMS[curve.system].can(case) for case in curve.cases)
    for probe in suite.probes:
        assert SYSTEMS[probe.system].can(probe.case)


@pytest.mark.parametrize("quick", [False, True])
def test_each_time_curve_has_a_race_at_every_size(quick):
    for make in ORDER:
        suite = make(quick)
        raced = {(race.what, system) for race in suite.races for system in race.systems}
        for curve in suite.curves:
            if curve.quantity == "time":
                assert {(case, curve.system) for case in curve.cases} <= raced


def test_the_quick_set_is_part_of_the_full_one():
    for make in ORDER:
        full = {race.what for race in make(False).races}
        assert {race.what for race in make(True).races} <= full


@pytest.mark.parametrize("quick", [False, True])
def test_memory_is_measured_where_a_map_is_more_than_one_block(quick):
    judged = [
        curve
        for name in SUITES
        for curve in SUITES[name](quick).curves
        if curve.goal and curve.quantity == "memory"
    ]
    assert judged
    for curve in judged:
        assert min(case.positions for case in curve.cases) ** 2 > BLOCK_ELEMENTS
