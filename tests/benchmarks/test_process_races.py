"""Races between real processes, but small ones: drivers that count instead of working."""

import json
from dataclasses import dataclass

import pytest

from benchmarks.decoding.contenders import DUELS, WAYS, Way
from benchmarks.decoding.run import agreement, portions
from benchmarks.decoding.run import raced as decoded
from benchmarks.goals import at_least
from benchmarks.processes import Contender, at_work, run_race
from benchmarks.race import Duel, Race
from benchmarks.settings import Settings
from benchmarks.training.contenders import ARCHITECTURES, Architecture
from benchmarks.training.run import Effort
from benchmarks.training.run import raced as trained

COUNTS = """
import json, sys
job = json.loads(sys.argv[1])
log = open(job["folder"] + "/order", "a", buffering=1)
print(json.dumps({"versions": {"it": "1.0"}}), flush=True)
for turn, line in enumerate(sys.stdin):
    log.write("NAME " + line)
    if "NAME" == "breaks" and turn == 2:
        sys.exit("out of breath")
    answer = {"seconds": 10 * SECONDS, "tokens": 10, "target_tokens": 10, "idle_cpu": 0.0,
        "peak_bytes": 13}
    if "numbers" in line:
        numbers = json.loads(line)["numbers"]
        answer["answers"] = [[n if "NAME" != "other" or n % 2 else -1] for n in numbers]
    print(json.dumps(answer), flush=True)
"""
SECONDS = {"ours": 1.0, "slow": 5.0, "quick": 2.0, "other": 0.5, "breaks": 1.0}
WAY = Way("2-beam", size=2, beam=3, sentences=4)


@dataclass(frozen=True)
class Anything:
    label: str = "anything"

    def facts(self):
        return {}


@pytest.fixture
def contenders(tmp_path, monkeypatch):
    """By the name of their driver; ours is called regard."""
    drivers = tmp_path / "path" / "counting"
    drivers.mkdir(parents=True)
    (drivers / "__init__.py").write_text("")
    for name, seconds in SECONDS.items():
        script = COUNTS.replace("NAME", name).replace("SECONDS", str(seconds))
        (drivers / f"{name}.py").write_text(script)
    (drivers / "broken.py").write_text("import no_such_module_anywhere")
    monkeypatch.setenv("PYTHONPATH", str(drivers.parent))
    return {
        name: Contender("regard" if name == "ours" else name, f"counting.{name}", "for a test")
        for name in (*SECONDS, "broken")
    }


@pytest.fixture
def crew(contenders, tmp_path):
    """Those of these drivers, and somebody who is not installed, at work."""
    job = {"folder": str(tmp_path), "threads": 1}

    def at(*names, **renamed):
        some = [contenders[name] for name in names]
        some += [Contender(name, f"counting.{driver}", "") for name, driver in renamed.items()]
        gone = Contender("gone", "gone", "for a test", "no-such-environment")
        return at_work([*some, gone], tmp_path, job, lambda _: None)

    return at


def raced(crew, *peers, rounds=3):
    race = Race(Anything(), ("regard", *peers), (Duel("regard", peers, goal=at_least(1.5)),))
    work = ["warm up", *(f"round {number}" for number in range(rounds))]
    return run_race(crew, race, work, unit="tokens", tell=lambda _: None)


def test_all_warm_up_and_then_take_turns_in_shuffled_rounds(crew, tmp_path):
    with crew("ours", "slow", "quick") as some:
        result, first = raced(some, "slow", "quick", rounds=6)
    lines = (tmp_path / "order").read_text().splitlines()
    order = [line.split(" ", 1)[0] for line in lines]
    assert order[:3] == ["ours", "slow", "quick"] and list(first) == ["regard", "slow", "quick"]
    rounds = [tuple(order[start : start + 3]) for start in range(3, 21, 3)]
    assert all(set(one) == {"ours", "slow", "quick"} for one in rounds)
    assert len(order) == 21 and len(set(rounds)) > 1
    told = [{line.split(" ", 1)[1] for line in lines[at : at + 3]} for at in range(0, 21, 3)]
    assert told == [{"warm up"}, *({f"round {number}"} for number in range(6))]
    assert [len(system.turns) for system in result.entrants.values()] == [6, 6, 6]
    assert result.absent == {"gone": "not installed"}
    (comparison,) = result.comparisons
    assert (comparison.peer, comparison.value) == ("quick", 2.0)
    assert [verdict.state for verdict in result.verdicts] == ["met"]


