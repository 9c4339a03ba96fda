"""Settings changed by names: flags, dotted paths and files, with an answer to every mistake.

>>> settings.changed(rate=1e-3, steps=600)
>>> settings.changed({"optimisation.weight_decay": 0.01}, seed=3)
"""

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from regard.config import Config, problems
from regard.errors import ChoiceError
from regard.json_text import parsed

from .flags import FLAGS, Flag, configs_in, paths, places
from .schedules import SCHEDULES

if TYPE_CHECKING:
    from .task import Task

S = TypeVar("S", bound=Config)
"""Settings, or all of a run."""
Made = TypeVar("Made")
Flat = dict[str, Any]
"""Values by their dotted paths."""
MODEL = "model"
"""What paths of fields of the model begin with; they are checked when its config is made."""
SCHEDULE = "optimisation.schedule"


class Names:
    """What the settings of a task are called.

    Args:
        task: whose.
        typed: whether flags are written as on a command line.
    """

    def __init__(self, task: "type[Task]", *, typed: bool = False) -> None:
        from .settings import Settings
        from .task import Task

        self.settings = Settings
        self.flags = {flag.name: flag for flag in (*task.own_flags, *FLAGS)}
        self.kinds: dict[type, type[Config]] = {Task: task}
        self.typed = typed

    def said(self, changes: Mapping[str, Any], below: Mapping[str, Any] | None = None) -> Flat:
        """Changes by the paths of what they set.

        Args:
            changes: by flags or dotted paths.
            below: what was said before, which they override.

        Raises:
            ChoiceError: unknown names, all of them at once.
        """
        self._require_known(changes)
        found: Flat = dict(below or {})
        for name, value in changes.items():
            flag = self.flags.get(name) or Flag(name, (name,))
            found = over(found, dict(flag.also) | dict.fromkeys(flag.paths, value))
        for name in changes:
            if name in self.flags:
                self._keep_existing(self.flags[name], found)
        return found

    def where(self, place: tuple[int | str, ...]) -> str:
        """What the place of a mistake is called: its flag, or else its path."""
        path = self._path(place)
        flag = next((flag for flag in self.flags.values() if path in flag.paths), None)
        if flag is None:
            return path
        return flag.option if self.typed else flag.name

    def checked(self, make: Callable[[], Made], *prefix: str) -> Made:
        """What is made, or everything that is wrong with it.

        Args:
            make: makes it.
            prefix: where it lies among the settings.

        Raises:
            ChoiceError: values that do not fit, all of them at once.
        """
        try:
            return make()
        except ValidationError as error:
            raise ChoiceError(
                problems(error, named=lambda place: self.where((*prefix, *place)))
            ) from None

    def _require_known(self, changes: Mapping[str, Any]) -> None:
        known = [*self.flags, *paths(self.settings, self.kinds)]
        wrong = [name for name in changes if name not in self.flags and not self._has(name)]
        if wrong:
            near = {name: get_close_matches(name, known, n=1, cutoff=0.5) for name in wrong}
            hints = [
                f"unknown setting {name!r}" + (f", did you mean {found[0]!r}?" if found else "")
                for name, found in near.items()
            ]
            raise ChoiceError("; ".join(hints))

    def _has(self, path: str) -> bool:
        return path.startswith(f"{MODEL}.") or bool(places(self.settings, path, self.kinds))

    def _keep_existing(self, flag: Flag, said: Flat) -> None:
        """Of the fields that a flag sets, those that are left with all that was said."""
        there = [path for path in flag.paths if self._exists(path, said)]
        if not there:
            name, needed = flag.option, f"--{flag.needs}"
            if not self.typed:
                name, needed = flag.name, flag.needs
            raise ChoiceError(f"{name} needs {needed}, which was not given")
        for path in set(flag.paths) - set(there):
            del said[path]

    def _exists(self, path: str, said: Flat) -> bool:
        """Whether the form of settings that was chosen, or is usual, has such a field."""
        here: list[type[Config]] = [self.settings]
        parts = path.split(".")
        for number, name in enumerate(parts):
            fields = [one.model_fields[name] for one in here if name in one.model_fields]
            if not fields:
                return len(here) == 0  # inside a mapping every name is one
            forms = [self.kinds.get(one, one) for one in configs_in(fields[0].annotation)]
            usual = getattr(fields[0].default, "kind", None)
            kind = said.get(".".join([*parts[: number + 1], "kind"]), usual)
            here = [one for one in forms if len(forms) < 2 or _kind(one) == kind]
        return True

    def _path(self, place: tuple[int | str, ...]) -> str:
        """A place without the numbers of a list and the kinds of a union."""
        found: list[str] = []
        for part in place:
            if isinstance(part, str) and not self._is_kind(found, part):
                found.append(part)
        return ".".join(found)

    def _is_kind(self, path: list[str], name: str) -> bool:
        here = places(self.settings, ".".join(path), self.kinds)
        forms = [one for place in here for one in configs_in(place.field.annotation)]
        return any(_kind(form) == name for form in forms)


