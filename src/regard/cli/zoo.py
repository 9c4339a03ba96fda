"""``regard zoo``: the trained models that come with ``regard[zoo]``."""

import json
from typing import Annotated, Literal

from cyclopts import Parameter

from ..errors import InputError, MissingExtraError


def zoo(
    action: Literal["list", "card"] = "list",
    name: str | None = None,
    /,
    *,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """List the trained models that come with regard[zoo], or print the card of one.

    Args:
        action: list them, or print a card.
        name: Whose card; that of the usual one if not given.
        as_json: Print the list as JSON.
    """
    from ..zoo import ZOO

    if action == "card":
        if as_json:
            raise InputError("zoo card prints Markdown; --json goes with zoo list")
        print(ZOO.card(name or ZOO.default), end="")
        return
    if name is not None:
        raise InputError(f"zoo list takes nothing else, got {name!r}; for its card: zoo card NAME")
    if ZOO.path is None:
        raise MissingExtraError("a zoo of trained models", "zoo")
    sizes = {one: ZOO.size(one) for one in ZOO.names}
    if as_json:
        print(json.dumps([{"name": one, "bytes": size} for one, size in sizes.items()]))
        return
    for one, size in sizes.items():
        print(one, f"{size / 1e6:.1f} MB", sep="\t")
