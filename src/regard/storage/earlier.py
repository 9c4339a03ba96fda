"""Settings as earlier versions stored them: they knew no task but translation."""

from collections.abc import Mapping
from typing import Any

EARLIER_FIELDS = {
    "data": "data",
    "vocabulary": "vocabulary",
    "objective": "loss",
    "link_above": "link_above",
}
"""Settings of translation that lay among all others then, and their names today."""
EARLIER_RATES = {"word_rate": "embeddings", "centre_rate": "window_centres"}
"""Fields of the optimisation then, and the groups of parameters whose rates they multiply."""


def upgraded(settings: Any) -> Any:
    """Stored settings as they are written today: those of translators once named no task."""
    if not isinstance(settings, Mapping) or "task" in settings or "model" not in settings:
        return settings
    task = {now: settings[then] for then, now in EARLIER_FIELDS.items() if then in settings}
    rest = {name: value for name, value in settings.items() if name not in EARLIER_FIELDS}
    if isinstance(rest.get("optimisation"), Mapping):
        rates = dict(rest["optimisation"])
        factors = {group: rates.pop(name, 1.0) for name, group in EARLIER_RATES.items()}
        rest["optimisation"] = rates | {"rate_factors": factors}
    return {"task": {"kind": "translation", **task}, **rest}
