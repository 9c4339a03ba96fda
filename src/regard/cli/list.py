"""``regard list``: what there is."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from ..errors import ChoiceError
from .console import for_tables

if TYPE_CHECKING:
    from rich.console import Group

    from ..mechanism import Mechanism

KNOWN = {
    "mechanisms": "scores, normalisers, ways of attending, positions, cells: equation, cost, paper",
    "models": "what regard train --model knows: kind, parameters, paper, fields for --set",
    "tasks": "what regard train learns, and how it is measured",
    "zoo": "trained models that ship with regard",
}
VOCABULARY = 8000
"""Tokens of each language with which parameters are counted."""
TABLE = Path(__file__).parents[1] / "models" / "presets.json"

Row = Mapping[str, Any]


def list(
    what: Literal["mechanisms", "models", "tasks", "zoo"] | None = None,
    /,
    *,
    family: str | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """List mechanisms, models, tasks or trained models; alone, what can be listed.

    Args:
        what: What to list.
        family: Of mechanisms, only pooling, scores, normalisers, ways, positions, cells or vision.
        as_json: Print JSON instead of tables.
    """
    if family is not None and what != "mechanisms":
        raise ChoiceError("--family is for: regard list mechanisms")
    if what is None:
        rows: Sequence[Row] = [{"name": name, "about": about} for name, about in KNOWN.items()]
        _print("what can be listed", rows, as_json)
    elif what == "mechanisms":
        _mechanisms(family, as_json)
    else:
        titles = {"models": f"models, with {VOCABULARY:,} tokens of each language"}
        made = {"models": _models, "tasks": _tasks, "zoo": _zoo}
        _print(titles.get(what, what), made[what](), as_json)


def _mechanisms(family: str | None, as_json: bool) -> None:
    from ..mechanism_source import read_catalogue

    chosen = read_catalogue()
    chosen = chosen if family is None else _of(family, chosen)
    if as_json:
        rows = {name: [row._asdict() for row in rows] for name, rows in chosen.items()}
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    console = for_tables()
    for name, mechanisms in chosen.items():
        console.print(listing(name, mechanisms))


def _of(
    family: str, known: "dict[str, tuple[Mechanism, ...]]"
) -> "dict[str, tuple[Mechanism, ...]]":
    """The one family whose name begins like this."""
    found = {name: rows for name, rows in known.items() if name.startswith(family.lower())}
    if not family or len(found) != 1:
        raise ChoiceError(f"unknown family {family!r}. Known: {', '.join(known)}.")
    return found


def listing(title: str, mechanisms: "tuple[Mechanism, ...]") -> "Group":
    """One family, below its name."""
    columns = ("name", "equation", "cost", "paper", "home")
    return _table(title, [{name: getattr(row, name) for name in columns} for row in mechanisms])


def _models() -> Sequence[Row]:
    """Every preset, as ``tools/model_table.py`` wrote it down: to build them takes torch."""
    rows: Sequence[Row] = json.loads(TABLE.read_text(encoding="utf-8"))
    return rows


def _tasks() -> Sequence[Row]:
    from ..task_registry import TASKS, task_class

    return [
        {
            "name": name,
            "about": str(task_class(name).__doc__).partition("\n")[0],
            "model": task_class(name).default_model,
            "measures": [measure.name for measure in task_class(name).measures],
        }
        for name in TASKS
    ]


def _zoo() -> Sequence[Row]:
    from ..zoo import ZOO

    usual = ZOO.default
    return [{"name": one, "bytes": ZOO.size(one), "usual": one == usual} for one in ZOO.names]


def _print(title: str, rows: Sequence[Row], as_json: bool) -> None:
    if as_json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        for_tables().print(_table(title, rows))


def _table(title: str, rows: Sequence[Row]) -> "Group":
    """Rows below a title."""
    from rich.console import Group
    from rich.text import Text

    from ..listing import Listing

    made = Listing(tuple(rows[0]) if rows else ("nothing",))
    for row in rows:
        made.add(*map(_cell, row.values()))
    return Group("", Text(title, "bold underline"), made)


def _cell(value: Any) -> str:
    if isinstance(value, str | bool):
        return str(value) if isinstance(value, str) else "yes" if value else ""
    return f"{value:,}" if isinstance(value, int) else ", ".join(value)
