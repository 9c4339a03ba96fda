"""Flags of the command line, generated from the configs they set.

Type, default and help text of a flag are those of a field; nothing is declared a second time.
"""

from collections.abc import Sequence
from dataclasses import fields, make_dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

from cyclopts import Group, Parameter

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from ..config import Config
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
        parameter = Parameter(
            name=flag.option,
            help=_help(flag, here[0]),
            group=group,
            negative=(),
            consume_multiple=_several(kind),
            show_default=_shown(_default(flag, here[0])),
        )
        made.append(_field(flag.name, kind, parameter))
    return _class(task.__name__, made)


@cache
def options_of(config: "type[Config]") -> type[Options]:
    """The fields of a config as those of a class that the parser fills.

    Each stands in help pages under the ``group`` of the class that declares it.
    """
    from ..training.flags import bare

    groups: dict[str, Group] = {}
    made: list[tuple[str, Any, Any]] = []
    for name, field in config.model_fields.items():
        title = next(one.group for one in config.__mro__ if name in one.__annotations__)  # type: ignore[attr-defined]
        parameter = Parameter(
            name=f"--{name.replace('_', '-')}",
            help=(field.description or "").replace("``", ""),
            group=groups.setdefault(title, Group(title, sort_key=len(groups) + 1)),
            negative=(),
            consume_multiple=_several(bare(field.annotation)),
            show_default=_shown(_told(field)),
        )
        made.append(_field(name, bare(field.annotation), parameter))
    return _class(config.__name__, made)


def _several(kind: Any) -> bool:
    return get_origin(kind) is tuple and ... in get_args(kind)


def _field(name: str, kind: Any, parameter: Parameter) -> tuple[str, Any, Any]:
    several = _several(kind)
    return name, Annotated[kind if several else kind | None, parameter], () if several else None


def _class(name: str, made: "Sequence[tuple[str, Any, Any]]") -> type[Options]:
    found = make_dataclass(
        f"{name}Options",
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
    return _told(place.field)


def _told(field: "FieldInfo") -> str | None:
    """The default of a field, where it says something."""
    value = field.get_default()
    if field.is_required() or value is None or value is False or value == ():
        return None
    return str(value)


def _shown(text: str | None) -> Any:
    return lambda _: text
