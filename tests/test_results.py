"""Numbers of the pages are those of the results that are kept, and these are of committed code."""

import json
import re

import pytest

import lens_tables
from result_tables import (
    KERNELS,
    Row,
    curves,
    measured,
    mechanisms,
    rates,
    ratios,
    speedup,
    times,
)
from results import (
    HEADLINES,
    KEPT,
    PAGES,
    REGION,
    REGIONS,
    compact,
    evaluated,
    keep,
    loose_tables,
    region,
)
from results import rendered as rendered_page

TEXTS = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
README, RESULTS = TEXTS["README.md"], TEXTS["results.md"]
CASE = {"mechanism": "additive", "shape": [1, 1, 7, 5], "mask": "plain", "backward": True}
MACHINE = {
    "commit": "0123456789",
    "command": "regard bench kernels",
    "cpu": "Abacus 7",
    "threads": 2,
    "load": [0.25, 0.5, 0.75],
    "date": "2025-03-04T05:06:07+00:00",
    "versions": {"torch": "2.13.0", "keras": "not installed"},
}


def result(*comparisons, commit="0123456789"):
    race = {
        "case": CASE,
        "times": {"regard": {"median": 0.2, "seconds": [0.1, 0.2, 0.3]}},
        "comparisons": list(comparisons),
    }
    return {"machine": MACHINE | {"commit": commit}, "suites": [{"races": [race]}]}


def comparison(peer, value, measure="speedup"):
    return {"ours": "regard", "peers": [peer], "peer": peer, "value": value, "measure": measure}


def row(peer):
    return Row("", "additive", (1, 1, 7, 5), peer, peer)


@pytest.mark.parametrize("page", TEXTS.values(), ids=TEXTS)
def test_what_the_pages_say_is_what_was_kept(page):
    assert rendered_page(page) == page


def test_a_number_that_was_changed_by_hand_is_noticed():
    changed = re.sub(r"\| [\d.]+× \|", "| 99× |", RESULTS, count=1)
    assert changed != RESULTS
    assert rendered_page(changed) == RESULTS


def test_no_table_of_results_is_outside_of_the_marks():
    assert loose_tables(README, numbers=True) == []
    assert loose_tables(RESULTS, numbers=False) == []
    table = "| a | b |\n|---|--:|\n| x | 7 |\n"
    assert loose_tables(f"text\n\n{table}", numbers=True) == ["| a | b |"]
    assert (
        loose_tables(f"<!-- result: kernels -->\n{table}<!-- end of result -->", numbers=True) == []
    )
    assert loose_tables(table.replace("--:", "---"), numbers=True) == []
    assert loose_tables(table.replace("--:", "---"), numbers=False) == ["| a | b |"]


def test_the_readme_has_the_six_headlines_and_other_pages_everything_else_once():
    assert [match[2] for match in REGION.finditer(README)] == ["headlines"]
    found = [match[2] for name in TEXTS for match in REGION.finditer(TEXTS[name])]
    assert sorted(found) == sorted(["headlines", *REGIONS])
    names = ["additive", "sparsemax", "memory", "training", "decoding", "grammar"]
    assert [headline.name for headline in HEADLINES] == names
    rows = next(REGION.finditer(README))[3].strip().splitlines()[2:]
    assert len(rows) == 6 and all(re.search(r"\d", line.split("|")[2]) for line in rows)


def test_what_was_not_measured_is_said_so(tmp_path):
    assert region("kernels", tmp_path) == "Not measured yet: `regard bench kernels`."
    assert region("headlines", tmp_path).count("| not measured yet | `regard ") == 6


def test_every_result_that_is_kept_names_its_commit_command_machine_and_date():
    assert {path.stem for path in KEPT.glob("*.json")} <= {one.source for one in REGIONS.values()}
    for path in KEPT.glob("*.json"):
        data = json.loads(path.read_text(encoding="utf-8"))
        machine, copied = data["machine"], data.get("transcribed", False)
        assert copied or (machine["commit"] and not machine["commit"].endswith("+"))
        assert machine["command"].startswith(("regard ", "python -m benchmarks"))
        assert machine["cpu"] and machine["date"].startswith("20") and machine["versions"]


def test_who_measured_what_and_when_is_told_and_what_was_copied_says_so():
    data = {"machine": MACHINE, "goals": {"summary": "goals met: 1 of 1"}}
    assert measured(data) == (
        "*`regard bench kernels`, commit 0123456789, Abacus 7, 2 threads, torch 2.13.0, "
        "load 0.2 at the start, 2025-03-04; goals met: 1 of 1.*"
    )
    copied = {"machine": MACHINE | {"commit": None, "load": None}, "transcribed": True}
    assert measured(copied).endswith("2025-03-04; copied from an earlier README.*")


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


