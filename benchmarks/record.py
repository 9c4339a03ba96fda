"""A report as plain data, for files and other programs."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from .machine import Machine
from .memory import Peak
from .reasons import Absence
from .results import Comparison, CurveResult, ProbeResult, RaceResult, Report, Section, Verdict

SCHEMA = "regard-bench/1"
"""Name and version of the layout; the number rises when a reader would have to change."""


def to_json(report: Report) -> dict[str, Any]:
    """Everything in ``report``, as dicts, lists, strings and numbers."""
    everything = {
        "schema": SCHEMA,
        **machine_json(report.machine, report.load_at_end),
        "settings": asdict(report.settings) | {"only": list(report.settings.only)},
        "systems": {
            name: {"note": note, "installed": installed}
            for name, (note, installed) in report.systems.items()
        },
        "suites": [section_json(section) for section in report.sections],
        "goals": goals_json(report.summary, report.verdicts),
    }
    return finite(everything)


def machine_json(machine: Machine, load_at_end: tuple[float, float, float]) -> dict[str, Any]:
    """Where it was measured, and how busy that was."""
    return {
        "machine": asdict(machine) | {"load": list(machine.load)},
        "warning": machine.warning,
        "load_at_end": list(load_at_end),
    }


def goals_json(summary: str, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """All goals, and how many of them are in which state."""
    states = [verdict.state for verdict in verdicts]
    return {
        "summary": summary,
        **{state: states.count(state) for state in ("met", "missed", "unmeasured")},
        "list": [verdict_json(verdict) for verdict in verdicts],
    }


def finite(data: Any) -> Any:
    """``data`` with None for every number JSON has no word for: NaN and the infinities."""
    if isinstance(data, dict):
        return {name: finite(value) for name, value in data.items()}
    if isinstance(data, list):
        return [finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def section_json(section: Section) -> dict[str, Any]:
    """One suite and its numbers."""
    return {
        "name": section.suite.name,
        "title": section.suite.title,
        "note": section.suite.note,
        "seconds": section.seconds,
        "races": [race_json(result) for result in section.races],
        "curves": [curve_json(result) for result in section.curves],
        "probes": [probe_json(result) for result in section.probes],
    }


def race_json(result: RaceResult) -> dict[str, Any]:
    """Every sample of a race, in seconds per call."""
    return {
        "case": result.race.case.to_json(),
        "times": {
            name: {
                "median": samples.median,
                "spread": samples.spread,
                "loops": result.loops[name],
                "seconds": list(samples.seconds),
                "disagreement": result.disagreement.get(name),
            }
            for name, samples in result.samples.items()
        },
        "absent": result.absent,
        "comparisons": [comparison_json(comparison) for comparison in result.comparisons],
    }


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """Who against whom, by which measure, with which outcome."""
    duel = comparison.duel
    return {
        "ours": duel.ours,
        "peers": list(duel.peers),
        "peer": comparison.peer,
        "measure": duel.measure,
        "value": comparison.value,
        "of_medians": comparison.of_medians,
        "goal": str(duel.goal) if duel.goal else None,
    }


def curve_json(result: CurveResult) -> dict[str, Any]:
    """Sizes, values in seconds or bytes, exponents."""
    curve = result.curve
    return {
        "quantity": curve.quantity,
        "unit": "seconds" if curve.quantity == "time" else "bytes",
        "system": curve.system,
        "case": curve.cases[0].to_json(),
        "sizes": list(result.sizes),
        "values": list(result.values),
        "exponent": result.exponent,
        "last_exponent": result.last,
        "absent": result.absent,
        "goal": str(curve.goal) if curve.goal else None,
    }


def probe_json(result: ProbeResult) -> dict[str, Any]:
    """Memory and time of a call in its own process."""
    return {
        "title": result.probe.title,
        "system": result.probe.system,
        "case": result.probe.case.to_json(),
        "peak": outcome_json(result.peak),
        "timed": outcome_json(result.timed),
    }


def outcome_json(outcome: Peak | Absence) -> dict[str, Any]:
    """The numbers, or ``{"absent": why}``."""
    return {"absent": outcome.reason} if isinstance(outcome, Absence) else asdict(outcome)


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """A goal, its value and its verdict."""
    return {
        "what": verdict.what,
        "goal": str(verdict.goal),
        "value": verdict.value,
        "unit": verdict.goal.unit,
        "state": verdict.state,
        "verdict": verdict.goal.verdict(verdict.value),
    }
