"""The report on decoding as plain data, for files and other programs."""

from dataclasses import asdict
from typing import Any

from ..record import comparison_json, finite, goals_json, machine_json
from .contenders import CONTENDERS
from .results import Decoded, DecodingRace, DecodingReport

SCHEMA = "regard-bench-decoding/1"
"""Name and version of the layout; the number rises when a reader would have to change."""


def to_json(report: DecodingReport) -> dict[str, Any]:
    """Everything in ``report``, as dicts, lists, strings and numbers."""
    settings, prepared = report.settings, report.prepared
    paths = {
        "only": list(settings.only),
        "data": [path.name for path in settings.data],
        "model": settings.model and settings.model.name,
        "environments": str(settings.environments),
    }
    model = prepared._asdict() | {"config": prepared.config.model_dump(mode="json")}
    del model["folder"]  # gone by now
    return finite(
        {
            "schema": SCHEMA,
            **machine_json(report.machine, report.load_at_end),
            "settings": asdict(settings) | paths,
            "model": model,
            "systems": {
                contender.name: {
                    "note": contender.note,
                    "versions": report.versions.get(contender.name),
                }
                for contender in CONTENDERS
            },
            "races": [race_json(race) for race in report.races],
            "goals": goals_json(report.summary, report.verdicts),
        }
    )


def race_json(race: DecodingRace) -> dict[str, Any]:
    """Every turn of everybody."""
    return {
        **asdict(race.way),
        "title": race.way.title,
        "times": {name: decoded_json(system) for name, system in race.decoded.items()},
        "absent": race.absent,
        "comparisons": [comparison_json(comparison) for comparison in race.comparisons],
    }


def decoded_json(system: Decoded) -> dict[str, Any]:
    """A system's numbers."""
    return {
        "tokens_per_second": system.tokens_per_second,
        "spread": system.samples.spread,
        "agreement": system.agreement,
        "peak_bytes": system.peak_bytes,
        "turns": [asdict(turn) for turn in system.turns],
    }