def test_rates_stand_beside_each_other_with_ours_as_a_ratio(tmp_path):
    systems = {"regard": {"tokens_per_second": 3000.4}, "HF generate": {"tokens_per_second": 1500}}
    found = [comparison("HF generate", 2.0), comparison(None, None)]
    first = {"title": "batch 1", "times": systems, "comparisons": found}
    second = {"title": "batch 2", "times": {"regard": systems["regard"]}, "comparisons": []}
    data = {"machine": MACHINE, "races": [first, second]}
    assert rates("times")(data).splitlines() == [
        "| tokens per second | regard | HF generate |",
        "|---|--:|--:|",
        "| batch 1 | 3,000 | 1,500 (2.0×) |",
        "| batch 2 | 3,000 |  |",
    ]
    (tmp_path / "decoding.json").write_text(json.dumps(data | {"races": [first]}))
    line = "| decoding, beside Hugging Face | 2.0× to 2.0×, by batch and search | `regard bench"
    assert line in region("headlines", tmp_path)
    assert region("decoding", tmp_path).endswith("2025-03-04.*")


def test_mechanisms_have_a_row_each_and_a_column_per_length_there_is():
    one = {
        "title": "Bahdanau",
        "bleu": 31.52,
        "chrf": 40.0,
        "exact": 0.125,
        "aer": None,
        "peak_bytes": 512_000_000,
        "tokens_per_second": 4321.0,
        "updates": 1200,
        "parameters": 2_010_000,
        "lengths": [
            {"label": "0–10", "sentences": 3, "bleu": 33.0},
            {"label": "11+", "sentences": 0, "bleu": None},
        ],
    }
    head, _, line = mechanisms({"mechanisms": {"bahdanau": one}}).splitlines()
    assert head.endswith("| parameters | BLEU, 0–10 words |")
    assert line == (
        "| Bahdanau | 31.5 | 40.0 | 12.5% |  | 512 MB | 4,321 | 1,200 | 2.01 M | 33.0 |"
    )


def test_scores_of_an_evaluation_are_a_table_with_intervals(tmp_path):
    one = {
        "model": "en-tagger",
        "scores": {"accuracy": 95.678, "macro_f1": 90.5},
        "intervals": {"accuracy": {"low": 95.1, "high": 96.2}},
        "confusion": {"labels": ["X"], "counts": [[3]]},
    }
    printed = tmp_path / "printed.json"
    printed.write_text(json.dumps(one))
    kept = evaluated(printed, "tagging", "regard evaluate en-tagger", kept=tmp_path)
    assert "confusion" not in kept.read_text()
    told = region("tagging", tmp_path)
    assert "| accuracy | 95.68 [95.1, 96.2] |\n| macro f1 | 90.5 |" in told
    assert "`regard evaluate en-tagger`" in told
    with pytest.raises(SystemExit, match="no region is called 'taging'"):
        evaluated(printed, "taging", "regard evaluate", kept=tmp_path)


def test_curves_stand_minute_by_minute_and_speeds_beside_each_other():
    points = [{"minutes": 1, "value": 1.9}, {"minutes": 2, "value": 1.75}]
    drawn = {"unit": "nats", "curves": {"regard": points, "plain": points[::-1]}}
    assert curves(drawn).splitlines()[2:] == ["| 1 | 1.900 | 1.900 |", "| 2 | 1.750 | 1.750 |"]
    one = {"rows": 64, "sampling": True, "HF": 3.0, "regard": 1.5}
    assert ratios({"times": [one]}).splitlines()[2] == "| 64, drawn | 1.50 s | 3.00 s | 2.00× |"


