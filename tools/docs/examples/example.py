"""What a page shows of a mechanism: one real call of it, drawn."""

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import getsource
from textwrap import dedent
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import torch
from torch import Tensor, nn

from regard.lens.examples import WORDS
from regard.lens.plots import heatmap

from .panels import Panel, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Module = TypeVar("Module", bound=nn.Module)


class Map(NamedTuple):
    """Weights between other words than those of the sentence, or under other titles."""

    weights: Tensor
    queries: Sequence[str] = WORDS
    keys: Sequence[str] = WORDS
    titles: Sequence[str] | None = None


Shown = Tensor | Map | list[Panel]


@dataclass(frozen=True)
class Example:
    """One call; its docstring says what is to be seen."""

    call: Callable[[], Shown]

    @property
    def caption(self) -> str:
        """The docstring of the call, in one line."""
        return " ".join((self.call.__doc__ or "").split())

    @property
    def source(self) -> str:
        """What the call does, as it is written."""
        source = getsource(self.call)
        (function,) = ast.parse(source).body
        assert isinstance(function, ast.FunctionDef)
        after_docstring = function.body[1].lineno - 1
        body = dedent("\n".join(source.splitlines()[after_docstring:]))
        return re.sub("^return ", "shown = ", body, flags=re.MULTILINE)

    def run(self) -> Shown:
        """The weights; the same in every run."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            return self.call()

    def figure(self) -> "Figure":
        """The picture of the page."""
        shown = self.run()
        if isinstance(shown, list):
            return panels(shown)
        if isinstance(shown, Tensor):
            shown = Map(shown)
        return heatmap(shown.weights, queries=shown.queries, keys=shown.keys, titles=shown.titles)


EXAMPLES: dict[str, Example] = {}
"""By the name of the mechanism."""


def shows(name: str) -> Callable[[Callable[[], Shown]], Callable[[], Shown]]:
    """Make a function the example of the mechanism ``name``."""

    def added(call: Callable[[], Shown]) -> Callable[[], Shown]:
        assert name not in EXAMPLES, f"{name!r} has two examples"
        EXAMPLES[name] = Example(call)
        return call

    return added


def sharper(module: Module, factor: float = 3.0) -> Module:
    """The module with larger parameters: untrained ones would look at everything alike."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.mul_(factor)
    return module
