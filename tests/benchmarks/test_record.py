import json
import math

from benchmarks.record import finite
from benchmarks.report import SCHEMA, to_json

LAYOUT = {
    "schema": str,
    "machine": {
        "date": str,
        "command": str,
        "commit": str,
        "cpu": str,
        "cores": int,
        "memory_bytes": int,
        "threads": int,
        "load": [float],
        "system": str,
        "python": str,
        "versions": dict,
    },
    "warning": str,
    "load_at_end": [float],
    "settings": {"topic": str, "quick": bool, "only": [str], "repeats": int, "threads": int},
    "systems": dict,
    "suites": [
        {
            "name": str,
            "title": str,
            "note": str,
            "seconds": float,
            "races": [
                {"case": dict, "times": dict, "absent": dict, "comparisons": [dict]},
            ],
            "curves": [
                {
                    "quantity": str,
                    "unit": str,
                    "system": str,
                    "case": dict,
                    "sizes": [int],
                    "values": [float],
                    "exponent": float,
                    "last_exponent": float,
                    "absent": type(None),
                    "goal": str,
                },
            ],
            "probes": [
                {"title": str, "system": str, "case": dict, "peak": dict, "timed": dict},
            ],
        },
    ],
    "goals": {"summary": str, "met": int, "missed": int, "unmeasured": int, "list": [dict]},
}


def check(data, layout, where="report"):
    if isinstance(layout, dict):
        assert set(data) == set(layout), where
        for name, inner in layout.items():
            check(data[name], inner, f"{where}.{name}")
    elif isinstance(layout, list):
        assert isinstance(data, list) and data, where
        for item in data:
            check(item, layout[0], f"{where}[]")
    else:
        assert isinstance(data, layout), f"{where} is {type(data).__name__}"


def test_the_layout_is_the_one_readers_know(report):
    data = json.loads(json.dumps(to_json(report), allow_nan=False))
    check(data, LAYOUT)
    assert data["schema"] == SCHEMA == "regard-bench/1"


def test_every_sample_is_kept_with_its_median_spread_and_loops(report):
    times = to_json(report)["suites"][0]["races"][0]["times"]
    assert times["regard, numba"] == {
        "median": 0.003,
        "spread": (0.0035 - 0.0025) / 0.003,
        "loops": 3,
        "seconds": [0.002, 0.004, 0.003],
        "disagreement": None,
    }
    assert times["eager"]["disagreement"] == 0.25


def test_comparisons_carry_both_ratios_and_absent_peers_none(report):
    first, second = to_json(report)["suites"][0]["races"][0]["comparisons"]
    assert (first["peer"], first["value"], first["goal"]) == ("eager", 50.0, "≥ 30×")
    assert round(first["of_medians"], 6) == 60.0
    assert (second["peer"], second["value"], second["of_medians"]) == (None, None, None)


def test_goals_are_counted_by_state(report):
    goals = to_json(report)["goals"]
    # met: additive, memory, peak; missed: softmax, the time of weigh; not measured: keras
    assert (goals["met"], goals["missed"], goals["unmeasured"]) == (3, 2, 1)
    assert goals["summary"] == "goals met: 3 of 5 (1 not measured)"
    states = [goal["state"] for goal in goals["list"]]
    assert states == ["met", "unmeasured", "missed", "met", "met", "missed"]
    assert goals["list"][0]["verdict"] == "≥ 30× ✓ 50.0×"


def test_what_json_has_no_word_for_becomes_null():
    data = {"a": [1.5, math.nan, {"b": math.inf}], "c": -math.inf, "d": "nan", "e": 2}
    assert finite(data) == {"a": [1.5, None, {"b": None}], "c": None, "d": "nan", "e": 2}


def test_a_call_of_ours_that_gave_no_answer_is_a_missed_goal(report):
    goal = to_json(report)["goals"]["list"][-1]
    assert (goal["state"], goal["value"], goal["verdict"]) == ("missed", None, "< 2 s ✗ failed")
