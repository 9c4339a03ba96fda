"""Settings as flags: each is a field of a config, whose type and docstring it takes over.

A flag has a name of its own only where the field's would not do, ``batch_tokens`` for
``batch.max_tokens``; :func:`regard.training.changes.nested` knows all the others by their dotted
paths. Tasks bring flags of theirs, see :attr:`regard.training.Task.own_flags`.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from regard.config import Config


class Flag(NamedTuple):
    """A setting by a short name."""

    name: str
    """As in Python; the command line writes ``-`` for ``_``."""
    paths: tuple[str, ...]
    """The fields that it sets, those of them that the settings have; the first one explains it."""
    group: str = "Training"
    """What it stands under in help pages."""
    help: str = ""
    """Instead of the field's docstring, where that is about more than the flag."""
    by_recipe: bool = False
    """Whether its default depends on model and data."""
    default: str = ""
    """What happens without it, where neither the recipe nor the field says."""
    also: Mapping[str, Any] = {}
    """Fields that follow from it, by their paths."""
    needs: str = ""
    """The flag without which there is no such field."""
    of_codec: bool = False
    """Whether a model that is trained already has decided it."""

    @property
    def option(self) -> str:
        """As it is typed."""
        return f"--{self.name.replace('_', '-')}"


BUDGET = "When it ends"

FLAGS = (
    Flag("batch_tokens", ("batch.max_tokens",), by_recipe=True),
    Flag("accumulate", ("optimisation.accumulate",)),
    Flag("rate", ("optimisation.rate",), by_recipe=True),
    Flag(
        "embedding_rate_factor",
        ("optimisation.rate_factors.embeddings",),
        help="How many times faster embeddings and output layers learn.",
        by_recipe=True,
    ),
    Flag("warmup", ("optimisation.schedule.warmup",), by_recipe=True),
    Flag(
        "schedule",
        ("optimisation.schedule.kind",),
        help="How the rate goes on from there; linear and cosine come down to 0 at --steps.",
        by_recipe=True,
    ),
    Flag("clip", ("optimisation.clip",), by_recipe=True),
    Flag("weight_decay", ("optimisation.weight_decay",)),
    Flag("average", ("average",), by_recipe=True),
    Flag("precision", ("optimisation.precision",)),
    Flag("parallel", ("spread",)),
    Flag("validate_every", ("validate_every",), by_recipe=True),
    Flag("save_every", ("save_every",), by_recipe=True),
    Flag("log_every", ("log_every",)),
    Flag("measure", ("measure",), by_recipe=True),
    Flag("seed", ("seed", "batch.seed")),
    Flag("steps", ("budget.steps",), BUDGET, by_recipe=True),
    Flag("minutes", ("budget.minutes",), BUDGET),
    Flag("patience", ("budget.patience",), BUDGET, by_recipe=True),
    Flag("goal", ("budget.goal",), BUDGET),
)
"""Those of every task."""


class Place(NamedTuple):
    """A field of settings, or an entry of a mapping among them."""

    path: str
    field: FieldInfo
    type: Any
    """Without ``None`` and without what checks it."""


def places(config: type[Config], path: str, kinds: Mapping[type, type[Config]]) -> list[Place]:
    """The fields of this dotted path: one, several where a setting has several forms, or none.

    Args:
        config: what the path begins in.
        path: e.g. ``"optimisation.rate"``.
        kinds: what stands for a class that only some subclass of it is ever made of, as
            ``{Task: TranslationTask}``.
    """
    here: list[type[Config]] = [kinds.get(config, config)]
    found: list[Place] = []
    *parents, last = path.split(".")
    for number, name in enumerate([*parents, last]):
        fields = [one.model_fields[name] for one in here if name in one.model_fields]
        found = [Place(path, field, bare(field.annotation)) for field in fields]
        mapped = [one for one in found if get_origin(one.type) is dict]
        if mapped and number == len(parents) - 1:
            return [one._replace(type=bare(get_args(one.type)[1])) for one in mapped]
        here = [kinds.get(one, one) for field in fields for one in configs_in(field.annotation)]
    return found


def paths(config: type[Config], kinds: Mapping[type, type[Config]]) -> Iterator[str]:
    """The dotted paths of all fields that are no configs themselves."""
    for name, field in kinds.get(config, config).model_fields.items():
        inner = list(configs_in(field.annotation))
        if not inner:
            yield name
        for one in inner:
            yield from (f"{name}.{rest}" for rest in paths(one, kinds))


def configs_in(annotation: Any) -> Iterator[type[Config]]:
    """The configs that an annotation allows."""
    if isinstance(annotation, type) and issubclass(annotation, Config):
        yield annotation
    elif get_origin(annotation) in (Annotated, Union, UnionType):
        for part in get_args(annotation):
            yield from configs_in(part)


def bare(annotation: Any) -> Any:
    """A type without ``None``, and without what pydantic checks of it."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return bare(parts[0])
    if origin in (Union, UnionType):
        left = [bare(part) for part in parts if part is not type(None)]
        return left[0] if len(left) == 1 else Union[tuple(left)]  # noqa: UP007
    if origin is tuple:
        return tuple.__class_getitem__(tuple(part if part is ... else bare(part) for part in parts))
    return annotation


def choice(values: Sequence[str]) -> Any:
    """One of these words, as a type."""
    return Literal[tuple(values)]
