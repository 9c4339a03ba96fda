"""A report made by hand: every number in it can be checked with a pencil."""

import pytest
import torch

from benchmarks.case import Case
from benchmarks.goals import at_least, at_most, under
from benchmarks.machine import Machine
from benchmarks.memory import Peak
from benchmarks.plans import Curve, Probe, Suite
from benchmarks.race import Duel, Race, RaceResult, Report, called
from benchmarks.reasons import Absence
from benchmarks.results import CurveResult, ProbeResult, Section
from benchmarks.settings import Settings
from benchmarks.timing import Samples


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def machine() -> Machine:
    return Machine(
        date="2025-03-04T05:06:07+00:00",
        command="regard bench kernels --quick",
        commit="0123456789",
        cpu="Abacus 7",
        cores=2,
        memory_bytes=3 * 2**30,
        threads=2,
        load=(0.75, 0.5, 0.25),
        system="Linux",
        python="3.11.7",
        versions={"torch": "2.13.0", "keras": "not installed"},
    )


@pytest.fixture
def race_result() -> RaceResult:
    """Ours takes 2, 4, 3 ms; the peer 60, 200, 180 ms, so 30, 50 and 60 times as long."""
    race = Race(
        Case("additive", (1, 1, 1024, 64)),
        ("regard, numba", "eager", "keras"),
        (
            Duel("regard, numba", ("eager",), goal=at_least(30.0)),
            Duel("regard, numba", ("keras",), goal=at_least(30.0)),
        ),
    )
    timed = {
        "regard, numba": called(Samples((0.002, 0.004, 0.003)), loops=3, disagreement=None),
        "eager": called(Samples((0.060, 0.200, 0.180)), loops=1, disagreement=0.25),
    }
    return RaceResult(race, timed, {"keras": "not installed"})


@pytest.fixture
def slow_result() -> RaceResult:
    """Ours takes 11, 22, 33 ms, the better peer 10, 20, 30 ms: 1.1 times as long."""
    race = Race(
        Case("softmax", (2, 8, 1024, 64), mask="causal", backward=True),
        ("regard", "sdpa", "eager"),
        (Duel("regard", ("eager", "sdpa"), "slowdown", at_most(1.05)),),
    )
    timed = {
        "regard": called(Samples((0.011, 0.022, 0.033)), loops=1, disagreement=None),
        "sdpa": called(Samples((0.010, 0.020, 0.030)), loops=1, disagreement=1e-7),
        "eager": called(Samples((0.050, 0.050, 0.050)), loops=1, disagreement=1e-7),
    }
    return RaceResult(race, timed, {})


@pytest.fixture
def report(machine, race_result, slow_result) -> Report:
    cases = tuple(Case("additive", (1, 1, n, 64)) for n in (1024, 2048))
    suite = Suite("additive", "Additive score", "Fair.")
    curve = CurveResult(
        Curve("memory", "regard, numba", cases, at_most(1.15, "")),
        (1024, 2048),
        (5e6, 10e6),
        1.0,
        1.0,
    )
    probe = Probe(
        "weigh: 8 rows",
        "regard",
        Case("weigh", (1, 1, 100, 64)),
        peak=under(300.0, "MB"),
        seconds=under(2.0, "s"),
    )
    peak = Peak(120_000_000, 1_000, 0, None, "VmHWM")
    probed = ProbeResult(probe, peak, Absence("no answer within 600 s"))
    return Report(
        machine=machine,
        settings=Settings(quick=True, only=("additive",), repeats=3),
        parts=(Section(suite, (race_result, slow_result), (curve,), (probed,), 12.0),),
        ground={"eager": ("plain torch", True), "keras": ("keras' layer", False)},
        load_at_end=(1.0, 0.5, 0.25),
    )
