"""Flags of the command line, generated from the configs they set.

Type, default and help text of a flag are those of a field; nothing is declared a second time.
"""

from collections.abc import Sequence
from dataclasses import fields, make_dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

from cyclopts import Group, Parameter

if TYPE_CHECKING:
    from ..training.flags import Flag, Place
    from ..training.task import Task

Several = Parameter(consume_multiple=True, negative=())
Switch = Annotated[bool, Parameter(negative=())]


class Options:
    """Some words of a command line."""

    def given(self) -> dict[str, Any]:
        """Those that were said."""
        said = {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in said.items() if value not in (None, ())}


@cache
def options(task: "type[Task]") -> type[Options]:
    """The flags of a task as the fields of a class that the parser fills."""
    from ..training.changes import Names
    from ..training.flags import choice, places

    names = Names(task)
    groups: dict[str, Group] = {}
    made: list[tuple[str, Any, Any]] = []
    for flag in names.flags.values():
        group = groups.setdefault(flag.group, Group(flag.group, sort_key=len(groups) + 1))
        here = places(names.settings, flag.paths[0], names.kinds)
        kind = _type(here)
        if flag.name == "measure":
            kind = choice([measure.name for measure in task.measures])
        several = get_origin(kind) is tuple and ... in get_args(kind)
        parameter = Parameter(
            name=flag.option,
            help=_help(flag, here[0]),
            group=group,
            negative=(),
            consume_multiple=several,
            show_default=_shown(_default(flag, here[0])),
        )
        hint: Any = Annotated[kind if several else kind | None, parameter]
        made.append((flag.name, hint, () if several else None))
    found = make_dataclass(
        f"{task.__name__}Options",
        made,
        bases=(Options,),
        namespace={"__module__": __name__},
        frozen=True,
        kw_only=True,
    )
    return Parameter(name="*")(found)


def _type(here: "Sequence[Place]") -> Any:
    """What is to be typed: where a setting has several forms, any of their words."""
    words = [word for one in here if get_origin(one.type) is Literal for word in get_args(one.type)]
    return Literal[tuple(words)] if words else here[0].type


def _help(flag: "Flag", place: "Place") -> str:
    return (flag.help or place.field.description or "").replace("``", "")


def _default(flag: "Flag", place: "Place") -> str | None:
    """What happens without the flag, in words."""
    if flag.default or flag.by_recipe:
        return flag.default or "by recipe"
    value = place.field.get_default()
    return None if place.field.is_required() or value is None or value == () else str(value)


def _shown(text: str | None) -> Any:
    return lambda _: text