def changed(settings: S, changes: Mapping[str, Any], names: Names) -> S:
    """Settings with some of them changed; a schedule follows the steps of the budget.

    Raises:
        ChoiceError: an unknown name, or values that do not fit; all of them at once.
    """
    return merged(settings, names.said(changes), names)


def merged(settings: S, said: Flat, names: Names) -> S:
    """The same with changes that were found to be known."""
    fields = settings.model_dump()
    told = nested(said)
    schedule = told.get("optimisation", {}).pop("schedule", {})
    fields = deep(fields, told)
    fields["optimisation"]["schedule"] = _schedule(
        fields["optimisation"]["schedule"], schedule, said.get("budget.steps")
    )
    return names.checked(lambda: type(settings).model_validate(fields))


def flat(config: Mapping[str, Any], before: str = "") -> Flat:
    """Settings inside settings by their dotted paths."""
    found: Flat = {}
    for name, value in config.items():
        inner = isinstance(value, Mapping)
        found |= flat(value, f"{before}{name}.") if inner else {f"{before}{name}": value}
    return found


def nested(said: Flat) -> dict[str, Any]:
    """Settings inside settings."""
    found: dict[str, Any] = {}
    for path, value in said.items():
        here = found
        *parents, last = path.split(".")
        for name in parents:
            here = here.setdefault(name, {})
        here[last] = value
    return found


def over(below: Flat, above: Flat) -> Flat:
    """Both, the second where they differ; of another kind of setting nothing is left."""
    other = [
        path.removesuffix("kind")
        for path, value in above.items()
        if path.endswith(".kind") and below.get(path, value) != value
    ]
    left = {
        path: value
        for path, value in below.items()
        if not any(path.startswith(before) for before in other if before != f"{SCHEDULE}.")
    }
    ends, now = f"{SCHEDULE}.steps", "budget.steps"
    if now in above and left.get(ends) is not None and left.get(ends) == left.get(now):
        left[ends] = above[now]  # a schedule that ended with the budget does so again
    return left | above


def deep(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """The same of settings inside settings."""
    found = dict(below)
    for name, value in above.items():
        there = found.get(name)
        if isinstance(value, Mapping) and isinstance(there, Mapping):
            same = value.get("kind", there.get("kind")) == there.get("kind")
            found[name] = deep(there, value) if same else dict(value)
        else:
            found[name] = value
    return found


def assignments(words: tuple[str, ...], option: str) -> Iterator[tuple[str, Any]]:
    """``name=value`` as pairs; a value is JSON, or else text.

    Raises:
        ChoiceError: a word without a name or without ``=``.
    """

    for word in words:
        name, sign, value = word.partition("=")
        if not (name and sign):
            raise ChoiceError(f"{option} needs name=value, got {word!r}")
        try:
            yield name, parsed(value)
        except ValueError:
            yield name, value


def _schedule(usual: dict[str, Any], said: dict[str, Any], steps: int | None) -> dict[str, Any]:
    """The schedule that was asked for, or the usual one for as many steps as were asked for."""
    name = said.get("kind", usual["kind"])
    if name not in SCHEDULES:
        return usual | said  # told by whoever checks it
    known = SCHEDULES[name].model_fields
    if "steps" in known and steps is None and "steps" not in usual | said:
        raise ChoiceError(f"the schedule {name!r} needs to know where it ends: pass --steps")
    fields = {key: value for key, value in usual.items() if key in known} | {"kind": name}
    if steps is not None and "steps" in known:
        fields["steps"] = steps
        fields["warmup"] = min(fields["warmup"], steps // 2)
    return fields | said


def _kind(config: type[Config]) -> Any:
    return config.model_fields["kind"].default if "kind" in config.model_fields else None
