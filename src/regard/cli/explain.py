"""``regard explain``: one small attention, number by number."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ..errors import InputError
from . import choices
from .choices import ScoreParameters, Vectors, vectors
from .console import plain
from .files import write

if TYPE_CHECKING:
    from regard.lens.explain import Explanation


def explain(
    *,
    query: Vectors,
    keys: Vectors,
    values: Vectors | None = None,
    score: str = "scaled_dot",
    parameters: Annotated[ScoreParameters, Parameter(name="*")] = ScoreParameters(),  # noqa: B008
    mask: Vectors | None = None,
    normalise: str = "softmax",
    gradients: Annotated[bool, Parameter(negative="")] = False,
    precision: int = 4,
    json: Annotated[bool, Parameter(negative="")] = False,
    html: Path | None = None,
) -> None:
    """Show every step of one small attention, number by number.

    Vectors are numbers separated by commas; several vectors are separated by semicolons.

    Args:
        query: What is looking; several queries separated by semicolons.
        keys: What is looked at.
        values: What is pooled, one per key; the keys themselves if left out.
        score: How well a key fits a query, e.g. dot, cosine, gaussian:0.5.
        mask: Who may attend to whom: causal, window:1,1, or rows of 1 (may) and 0.
        normalise: How scores become weights, e.g. sparsemax, entmax:1.3, top_k:2.
        gradients: Also show the gradients of the sum of the context.
        precision: Decimals of ordinary numbers, 1 to 15.
        json: Print JSON with every digit instead of tables.
        html: Write a page to this file instead of printing tables.
    """
    if json and html is not None:
        raise InputError("--json prints and --html writes a page; choose one of them")
    typed = {"query": (query, "--query"), "key": (keys, "--keys"), "value": (values, "--values")}
    read = {name: vectors(text, where) for name, (text, where) in typed.items() if text is not None}

    import torch

    from regard.kernels.available import without_numba
    from regard.lens.explain import explain as explained

    with without_numba():  # a page of numbers is not worth waiting for a compiler
        explanation = explained(
            **{name: torch.tensor(rows, dtype=torch.float64) for name, rows in read.items()},
            score=choices.score(score, parameters),
            mask=None if mask is None else choices.mask(mask),
            normalise=choices.normaliser(normalise),
            gradients=gradients,
        )
    _show(explanation, precision, json, html)


def _show(explanation: "Explanation", precision: int, json: bool, html: Path | None) -> None:
    if json:
        print(explanation.to_json())
    elif html is not None:
        page = explanation.to_html(precision).encode()
        write(html, lambda file: file.write(page))
    else:
        plain().print(explanation.table(precision))
