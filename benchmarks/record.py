"""Reports as plain data, for files and other programs."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from .goals import Verdict
from .race import Comparison, Entrant, RaceResult, Report, Timed


def document(report: Report[Any, Any], schema: str, **body: Any) -> dict[str, Any]:
    """A report as JSON: where it was measured, what was asked for, what came of it, the goals.

    Args:
        report: the run.
        schema: name and version of the layout.
        body: what the topic itself has to say, already plain.
    """
    machine = report.machine
    return finite(
        {
            "schema": schema,
            "machine": asdict(machine) | {"load": list(machine.load)},
            "warning": machine.warning,
            "load_at_end": list(report.load_at_end),
            "settings": report.settings.to_json(),
            **body,
            "goals": goals_json(report.summary, report.verdicts),
        }
    )


def finite(data: Any) -> Any:
    """``data`` with None for every number JSON has no word for: NaN and the infinities."""
    if isinstance(data, dict):
        return {name: finite(value) for name, value in data.items()}
    if isinstance(data, list):
        return [finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def race_json(
    result: RaceResult[Any, Entrant], name: str, entrant_json: Callable[[Entrant], dict[str, Any]]
) -> dict[str, Any]:
    """A race: its subject, everybody's numbers, who is missing, the comparisons.

    Args:
        result: the race.
        name: what the numbers are called.
        entrant_json: the numbers of one.
    """
    return {
        **result.race.what.facts(),
        name: {system: entrant_json(entrant) for system, entrant in result.entrants.items()},
        "absent": dict(result.absent),
        "comparisons": [comparison_json(comparison) for comparison in result.comparisons],
    }


def timed_json(system: Timed) -> dict[str, Any]:
    """Every turn of a process."""
    return {
        **system.about,
        "tokens_per_second": system.rate,
        "spread": system.samples.spread,
        "peak_bytes": system.peak_bytes,
        "turns": [dict(turn) for turn in system.turns],
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
        "between": comparison.between and list(comparison.between),
        "goal": str(duel.goal) if duel.goal else None,
    }


def goals_json(summary: str, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """All goals, and how many of them are in which state."""
    states = [verdict.state for verdict in verdicts]
    return {
        "summary": summary,
        **{state: states.count(state) for state in ("met", "missed", "unmeasured")},
        "list": [verdict_json(verdict) for verdict in verdicts],
    }


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
