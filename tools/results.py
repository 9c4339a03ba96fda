"""Numbers in the README and in docs/results.md come from results that are kept, never by hand.

``python tools/results.py keep bench-results/2026-01-31/kernels.json [NAME]`` keeps a result of
``regard bench`` in ``benchmarks/results/``; ``python tools/results.py evaluated SCORES.json NAME
COMMAND`` does it with what ``regard evaluate --json`` printed; ``python tools/results.py render``
writes what the pages say of all that is kept there between their marks ``<!-- result: NAME -->``
and ``<!-- end of result -->``.

A result that no benchmark writes yet is kept as tables: ``machine`` as a benchmark states it,
``regions`` with paragraphs, columns and rows, and ``headlines``. ``transcribed`` says that it was
copied from a page instead of written by a program.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import lens_tables
from picture_tables import equal_minutes, image_races, numbers
from result_tables import (
    KERNELS,
    MODULES,
    Data,
    curves,
    decoding_headlines,
    default,
    kernel_headlines,
    markdown,
    measured,
    mechanisms,
    memory,
    rates,
    ratios,
    scores,
    speedups,
    training_headlines,
)

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "benchmarks" / "results"
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
REGION = re.compile(
    r"(<!-- result: ([a-z0-9-]+) -->\n)(.*?)(<!-- end of result -->)", flags=re.DOTALL
)


class Region(NamedTuple):
    """What a mark stands for: the result it is made of, how, and what measures it."""

    source: str
    render: Callable[[Data], str] | None
    command: str


class Headline(NamedTuple):
    """One of the numbers of the README."""

    name: str
    what: str
    source: str
    command: str


REGIONS = {
    "kernels": Region("kernels", speedups(KERNELS), "regard bench kernels"),
    "memory": Region("kernels", memory, "regard bench kernels"),
    "default": Region("kernels", default, "regard bench kernels"),
    "modules": Region("modules", speedups(MODULES), "regard bench modules"),
    "training": Region("training", rates("systems"), "regard bench training"),
    "decoding": Region("decoding", rates("times"), "regard bench decoding"),
    "grammar": Region("grammar", None, "regard train"),
    "mechanisms-grammar": Region("mechanisms-grammar", mechanisms, "regard bench mechanisms"),
    "mechanisms-multi30k": Region(
        "mechanisms-multi30k", mechanisms, "regard bench mechanisms --data … --test …"
    ),
    "multi30k": Region("multi30k", None, "regard train --data …"),
    "tagging": Region("tagging", scores, "regard evaluate en-tagger --data …"),
    "classifying": Region("classifying", scores, "regard evaluate en-sentiment --data …"),
    "classifying-pictures": Region(
        "classifying-pictures", scores, "regard evaluate fashion-classifier --data …"
    ),
    "captioning": Region("captioning", scores, "regard evaluate scene-captioner --sentences 1000"),
    "asking-pictures": Region(
        "asking-pictures", scores, "regard evaluate scene-vqa --data … --pictures …"
    ),
    "detecting": Region("detecting", scores, "regard evaluate cell-detector --data …"),
    "cifar10": Region("cifar10", equal_minutes, "python -m benchmarks.vision.cifar FOLDER"),
    "vision-race": Region("vision-race", image_races, "python -m benchmarks.vision.race"),
    "flickr8k": Region("flickr8k", scores, "benchmarks/vision/flickr8k.sh"),
    "daquar": Region("daquar", scores, "benchmarks/vision/questions.sh daquar"),
    "vqa-rad": Region("vqa-rad", scores, "benchmarks/vision/questions.sh vqa-rad"),
    "pets": Region("pets", numbers, "benchmarks/vision/pets.sh"),
    "glimpses": Region("glimpses", numbers, "benchmarks/vision/glimpses.sh"),
    "autoencoding": Region(
        "autoencoding", scores, "regard evaluate autoencoder.training --sentences 2000"
    ),
    "filling": Region("filling", scores, "regard evaluate en-bert --data …"),
    "generating": Region("generating", scores, "regard evaluate en-gpt --data …"),
    "pronouncing": Region(
        "pronouncing", scores, "regard evaluate en-pronounce --data … --measure word-error"
    ),
    "summarising": Region(
        "summarising", scores, "regard evaluate synopses --data … --measure rouge-l"
    ),
    "shakespeare": Region(
        "shakespeare", curves, "python -m benchmarks.language.training input.txt.gz"
    ),
    "generation-speed": Region(
        "generation-speed", ratios, "python -m benchmarks.language.generation"
    ),
    "novels-next": Region(
        "novels-next", curves, "python -m benchmarks.language.novels next train.txt.gz test.txt.gz"
    ),
    "novels-hidden": Region(
        "novels-hidden",
        curves,
        "python -m benchmarks.language.novels hidden train.txt.gz test.txt.gz",
    ),
    "lens": Region("lens", lens_tables.side_by_side, "python -m benchmarks.lens peers"),
    "lens-published": Region(
        "lens-published", lens_tables.published, "python -m benchmarks.lens published"
    ),
    "lens-costs": Region("lens-costs", lens_tables.costs, "python -m benchmarks.lens"),
    "reading-stories": Region("reading", None, "regard evaluate en-stories --data qa*.test.txt.gz"),
    "reading-passages": Region("reading", None, "regard evaluate en-reader --data test.jsonl.gz"),
    "shipped": Region("shipped", None, "regard evaluate en-fr-transformer en-fr-bahdanau"),
}

HEADLINES = (
    Headline(
        "additive", "additive score, beside its eager form", "kernels", "regard bench kernels"
    ),
    Headline(
        "sparsemax", "sparsemax, beside the `entmax` package", "kernels", "regard bench kernels"
    ),
    Headline("memory", "peak memory of an additive score", "kernels", "regard bench kernels"),
    Headline("training", "training, beside the fastest peer", "training", "regard bench training"),
    Headline("decoding", "decoding, beside Hugging Face", "decoding", "regard bench decoding"),
    Headline("grammar", "our grammar, learned from nothing", "grammar", "regard train"),
)
"""The README has these and no others."""

TOLD: dict[str, Callable[[Data], Iterator[tuple[str, str]]]] = {
    "kernels": kernel_headlines,
    "training": training_headlines,
    "decoding": decoding_headlines,
}
"""How a benchmark's own result gives headlines."""


