"""Real processes, but small ones: drivers that count instead of training."""

import pytest

from benchmarks.training import child
from benchmarks.training.contenders import ARCHITECTURES, Architecture, Contender
from benchmarks.training.race import Effort, run_race
from benchmarks.training.results import TrainingSettings

COUNTS = """
import json, sys
job = json.loads(sys.argv[1])
log = open(job["folder"] + "/order", "a", buffering=1)
print(json.dumps({"parameters": 7, "versions": {"it": "1.0"}}), flush=True)
for turn, line in enumerate(sys.stdin):
    log.write("NAME\\n")
    if "NAME" == "breaks" and turn == 2:
        sys.exit("out of breath")
    print(json.dumps({"seconds": SECONDS, "updates": 2, "rows": 3, "source_tokens": 5,
        "target_tokens": 10, "padded": 11, "idle_cpu": 0.0, "peak_bytes": 13}), flush=True)
"""


@pytest.fixture
def contenders(tmp_path, monkeypatch):
    drivers = tmp_path / "outside" / "drivers"
    drivers.mkdir(parents=True)
    (drivers / "__init__.py").write_text("")
    for name, seconds in (("ours", 1.0), ("slow", 5.0), ("quick", 2.0), ("breaks", 1.0)):
        script = COUNTS.replace("NAME", name).replace("SECONDS", str(seconds))
        (drivers / f"{name}.py").write_text(script)
    (drivers / "broken.py").write_text("import no_such_module_anywhere")
    monkeypatch.setattr(child, "OUTSIDE", drivers.parent)
    return {
        name: Contender("regard" if name == "ours" else name, name, "for a test")
        for name in ("ours", "slow", "quick", "breaks", "broken")
    }


def race(tmp_path, *contenders, rounds=3):
    return run_race(
        Architecture("gru", "A test", contenders),
        settings=TrainingSettings(environments=tmp_path),
        folder=tmp_path,
        effort=Effort(rounds=rounds, seconds=0.5),
        tell=lambda line: None,
    )


def test_all_warm_up_and_then_take_turns_in_shuffled_rounds(contenders, tmp_path):
    names = ("ours", "slow", "quick")
    result = race(tmp_path, *(contenders[name] for name in names), rounds=6)
    order = (tmp_path / "order").read_text().split()
    assert order[:3] == list(names)
    rounds = [tuple(order[start : start + 3]) for start in range(3, 21, 3)]
    assert all(set(one) == set(names) for one in rounds)
    assert len(order) == 21 and len(set(rounds)) > 1
    assert [len(system.turns) for system in result.trained.values()] == [6, 6, 6]
    assert result.absent == {}


def test_the_first_peer_has_a_goal_of_its_own_and_the_best_of_the_others_another(
    contenders, tmp_path
):
    names = ("ours", "slow", "breaks", "quick")
    result = race(tmp_path, *(contenders[name] for name in names))
    first, second = result.comparisons
    assert (first.peer, first.value) == ("slow", 5.0)
    assert (second.peer, second.value) == ("quick", 2.0)
    assert [verdict.state for verdict in result.verdicts] == ["met", "met"]


def test_who_breaks_is_out_and_named_and_the_others_go_on(contenders, tmp_path):
    names = ("ours", "breaks", "broken", "quick")
    peers = [contenders[name] for name in names]
    missing = Contender("gone", "gone", "for a test", "no-such-environment")
    result = race(tmp_path, *peers, missing)
    assert list(result.trained) == ["regard", "quick"]
    assert result.absent == {
        "breaks": "the process ended with 1: out of breath",
        "broken": "the process ended with 1: ModuleNotFoundError: "
        "No module named 'no_such_module_anywhere'",
        "gone": "not installed",
    }
    assert result.comparisons[0].value is None
    assert len(result.trained["quick"].turns) == 3


def test_if_we_break_the_goals_are_missed(contenders, tmp_path):
    broken = Contender("regard", "broken", "for a test")
    result = race(tmp_path, broken, contenders["slow"], contenders["quick"])
    assert [verdict.state for verdict in result.verdicts] == ["missed", "missed"]


def test_every_architecture_has_us_first_then_joeynmt():
    for name in ARCHITECTURES:
        architecture = ARCHITECTURES[name]
        assert [one.name for one in architecture.contenders[:2]] == ["regard", "JoeyNMT"]
        assert [str(duel.goal) for duel in architecture.duels] == ["≥ 2.5×", "≥ 1.2×"]
