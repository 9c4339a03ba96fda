"""The card of a packed translator: what the run knows, and what only people know."""

from pathlib import Path
from typing import NamedTuple

from regard.storage.ancestor import Ancestor
from regard.storage.quantised import Precision
from regard.tasks.translation.validation import Scores

from .. import __version__
from ..models.build import kind_of
from ..tasks.translation import FileData, GrammarData
from ..training.config import RunConfig
from .comparison import Comparison
from .origin import origin_of
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
        name: of the translator.
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
        _scores(found.scores),
        _comparison(comparison, form.precision),
        "## How it was made",
        _began(found.config.ancestor),
        _block(about.command, "sh"),
        f"All settings, as regard {__version__} stores them:",
        _block(_for_all(found.config).model_dump_json(indent=1), "json"),
        "## How to use it",
        _block(f'regard translate --model {name} "The black cat ate the mouse."', "sh"),
        *_cards(found.config.ancestor),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _facts(found: Trained, about: About, form: Form) -> list[list[str]]:
    config, progress, sides = found.config, found.progress, found.vocabularies
    sizes = f"{len(sides.source):,}"
    if sides.sharing == "separate":
        sizes += f" and {len(sides.target):,}"
    facts = [
        ["model", f"{kind_of(config.model)}, {form.parameters:,} parameters"],
        ["vocabulary", f"{config.vocabulary.level}, {sides.sharing}, {sizes} tokens"],
        ["weights", f"{STORED[form.precision]}; {megabytes(form.size)}"],
        ["trained on", _data(config)],
        ["origin of the data", about.origin or _origin(config)],
        ["licence of the weights", about.licence or "not stated"],
        *[["began with", _named(one)] for one in _line(config.ancestor)],
        [
            "training",
            f"{progress.step:,} updates, {progress.tokens:,} target tokens, "
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


def _data(config: RunConfig) -> str:
    data = config.data
    if isinstance(data, GrammarData):
        size = f"up to {data.max_words} words, seed {data.seed}"
        return f"regard's own English-French grammar, {size}"
    return ", ".join(_name(path) for path in data.train)


def _origin(config: RunConfig) -> str:
    if isinstance(config.data, GrammarData):
        return "generated; no licence needed"
    origins = {origin_of(Path(path)) for path in config.data.train} - {None}
    return "; ".join(sorted(map(str, origins))) or "not stated"


def _scores(scores: Scores | None) -> str:
    if scores is None:
        return "The run's log has no validation of these weights."
    named = {
        "loss": f"{scores.loss:.3f}",
        "perplexity": f"{scores.perplexity:.2f}",
        "BLEU": f"{scores.bleu:.1f}",
        "chrF": f"{scores.chrf:.1f}",
        "exact": f"{100 * scores.exact:.1f} %",
    }
    if scores.aer is not None:
        named["AER"] = f"{100 * scores.aer:.1f} %"
    table = _table(list(named), [list(named.values())])
    return f"On the run's validation pairs, greedily, with the weights as trained:\n\n{table}"


def _comparison(comparison: Comparison | None, precision: Precision) -> str:
    if comparison is None:
        return ""
    return (
        f"Stored as {precision}, {comparison.changed} of {comparison.sentences} validation "
        f"sentences are translated differently; BLEU on them is {comparison.bleu_after:.2f}, and "
        f"{comparison.bleu_before:.2f} with the weights as trained."
    )


def _for_all(config: RunConfig) -> RunConfig:
    """The same settings without the places of files, which are nobody else's business, and without
    cards, which stand below."""
    if config.ancestor is not None:
        ancestor = config.ancestor.model_copy(update={"card": None, "ancestor": None})
        config = config.model_copy(update={"ancestor": ancestor})
    data = config.data
    if not isinstance(data, FileData):
        return config
    places = {
        "train": tuple(map(_name, data.train)),
        "valid": tuple(map(_name, data.valid)),
        "alignments": data.alignments and _name(data.alignments),
        "valid_alignments": data.valid_alignments and _name(data.valid_alignments),
    }
    return config.model_copy(update={"data": data.model_copy(update=places)})


def _name(path: str) -> str:
    return Path(path).name


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _block(text: str | None, language: str) -> str:
    return f"```{language}\n{text.strip()}\n```" if text else ""
