"""Real processes, but small ones: decoders that count instead of translating."""

import pytest

from benchmarks.decoding import race as racing
from benchmarks.decoding.contenders import Way
from benchmarks.decoding.race import agreement, at_work, portions, run_race
from benchmarks.decoding.results import DecodingSettings
from benchmarks.training.contenders import Contender

COUNTS = """
import json, sys
job = json.loads(sys.argv[1])
log = open(job["folder"] + "/order", "a", buffering=1)
print(json.dumps({"versions": {"it": "1.0"}}), flush=True)
for turn, line in enumerate(sys.stdin):
    order = json.loads(line)
    log.write("NAME " + line)
    if "NAME" == "breaks" and turn == 2:
        sys.exit("out of breath")
    count = len(order["numbers"]) * job["length"]
    answer = {"seconds": SECONDS * count, "sentences": len(order["numbers"]), "tokens": count,
        "idle_cpu": 0.0, "peak_bytes": 13}
    if order["told"]:
        answer["answers"] = [[n if "NAME" != "other" or n % 2 else -1] for n in order["numbers"]]
    print(json.dumps(answer), flush=True)
"""
WAY = Way("2-beam", size=2, beam=3, sentences=4)


@pytest.fixture
def raced(tmp_path, monkeypatch):
    decoders = tmp_path / "outside" / "decoders"
    decoders.mkdir(parents=True)
    (decoders / "__init__.py").write_text("")
    seconds = {"ours": 1.0, "slow": 3.0, "other": 0.5, "breaks": 1.0}
    for name, each in seconds.items():
        script = COUNTS.replace("NAME", name).replace("SECONDS", str(each))
        (decoders / f"{name}.py").write_text(script)
    monkeypatch.setattr(racing, "OUTSIDE", decoders.parent)

    def run(names, rounds=3, ways=(WAY,)):
        contenders = tuple(Contender(title, driver, "for a test") for title, driver in names)
        gone = Contender("gone", "gone", "for a test", "no-such-environment")
        settings = DecodingSettings(environments=tmp_path, threads=1, length=5)
        with at_work((*contenders, gone), settings, tmp_path, lambda _: None) as crew:
            return [
                run_race(crew, way, sources=11, rounds=rounds, tell=lambda _: None) for way in ways
            ]

    return run


def test_everybody_translates_the_same_sentences_in_every_round(raced, tmp_path):
    (race,) = raced([("regard", "ours"), ("HF generate", "slow"), ("CTranslate2", "other")])
    lines = (tmp_path / "order").read_text().splitlines()
    assert len(lines) == 12
    rounds = [lines[start : start + 3] for start in range(0, 12, 3)]
    for one in rounds:
        assert {line.split(" ", 1)[0] for line in one} == {"ours", "slow", "other"}
        assert len({line.split(" ", 1)[1] for line in one}) == 1
    assert race.absent == {"gone": "not installed"}
    assert [len(system.turns) for system in race.decoded.values()] == [3, 3, 3]
    first, second = race.comparisons
    assert (first.peer, first.value, str(first.duel.goal)) == ("HF generate", 3.0, "≥ 2×")
    assert (second.peer, second.value, second.duel.goal) == ("CTranslate2", 0.5, None)
    assert [verdict.state for verdict in race.verdicts] == ["met"]


def test_answers_that_differ_from_ours_are_counted(raced):
    (race,) = raced([("regard", "ours"), ("HF generate", "other")])
    assert race.decoded["regard"].agreement == 1.0
    assert race.decoded["HF generate"].agreement == 0.5


def test_who_breaks_is_out_of_this_race_and_the_next(raced):
    first, second = raced([("regard", "ours"), ("HF generate", "breaks")], ways=(WAY, WAY))
    for race in (first, second):
        assert list(race.decoded) == ["regard"]
        assert race.absent["HF generate"] == "the process ended with 1: out of breath"
        assert race.comparisons[0].value is None


def test_if_we_break_the_goal_is_missed(raced):
    (race,) = raced([("regard", "breaks"), ("HF generate", "slow")])
    assert [verdict.state for verdict in race.verdicts] == ["missed"]


def test_batches_are_neighbours_and_single_sentences_are_spread():
    batches = portions(WAY, sources=50, rounds=6)
    assert len(batches) == 7 and len({tuple(one) for one in batches}) > 1
    for one in batches:
        assert one == list(range(one[0], one[0] + 4)) and one[-1] < 50
    singles = portions(Way("1", size=1, beam=1, sentences=5), sources=50, rounds=2)
    assert [len(set(one)) for one in singles] == [5, 5, 5]
    assert portions(WAY, sources=3, rounds=1) == [[0, 1, 2]] * 2


def test_agreement_is_a_share():
    assert agreement([[1, 2], [3], [4]], [[1, 2], [3, 3], [5]]) == pytest.approx(1 / 3)
