"""``regard evaluate`` of translators and aligners, of whom there is more to be asked."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ...errors import ChoiceError, InputError
from ...extras import need
from ..console import for_tables, plain
from ..figure import SUFFIXES
from ..files import write
from ..translation.options import ComputeOptions, SearchOptions
from .options import ExamOptions, LinkOptions

if TYPE_CHECKING:
    from regard.tasks.translation.evaluation import Report

    from .systems import EvaluateArguments


def evaluate(
    *models: str,
    exam: ExamOptions | None = None,
    linking: LinkOptions | None = None,
    search: SearchOptions | None = None,
    figure: Path | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    pace: ComputeOptions | None = None,
) -> None:
    """Measure translators on sentences held out, beside each other.

    BLEU and chrF of sacrebleu over all references with 95 % intervals, exact sentences, perplexity
    of the first reference, BLEU by length, alignment error rate against gold links, tokens per
    second. Of several systems each is compared with the first: the difference, and how probable
    one as large is between equals.

    Args:
        models: Folders of runs or checkpoints, or names of the zoo.
        exam: What is tested on.
        linking: What attention is held against.
        search: How to search.
        figure: Draw BLEU by length, a curve for each system; a file ending in .png or .svg.
        as_json: Print JSON instead of tables.
        pace: Where to compute.
    """
    from .systems import EvaluateArguments

    said = EvaluateArguments(
        [_plain(model) for model in models],
        exam or ExamOptions(),
        linking or LinkOptions(),
        search or SearchOptions(),
        (pace or ComputeOptions()).start(),
    )
    if figure is not None:
        _drawable(figure)
    report = _report(said)
    if as_json:
        print(json.dumps(report.to_json(), ensure_ascii=False, indent=2))
    else:
        _print(report)
    if figure is not None:  # last: a folder that is not there must not cost the numbers
        _draw(report, figure)


def _drawable(figure: Path) -> None:
    """Before the measuring: a figure that cannot be drawn must not cost its minutes."""
    if figure.suffix.lower() not in SUFFIXES:
        raise InputError(f"--figure needs a name that ends in .png or .svg, got {str(figure)!r}")
    from ...lens.plots import need_matplotlib

    need_matplotlib("the figure of BLEU by length")


def _plain(model: str) -> str:
    """A folder without the slash that shells put behind it."""
    return model.rstrip("/") or model


def _report(said: "EvaluateArguments") -> "Report":
    from rich.text import Text

    from regard.tasks.translation.evaluation import Report

    from .systems import exam_from, measured, scored_links

    if not said.models and not said.exam.hypotheses:
        if not said.linking.links:
            raise ChoiceError(
                "evaluate needs something to measure: a model, --hypotheses with translations or "
                "--links with alignments"
            )
        return Report(None, (), (), tuple(scored_links(said.linking)))
    need("sacrebleu", "BLEU")  # before the minutes that end in it
    exam = exam_from(said.models, said.exam, said.linking)
    with plain(stderr=True).status("starting") as status:
        return measured(said, exam, lambda line: status.update(Text(line)))


def _draw(report: "Report", path: Path) -> None:
    from regard.tasks.translation.figures import length_curves

    from ...lens.plots import save

    if not report.systems:
        raise ChoiceError("--figure draws BLEU by length, and there are only links")
    drawn = length_curves({one.name: one.lengths for one in report.systems})
    write(path, lambda file: save(drawn, file, path.suffix.lower()[1:]))


def _print(report: "Report") -> None:
    from .tables import tables

    console = for_tables()
    for page in tables(report):
        console.print(page)