def test_jobs_of_the_lens_stand_side_by_side_with_what_came_and_what_did_not():
    way = {"job": "weights", "tool": "one", "tokens": 2048, "lines": 3}
    done = {"seconds": 1.236, "MB": 1500.4, "attention": "sdpa"}
    ways = [
        way | done | {"error": 2.3e-7},
        way | {"tool": "two", "failed": "KeyError: 'x'."},
        way | done | {"job": "page", "tokens": 64, "attention": "eager", "megabytes": 5.25},
    ]
    lines = lens_tables.side_by_side({"ways": ways}).splitlines()[2:]
    assert lines == [
        "| weights, 2,048 tokens | one | eager run ± 2e-07; the model ran fused | 3 "
        "| 1.24 | 1,500 |",
        "|  | two | nothing: KeyError: 'x' | 3 | - | - |",
        "| page, 64 tokens | one | 5.2 MB of HTML; the model ran eager | 3 | 1.24 | 1,500 |",
    ]
    head = {"module": "b.a, call 3", "head": 2, "note": "right in 90 %"}
    atoms = {"job": "RXNMapper", "reactions": 7, "atoms": 50, "heads": 12, "named": 1}
    vectors = {"job": "MiniLM", "texts": 5, "error": 1.3e-7}
    sentences = lens_tables.published({"published": [vectors, atoms | {"best": [head]}]})
    assert "of 5 texts differ from those of sentence-transformers by 1e-07 at most." in sentences
    assert sentences.endswith("names 1. The best: head 2 of `a, call 3`, right in 90 %.")
    told = [
        {"job": "watching", "ratio": 1.0104, "kept": True},
        {"job": "8 rows of 16k", "seconds": 0.0514, "kept": False},
        {"job": "value norms of 512", "MB": 154.2, "kept": True},
    ]
    lines = lens_tables.costs({"costs": told}).splitlines()[2:]
    assert [line.split(" | ")[1:] for line in lines] == [
        ["1.010×", "kept |"],
        ["51 ms", "missed |"],
        ["154 MB", "kept |"],
    ]


def test_single_samples_are_not_kept():
    assert compact(result())["suites"][0]["races"][0]["times"]["regard"] == {"median": 0.2}
    race = {"systems": {"regard": {"tokens_per_second": 5, "turns": [1, 2]}}}
    assert compact({"races": [race]})["races"][0]["systems"]["regard"] == {"tokens_per_second": 5}


def test_what_is_kept_overwrites_what_was_copied(tmp_path):
    path = tmp_path / "mechanisms.json"
    path.write_text(json.dumps(result()))
    with pytest.raises(SystemExit, match="keep it as one of asking-pictures, autoencoding"):
        keep(path, kept=tmp_path)
    (tmp_path / "kernels.json").write_text('{"transcribed": true}')
    assert keep(path, "kernels", kept=tmp_path) == tmp_path / "kernels.json"
    assert "suites" in json.loads((tmp_path / "kernels.json").read_text())


def test_what_was_measured_on_changed_sources_is_not_kept(tmp_path):
    path = tmp_path / "kernels.json"
    path.write_text(json.dumps(result(commit="0123456789+")))
    with pytest.raises(SystemExit, match="not committed"):
        keep(path, kept=tmp_path)


def kernels_result():
    """A whole result of functions: every ratio 3, 13 MB instead of 806 MB."""
    races = [
        {
            "case": {
                "mechanism": row.mechanism,
                "shape": list(row.shape),
                "mask": row.mask,
                "backward": backward,
            },
            "times": {},
            "comparisons": [
                {"ours": row.ours, "peers": [row.peer], "value": 3.0, "measure": "speedup"},
                {"ours": row.ours, "peers": ["best"], "value": 1.04, "measure": "slowdown"},
            ],
        }
        for row in KERNELS
        for backward in (False, True)
    ]
    curves = [
        {
            "quantity": "memory",
            "system": system,
            "case": {"mechanism": "additive", "backward": True},
            "sizes": [1024, 2048],
            "values": [value / 2, value],
            "exponent": 1.0,
        }
        for system, value in (("regard, numba", 13e6), ("eager", 806e6))
    ]
    probes = [{"peak": {"bytes": 9e6}, "timed": {"seconds": 0.25}}] * 2
    return {
        "machine": MACHINE,
        "suites": [
            {"name": "default", "races": races, "curves": curves, "probes": []},
            {"name": "weigh", "races": [], "curves": [], "probes": probes},
        ],
    }


def test_a_result_of_functions_gives_a_table_the_memory_the_default_and_three_headlines(tmp_path):
    (tmp_path / "kernels.json").write_text(json.dumps(kernels_result()))
    table = region("kernels", tmp_path)
    assert table.count("| 3.0× | 3.0× |") == len(KERNELS)
    assert "| additive score | (1, 1, 1024, 64) | eager form | 3.0× | 3.0× |" in table
    assert "is 6 MB at N = 1,024 and 13 MB at N = 2,048 (the eager form: 806 MB at N" in region(
        "memory", tmp_path
    )
    assert "in 2 of 2 cases, and at worst 1.04 times (forward, padded, (1, 8, 4096" in region(
        "default", tmp_path
    )
    told = region("headlines", tmp_path)
    assert told.count("3.0× forward, 3.0× with backward") == 2
    assert "13 MB at N = 2,048; the eager form takes 806 MB at N = 2,048" in told
    assert told.count("not measured yet") == 3
