"""The comparison as plain data, for files and other programs."""

from typing import Any

from ..record import finite, machine_json
from .contenders import MECHANISMS
from .results import MechanismsReport
from .store import asked

SCHEMA = "regard-bench-mechanisms/1"
"""Name and version of the layout; the number rises when a reader would have to change."""


def to_json(report: MechanismsReport) -> dict[str, Any]:
    """Everything in ``report``, as dicts, lists, strings and numbers."""
    settings = report.settings
    names = {"data": settings.data, "test": settings.test}
    return finite(
        {
            "schema": SCHEMA,
            **machine_json(report.machine, report.load_at_end),
            "settings": asked(settings)
            | {name: [path.name for path in paths] for name, paths in names.items()}
            | {"only": list(settings.only)},
            "task": report.task,
            "minutes": report.minutes,
            "sentences": report.sentences,
            "mechanisms": {
                name: {"title": MECHANISMS[name].title, **result.model_dump(mode="json")}
                for name, result in report.results.items()
            },
            "absent": report.absent,
        }
    )
