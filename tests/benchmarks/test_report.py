from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from benchmarks.report import pages
from benchmarks.tables import header


@pytest.fixture
def text(report) -> str:
    console = Console(width=220, record=True, file=StringIO())
    for part in pages(report):
        console.print(part)
    return console.export_text()


def test_the_header_states_command_machine_load_threads_and_versions(text):
    assert "regard bench kernels --quick" in text
    assert "2025-03-04T05:06:07+00:00" in text
    assert "Abacus 7, 2 cores, 3 GiB, Linux" in text
    assert "0.75 0.50 0.25 at the start, 1.00 0.50 0.25 at the end" in text
    assert "python 3.11.7, torch 2.13.0, keras not installed" in text
    assert "Warning: The load average was 0.75" in text


def test_a_calm_machine_gets_no_warning(report):
    calm = replace(report, machine=replace(report.machine, load=(0.1, 0.1, 0.1)))
    console = Console(width=200, record=True, file=StringIO())
    console.print(header(calm))
    assert "Warning" not in console.export_text()


def test_a_row_has_times_spread_ratio_goal_and_verdict(text):
    assert "3.00 ± 33%" in text
    assert "180 ± 39%" in text
    assert "eager / regard, numba  ≥ 30× ✓ 50.0×" in text
    assert "regard / sdpa  ≤ 1.05× ✗ 1.100×" in text


def test_an_absent_peer_is_named_with_its_reason_and_its_goal_left_open(text):
    assert "keras / regard, numba  ≥ 30× ? not measured" in text
    assert "· keras, forward: not installed; pip install 'regard[bench]'" in text


def test_an_answer_that_differs_is_pointed_out(text):
    differs = "· eager differs by 2.5e-01 from regard, numba: additive 1×1×1024×64, forward"
    assert differs in text
    assert "sdpa differs" not in text


def test_growth_and_probes_have_their_verdicts(text):
    assert "1024: 5.00 MB, 2048: 10.0 MB" in text
    assert "≤ 1.15 ✓ 1.000" in text
    assert "< 300 MB ✓ 120 MB" in text
    assert "no answer within 600 s" in text


def test_the_last_line_counts_the_goals(text):
    assert text.strip().splitlines()[-1] == "goals met: 3 of 5 (1 not measured)"
