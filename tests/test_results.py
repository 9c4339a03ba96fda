"""Numbers of the README are those of the results that are kept, and these are of committed code."""

import json

import pytest

from results import KEPT, README, Row, compact, keep, rendered, speedup, times

CASE = {"mechanism": "additive", "shape": [1, 1, 7, 5], "mask": "plain", "backward": True}


def result(*comparisons, commit="0123456789"):
    race = {
        "case": CASE,
        "times": {"regard": {"median": 0.2, "seconds": [0.1, 0.2, 0.3]}},
        "comparisons": list(comparisons),
    }
    return {"machine": {"commit": commit}, "suites": [{"races": [race]}]}


def comparison(peer, value, measure="speedup"):
    return {"ours": "regard", "peers": [peer], "value": value, "measure": measure}


def row(peer):
    return Row("", "additive", (1, 1, 7, 5), peer, peer)


def test_what_the_readme_says_is_what_was_kept():
    text = README.read_text()
    assert rendered(text) == text


def test_every_result_that_is_kept_names_its_commit_command_machine_and_date():
    for path in KEPT.glob("*.json"):
        machine = json.loads(path.read_text())["machine"]
        assert machine["commit"] and not machine["commit"].endswith("+")
        assert machine["command"].startswith("regard bench ")
        assert machine["cpu"] and machine["date"].startswith("20")


def test_a_slowdown_is_told_as_the_speed_beside_the_peer():
    data = result(comparison("slow", 3.0), comparison("fast", 4.0, "slowdown"))
    assert speedup(data, row("slow"), backward=True) == 3.0
    assert speedup(data, row("fast"), backward=True) == 0.25
    with pytest.raises(SystemExit, match="no result"):
        speedup(data, row("slow"), backward=False)


def test_ratios_have_two_digits_that_count():
    assert [times(x) for x in (0.5, 1.149, 1.96, 9.94, 9.96, 31.4)] == [
        *("0.50×", "1.15×", "2.0×", "9.9×", "10×", "31×"),
    ]


def test_single_samples_are_not_kept():
    assert compact(result())["suites"][0]["races"][0]["times"]["regard"] == {"median": 0.2}


def test_what_was_measured_on_changed_sources_is_not_kept(tmp_path):
    path = tmp_path / "kernels.json"
    path.write_text(json.dumps(result(commit="0123456789+")))
    with pytest.raises(SystemExit, match="not committed"):
        keep(path)
