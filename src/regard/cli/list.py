"""``regard list``: what there is."""

import json
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from ..errors import ChoiceError
from .console import for_tables

if TYPE_CHECKING:
    from rich.console import Group

    from ..catalogue import Mechanism


def list(
    what: Literal["mechanisms"] = "mechanisms",
    /,
    *,
    family: str | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Print the catalogue: name, equation, cost, paper and home of every mechanism.

    Args:
        what: What to list.
        family: Only pooling, scores, normalisers, ways, positions, cells or vision.
        as_json: Print JSON instead of tables.
    """
    from ..catalogue import catalogue

    chosen = catalogue()
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
    from rich.console import Group
    from rich.text import Text

    from .listing import Listing

    made = Listing(("name", "equation", "cost", "paper", "home"))
    for row in mechanisms:
        made.add(row.name, row.equation, row.cost, row.paper, row.home)
    return Group("", Text(title, "bold underline"), made)