def test_who_breaks_is_out_of_this_race_and_the_next_and_the_others_go_on(crew):
    with crew("ours", "breaks", "broken", "quick") as some:
        results = [raced(some, "breaks")[0] for _ in range(2)]
    for result in results:
        assert list(result.entrants) == ["regard", "quick"]
        assert result.absent == {
            "breaks": "the process ended with 1: out of breath",
            "broken": "the process ended with 1: ModuleNotFoundError: "
            "No module named 'no_such_module_anywhere'",
            "gone": "not installed",
        }
        assert result.comparisons[0].value is None
        assert len(result.entrants["quick"].turns) == 3


@pytest.mark.parametrize("driver", ["broken", "breaks"])
def test_if_we_break_the_goals_are_missed(crew, driver):
    with crew("slow", regard=driver) as some:
        result, _ = raced(some, "slow")
    assert [verdict.state for verdict in result.verdicts] == ["missed"]


def test_training_sets_a_goal_beside_the_first_peer_and_beside_the_best_of_the_others(
    contenders, tmp_path
):
    names = ("ours", "slow", "breaks", "quick")
    architecture = Architecture("gru", "A test", tuple(contenders[name] for name in names))
    settings = Settings("training", environments=tmp_path)
    effort = Effort(rounds=3, seconds=0.5)
    result = trained(architecture, settings, tmp_path, effort, lambda _: None)
    assert [(one.peer, one.value) for one in result.comparisons] == [("slow", 5.0), ("quick", 2.0)]
    assert [verdict.state for verdict in result.verdicts] == ["met", "met"]
    assert "ours go 0.5" in (tmp_path / "order").read_text().splitlines()


def test_every_architecture_has_us_first_then_joeynmt():
    for architecture in ARCHITECTURES.values():
        assert architecture.race.systems[:2] == ("regard", "JoeyNMT")
        assert [str(duel.goal) for duel in architecture.race.duels] == ["≥ 2.5×", "≥ 1.2×"]


def test_decoders_translate_the_same_sentences_and_answers_are_compared_with_ours(crew, tmp_path):
    with crew("ours", **{"HF generate": "other"}) as some:
        result = decoded(some, WAY, sources=11, rounds=3, tell=lambda _: None)
    lines = [line.split(" ", 1) for line in (tmp_path / "order").read_text().splitlines()]
    for start in range(0, 8, 2):
        (_, ours), (_, theirs) = lines[start : start + 2]
        assert ours == theirs and json.loads(ours)["told"] == (start == 0)
    assert result.entrants["regard"].about["agreement"] == 1.0
    assert result.entrants["HF generate"].about["agreement"] == 0.5
    first, second = result.comparisons
    assert (first.peer, first.value, str(first.duel.goal)) == ("HF generate", 0.5, "≥ 2×")
    assert second.duel == DUELS[1] and second.value is None


def test_batches_are_neighbours_and_single_sentences_are_spread():
    batches = portions(WAY, sources=50, rounds=6)
    assert len(batches) == 7 and len({tuple(one) for one in batches}) > 1
    for one in batches:
        assert one == list(range(one[0], one[0] + 4)) and one[-1] < 50
    singles = portions(WAYS["1-greedy"], sources=50, rounds=2)
    assert [len(set(one)) for one in singles] == [32, 32, 32]
    assert portions(WAY, sources=3, rounds=1) == [[0, 1, 2]] * 2


def test_agreement_is_a_share():
    assert agreement([[1, 2], [3], [4]], [[1, 2], [3, 3], [5]]) == pytest.approx(1 / 3)
