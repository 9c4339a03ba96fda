"""The steps inside a score: projections, then whatever happens pair by pair."""

from dataclasses import replace
from functools import singledispatch

import torch

from regard.functional.forms import Form, Inner, Radial, Tanh, Tile
from regard.functional.scores import PositionTerm, ScaledDot, Score, Sum
from regard.types import Tensor

from .layout import subscript
from .record import Step


def axes(tensor: Tensor, *trailing: str) -> tuple[str, ...]:
    """The letters of a tensor's axes, given the trailing ones."""
    return ("B",) * (tensor.dim() - len(trailing)) + trailing


def trace_score(score: Score, query: Tensor, key: Tensor) -> list[Step]:
    """Every step from query and key to the scores; the last one is called ``scores``."""
    at = Tile(range(query.shape[-2]), range(key.shape[-2]), query.device)
    if isinstance(score, Sum):
        return _sum(score, query, key, at)
    equation = _equation(score, query)
    return [*_inside(score, query, key, at), _whole(score, "scores", equation, query, key, at)]


def _sum(score: Sum, query: Tensor, key: Tensor, at: Tile) -> list[Step]:
    """The steps of each term, the terms themselves, and their sum."""
    steps: list[Step] = []
    symbols: list[str] = []
    for term in score.terms:
        steps += _inside(term, query, key, at)
        symbol = "b" if isinstance(term, PositionTerm) else "f"
        count = sum(earlier[0] == symbol for earlier in symbols)
        symbols.append(subscript(symbol, count) if count else symbol)
        equation = _equation(term, query).partition(" = ")[2]
        steps.append(_whole(term, term.name, f"{symbols[-1]} = {equation}", query, key, at))
    total = _whole(score, "scores", "s = " + " + ".join(symbols), query, key, at)
    return [*_distinct(steps), total]


def _equation(score: Score, query: Tensor) -> str:
    """The equation, with the scale of a scaled dot product as a number."""
    if isinstance(score, ScaledDot):
        scale = score.scale
        return f"s = q·k / √{query.shape[-1]}" if scale is None else f"s = {scale:g} q·k"
    return score.step


def _distinct(steps: list[Step]) -> list[Step]:
    """Steps with names that come twice numbered."""
    names = [step.name for step in steps]
    return [
        step
        if names.count(step.name) == 1
        else replace(step, name=f"{step.name}_{names[: i + 1].count(step.name)}")
        for i, step in enumerate(steps)
    ]


def _whole(score: Score, name: str, equation: str, query: Tensor, key: Tensor, at: Tile) -> Step:
    scores = score.form(query, key).scores(at)
    symbol = equation.partition(" =")[0]
    return Step(name, "score", symbol, equation, axes(scores, "Q", "K"), scores)


def _inside(score: Score, query: Tensor, key: Tensor, at: Tile) -> list[Step]:
    """The projections of a score and the steps of its form, without the scores themselves."""
    form = score.form(query, key)
    steps = []
    if form.rows and form.rows[0] is not query and score.query_step:
        steps.append(_projected("query", "q′", score.query_step, form.rows[0], "Q"))
    if form.columns and form.columns[0] is not key and score.key_step:
        steps.append(_projected("key", "k′", score.key_step, form.columns[0], "K"))
    return steps + pair_steps(form, at)


def _projected(side: str, symbol: str, equation: str, vectors: Tensor, letter: str) -> Step:
    return Step(f"projected_{side}", "score", symbol, equation, axes(vectors, letter, "A"), vectors)


@singledispatch
def pair_steps(form: Form, at: Tile) -> list[Step]:
    """What happens pair by pair before the score is there; nothing, unless a form says more."""
    return []


@pair_steps.register
def _inner(form: Inner, at: Tile) -> list[Step]:
    if form.scale == 1.0:
        return []
    products = replace(form, scale=1.0, key_bias=None).scores(at)
    letters = axes(products, "Q", "K")
    return [Step("dot_products", "score", "p", "p = q·k", letters, products)]


@pair_steps.register
def _tanh(form: Tanh, at: Tile) -> list[Step]:
    hidden = torch.tanh(form.query.unsqueeze(-2) + form.key.unsqueeze(-3))
    letters = axes(hidden, "Q", "K", "A")
    return [Step("hidden", "score", "h", "h = tanh(q′ + k′)", letters, hidden)]


@pair_steps.register
def _radial(form: Radial, at: Tile) -> list[Step]:
    distances = torch.cdist(form.query, form.key, compute_mode="donot_use_mm_for_euclid_dist")
    letters = axes(distances, "Q", "K")
    return [Step("distances", "score", "r", "r = ‖q − k‖", letters, distances)]
