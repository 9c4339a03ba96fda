"""The report on training as plain data, for files and other programs."""

from dataclasses import asdict
from typing import Any

from ..record import comparison_json, finite, goals_json, machine_json
from .results import Trained, TrainingRace, TrainingReport

SCHEMA = "regard-bench-training/1"
"""Name and version of the layout; the number rises when a reader would have to change."""


def to_json(report: TrainingReport) -> dict[str, Any]:
    """Everything in ``report``, as dicts, lists, strings and numbers."""
    settings = report.settings
    paths = {
        "only": list(settings.only),
        "data": [path.name for path in settings.data],
        "environments": str(settings.environments),
    }
    corpus = report.corpus._asdict()
    del corpus["folder"]  # gone by now
    return finite(
        {
            "schema": SCHEMA,
            **machine_json(report.machine, report.load_at_end),
            "settings": asdict(settings) | paths,
            "corpus": corpus,
            "races": [race_json(race) for race in report.races],
            "goals": goals_json(report.summary, report.verdicts),
        }
    )


def race_json(race: TrainingRace) -> dict[str, Any]:
    """Every turn of everybody."""
    return {
        "name": race.architecture.name,
        "title": race.architecture.title,
        "systems": {name: trained_json(system) for name, system in race.trained.items()},
        "absent": race.absent,
        "comparisons": [comparison_json(comparison) for comparison in race.comparisons],
    }


def trained_json(system: Trained) -> dict[str, Any]:
    """A system's numbers."""
    return {
        "note": system.contender.note,
        "versions": system.versions,
        "parameters": system.parameters,
        "tokens_per_second": system.tokens_per_second,
        "spread": system.samples.spread,
        "target_tokens_per_update": system.tokens_per_update,
        "padded_tokens_per_update": system.padded_per_update,
        "sentences_per_update": system.rows_per_update,
        "peak_bytes": system.peak_bytes,
        "turns": [asdict(turn) for turn in system.turns],
    }