def result(name: str, kept: Path) -> Data | None:
    """A result that is kept, or ``None``."""
    path = kept / f"{name}.json"
    if not path.is_file():
        return None
    data: Data = json.loads(path.read_text(encoding="utf-8"))
    return data


def region(name: str, kept: Path = KEPT) -> str:
    """What stands between the marks of this name; a sentence if nothing was measured yet."""
    if name == "headlines":
        return headlines(kept)
    source, render, command = REGIONS[name]
    data = result(source, kept)
    if data is not None and "regions" in data:
        return tables(data, name) if name in data["regions"] else missing(command)
    if data is None or render is None:
        return missing(command)
    return f"{render(data)}\n\n{measured(data)}"


def missing(command: str) -> str:
    """Instead of a number."""
    return f"Not measured yet: `{command}`."


def tables(data: Data, name: str) -> str:
    """A region of a result that is kept as tables."""
    found = data["regions"][name]
    parts = list(found.get("before", ()))
    if "rows" in found:
        parts.append(markdown(found["columns"], found["rows"], found.get("words", 1)))
    return "\n\n".join([*parts, *found.get("after", ()), measured(data, found.get("command"))])


def headlines(kept: Path) -> str:
    """The numbers of the README, each with what measures it."""
    rows = [(one.what, *number(one, result(one.source, kept))) for one in HEADLINES]
    return markdown(("what", "regard", "measured by"), rows, words=3)


def number(headline: Headline, data: Data | None) -> tuple[str, str]:
    """A headline and the command that gave it, or that would."""
    nothing = "not measured yet", f"`{headline.command}`"
    if data is None:
        return nothing
    if "regions" in data:
        found = data["headlines"].get(headline.name)
        return (found["text"], f"`{found['command']}`") if found else nothing
    told = dict(TOLD[headline.source](data))
    return told[headline.name], f"`{data['machine']['command']}`"


def rendered(text: str, kept: Path = KEPT) -> str:
    """``text`` with everything between its marks made again from what is kept."""
    return REGION.sub(lambda match: f"{match[1]}{region(match[2], kept)}\n{match[4]}", text)


def loose_tables(text: str, *, numbers: bool) -> list[str]:
    """Tables outside of all marks, by their first line.

    Args:
        text: a page.
        numbers: count only tables with a column that stands to the right.
    """
    rule = r"\|[-:|]*--:[-:|]*\|" if numbers else r"\|[-:|]+\|"
    return re.findall(rf"^(\|.*)\n{rule}$", REGION.sub("", text), flags=re.MULTILINE)


def compact(data: Data) -> Data:
    """A result without the single samples, which medians and ratios were made of."""
    races = [race for suite in data.get("suites", ()) for race in suite["races"]]
    for race in [*races, *data.get("races", ())]:
        for told in (race.get("times") or race.get("systems") or {}).values():
            for name in ("seconds", "turns"):
                told.pop(name, None)
    return data


def keep(path: Path, name: str | None = None, kept: Path = KEPT) -> Path:
    """Put a result of ``regard bench`` where the pages are made from.

    Args:
        path: what the benchmark wrote.
        name: what it is kept as; the name of the file if not given.
        kept: where.
    """
    data = compact(json.loads(path.read_text(encoding="utf-8")))
    name = name or path.stem
    known = sorted({one.source for one in REGIONS.values()})
    if name not in known:
        raise SystemExit(f"no region is made from {name!r}; keep it as one of {', '.join(known)}")
    commit = data["machine"]["commit"]
    if commit is None or commit.endswith("+"):
        raise SystemExit(
            f"{path}: measured on sources that are not committed; commit, measure again"
        )
    file = kept / f"{name}.json"
    file.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return file


def evaluated(path: Path, name: str, command: str, kept: Path = KEPT) -> Path:
    """Put what ``regard evaluate --json`` printed where the pages are made from.

    Args:
        path: what was printed.
        name: what it is kept as.
        command: by which it was measured.
        kept: where.
    """
    if name not in REGIONS:
        raise SystemExit(f"no region is called {name!r}; known: {', '.join(sorted(REGIONS))}")
    sys.path.insert(0, str(ROOT))
    from benchmarks.machine import here

    machine = asdict(here(threads=0, command=command))
    data = {"machine": machine, "evaluation": json.loads(path.read_text(encoding="utf-8"))}
    for one in data["evaluation"].get("models", [data["evaluation"]]):
        for long in ("confusion", "sentences", "answers"):
            one.pop(long, None)
    file = kept / f"{name}.json"
    file.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return file


def main(arguments: list[str]) -> None:
    """Keep a result, or render all."""
    match arguments:
        case ["keep", file]:
            print("kept", keep(Path(file)).relative_to(ROOT))
        case ["keep", file, name]:
            print("kept", keep(Path(file), name).relative_to(ROOT))
        case ["evaluated", file, name, command]:
            print("kept", evaluated(Path(file), name, command).relative_to(ROOT))
        case ["render"]:
            for page in PAGES:
                page.write_text(rendered(page.read_text(encoding="utf-8")), encoding="utf-8")
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
