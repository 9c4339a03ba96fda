"""Running a model with interventions, which are undone when the block ends."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from threading import get_ident

from torch import nn

from regard.errors import ChoiceError
from regard.functional.asked import Asked, Edit
from regard.functional.masks import Mask
from regard.functional.normalisers import Normaliser
from regard.functional.scores import ScoreLike
from regard.types import Tensor

from ..foreign.kinds import door_of
from ..foreign.listener import Listener, recomputed
from ..foreign.opened import attending, opened
from .base import Intervention, Run
from .swapped import Swapped


@contextmanager
def edit(model: nn.Module, *interventions: Intervention) -> Iterator[None]:
    """Run a model with other things happening in its attention; exact, and undone at the end.

    >>> with edit(model, HeadOff("h.0.attn", heads=[1]), CutLink("h.1.attn", 5, 2)):
    ...     changed = model(ids).logits

    Whatever :func:`capture` sees can be edited: our models, those of ``transformers`` unmodified,
    modules that call torch's fused attention. Heads and rows that no intervention names keep their
    bits. A later intervention acts on what an earlier one left. Inside a capture, what is told is
    the edited run, and its looks may be unverified for it.

    Args:
        model: what contains attention.
        interventions: what is to happen, and where.

    Raises:
        ChoiceError: nothing of such a name, or something that can be read but not edited.
    """
    places = _places(model, interventions)
    bound = {name: [_Bound(each) for each in some] for name, some in places.items()}

    def edits(name: str) -> Sequence[Edit]:
        return bound.get(name, ())

    with opened(model, list(places), Listener({}, edits=edits)):
        yield


@contextmanager
def swap(
    model: nn.Module,
    module: str = "*",
    *,
    score: ScoreLike | None = None,
    mask: Mask | Tensor | str | None = None,
    normalise: Normaliser | str | None = None,
    heads: Sequence[int] | None = None,
) -> Iterator[None]:
    """Another score, mask or normaliser in chosen layers and heads of any model, for a block.

    >>> with swap(bert, "encoder.layer.*", normalise="entmax15"):
    ...     loss = bert(**batch, labels=labels).loss
    ...     loss.backward()

    See :class:`Swapped`; :func:`edit` with one of these.

    Args:
        model: what contains attention.
        module: name or pattern of the modules; all of them if not given.
        score: as in :func:`regard.attend`.
        mask: likewise, on top of the module's own.
        normalise: likewise.
        heads: which heads; all if not given.
    """
    with edit(model, Swapped(module, score, mask, normalise, heads=heads)):
        yield


def _places(
    model: nn.Module, interventions: Sequence[Intervention]
) -> dict[str, list[Intervention]]:
    """The interventions of every module, in order."""
    known = attending(model)
    places: dict[str, list[Intervention]] = {}
    for each in interventions:
        found = [name for name in known if _matches(name, each.where)]
        if not found:
            told = ", ".join(map(repr, known)) or "none"
            raise ChoiceError(
                f"no attention module is called {each.where!r}, nor does the pattern fit any. "
                f"Known: {told}."
            )
        for name in found:
            _require_editable(name, known[name])
            places.setdefault(name, []).append(each)
    return places


def _matches(name: str, pattern: str) -> bool:
    """Whether a name is meant: by itself, by a pattern, or by what it is a part of."""
    return fnmatchcase(name, pattern) or fnmatchcase(name, f"{pattern}.*")


def _require_editable(name: str, module: nn.Module) -> None:
    kind, door = type(module).__name__, door_of(module)
    if door == "by hand":
        raise ChoiceError(
            f"{name!r} is a {kind}, which makes its weights by a softmax of its own: they can be "
            "read, but nothing can be put in their place"
        )
    if getattr(module, "kind", None) == "gate":
        raise ChoiceError(f"{name!r} is a {kind}, a gate: it has no heads, links or values to edit")


@dataclass(eq=False)
class _Bound:
    """An intervention at one module, which counts its calls."""

    intervention: Intervention
    calls: int = field(default=0)
    thread: int = field(default_factory=get_ident)

    def context(self, asked: Asked, run: Run) -> Tensor:
        """The context, in the calls that are meant."""
        return self.intervention.context(asked, run) if self._meant(count=True) else run()

    def weights(self, asked: Asked, weights: Tensor) -> Tensor:
        """The weights, likewise."""
        return self.intervention.weights(asked, weights) if self._meant() else weights

    def replaced(self, asked: Asked, context: Tensor) -> Tensor:
        """The context of a module that pools by itself, likewise."""
        meant = self._meant(count=True)
        return self.intervention.replaced(asked, context) if meant else context

    def _meant(self, *, count: bool = False) -> bool:
        if self.thread != get_ident():
            return False
        call = self.calls
        if count and not recomputed():
            self.calls += 1
        return self.intervention.call in (None, call)
