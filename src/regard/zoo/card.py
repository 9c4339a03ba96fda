"""The card of a packed model: what the run knows, and what only people know."""

from typing import NamedTuple

from regard.storage.quantised import Precision
from regard.storage.stored_model import Ancestor

from .. import __version__
from ..models.build import kind_of
from ..training.config import RunConfig
from ..training.task import Comparison
from .trained import Trained

STORED: dict[Precision, str] = {
    "int8": "int8, one scale per row; vectors float32",
    "float16": "float16",
    "float32": "float32, as trained",
}


class About(NamedTuple):
    """What a run cannot know."""

    text: str = ""
    """What it is for, in Markdown."""
    licence: str | None = None
    """Of the weights."""
    origin: str | None = None
    """Whose data it is, and under which licence; found by itself for data that was fetched by
    ``regard data get``."""
    command: str | None = None
    """How it was trained, as typed."""


class Form(NamedTuple):
    """How it is stored."""

    precision: Precision
    parameters: int
    size: int
    """Bytes of the weights."""


def card(name: str, found: Trained, about: About, form: Form, comparison: Comparison | None) -> str:
    """A model card in Markdown.

    Args:
        name: of the model.
        found: what the run knows.
        about: what it does not.
        form: how it is stored.
        comparison: what storing it so changed; ``None`` if that was not measured.
    """
    parts = [
        f"# {name}",
        about.text.strip(),
        _table(["what", "which"], _facts(found, about, form)),
        "## How good it is",
        _scores(found),
        _comparison(comparison, form.precision),
        "## How it was made",
        _began(found.config.ancestor),
        _block(about.command, "sh"),
        f"All settings, as regard {__version__} stores them:",
        _block(_for_all(found.config).model_dump_json(indent=1), "json"),
        "## How to use it",
        _block(found.config.task.example.format(model=name), "sh"),
        *_cards(found.config.ancestor),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _facts(found: Trained, about: About, form: Form) -> list[list[str]]:
    config, progress = found.config, found.progress
    known = {fact.what: fact.which for fact in config.task.facts(found.codec)}
    if about.origin:
        known["origin of the data"] = about.origin
    facts = [
        ["model", f"{kind_of(config.model)}, {form.parameters:,} parameters"],
        ["weights", f"{STORED[form.precision]}; {megabytes(form.size)}"],
        *map(list, known.items()),
        ["licence of the weights", about.licence or "not stated"],
        *[["began with", _named(one)] for one in _line(config.ancestor)],
        [
            "training",
            f"{progress.step:,} updates, {progress.targets:,} targets, "
            f"{progress.seconds / 60:.1f} minutes",
        ],
    ]
    return [[what, _cell(said)] for what, said in facts]


def _line(ancestor: Ancestor | None) -> list[Ancestor]:
    """A model that was gone on from, what it had gone on from, and so on."""
    return [ancestor, *_line(ancestor.ancestor)] if ancestor else []


def _named(ancestor: Ancestor) -> str:
    licence = ancestor.licence or "not stated"
    return f"{ancestor.name}, licence of its weights: {licence}; sha256 {ancestor.sha256}"


def _began(ancestor: Ancestor | None) -> str:
    """What the numbers of this run are not: those of the whole training."""
    if ancestor is None:
        return ""
    return (
        f"It began with the weights and the vocabulary of {ancestor.name}: data, updates, tokens "
        "and minutes above are those of the training since."
    )


def _cards(ancestor: Ancestor | None) -> list[str]:
    """What the models that it began with say about themselves."""
    return [
        f"## The card of {one.name}\n\n" + "\n".join(f"> {line}".rstrip() for line in lines)
        for one in _line(ancestor)
        if (lines := (one.card or "").strip().splitlines())
    ]


def megabytes(size: int) -> str:
    """Bytes as people count them."""
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"


def _scores(found: Trained) -> str:
    if found.scores is None:
        return "The run's log has no validation of these weights."
    known = [
        (measure, found.scores[measure.name])
        for measure in found.config.task.measures
        if found.scores.get(measure.name) is not None
    ]
    table = _table(
        [measure.title for measure, _ in known],
        [[measure.shown(value or 0.0) for measure, value in known]],
    )
    return f"On the run's validation examples, with the weights as trained:\n\n{table}"


def _comparison(comparison: Comparison | None, precision: Precision) -> str:
    if comparison is None:
        return ""
    return (
        f"Stored as {precision}, {comparison.changed} of {comparison.examples} validation "
        f"examples are answered differently; {comparison.measure} on them is "
        f"{comparison.after:.2f}, and {comparison.before:.2f} with the weights as trained."
    )


def _for_all(config: RunConfig) -> RunConfig:
    """The same settings without the places of files, which are nobody else's business, and without
    cards, which stand below."""
    if config.ancestor is not None:
        ancestor = config.ancestor.model_copy(update={"card": None, "ancestor": None})
        config = config.model_copy(update={"ancestor": ancestor})
    return config.model_copy(update={"task": config.task.published()})


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _block(text: str | None, language: str) -> str:
    return f"```{language}\n{text.strip()}\n```" if text else ""
