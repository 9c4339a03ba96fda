"""What the loss loses with a head: exactly, and by its slope."""

from collections.abc import Sequence

import torch
from torch import nn

from regard.types import Float, Tensor

from ..capture import capture
from ..edits import Patched, edit
from ..learning import learning
from ..look import Look
from ..scene import Scene

Losses = dict[str, dict[int, tuple[float, float]]]
"""By module and head: Δ loss, and its first-order estimate."""


def importance(model: nn.Module, scenes: Sequence[Scene]) -> Losses:
    r"""Δ loss, in nats per prediction, with a head's context set to its mean over the corpus.

    .. math:: \Delta = L(c^h_i \leftarrow \bar c^h) - L, \qquad
              \Delta \approx \sum_i \langle \partial L / \partial c^h_i, \bar c^h - c^h_i \rangle

    The first is exact and takes a pass of the model for every head, the second one backward pass
    for all of them. Of modules with heads; empty where nothing is to be predicted.

    Args:
        model: in evaluation; it is left as it was.
        scenes: those without ``wanted`` are left out.
    """
    scenes = [scene for scene in scenes if scene.wanted is not None]
    if not scenes:
        return {}
    contexts = _Contexts(sum(map(_predictions, scenes)))
    for scene in scenes:
        contexts.read(model, scene)
    with torch.no_grad():
        base = _loss(scenes)
        return {
            name: {
                head: (_without(model, name, head, mean, scenes) - base, slopes[head])
                for head in range(len(mean))
            }
            for name, (mean, slopes) in contexts.found().items()
        }


class _Contexts:
    """Sums over a corpus: contexts of every head, and where the loss falls from them."""

    def __init__(self, predictions: int) -> None:
        self.predictions = max(1, predictions)
        self.sums: dict[str, Float[Tensor, "H E"]] = {}
        self.rows: dict[str, float] = {}
        self.towards: dict[str, Float[Tensor, "H E"]] = {}
        self.away: dict[str, Float[Tensor, " H"]] = {}

    def read(self, model: nn.Module, scene: Scene) -> None:
        """One batch: a pass, and a pass back."""
        graph = capture(model, graph=True)
        with torch.enable_grad(), learning(model), graph as record:
            loss = scene.loss() * (_predictions(scene) / self.predictions)
        gradients = record.gradients(loss, retain_graph=False)
        for name in record:
            looks = [one for one in record[name].looks if one.context is not None]
            for look, gradient in zip(looks, gradients.get(name, ()), strict=False):
                if look.context is not None and look.context.dim() == 4:
                    self._add(name, look, look.context.detach().double(), gradient.double())

    def found(self) -> dict[str, tuple[Float[Tensor, "H E"], list[float]]]:
        """The mean context of every head, and the slope of the loss towards it."""
        means = {name: total / max(1.0, self.rows[name]) for name, total in self.sums.items()}
        return {
            name: (mean, ((self.towards[name] * mean).sum(dim=-1) - self.away[name]).tolist())
            for name, mean in means.items()
        }

    def _add(
        self,
        name: str,
        look: Look,
        context: Float[Tensor, "B H Q E"],
        gradient: Float[Tensor, "B H Q E"],
    ) -> None:
        real = _real(look)
        own = (context * real).sum(dim=(0, 2))
        self.sums[name] = self.sums.get(name, torch.zeros(())) + own
        self.rows[name] = self.rows.get(name, 0.0) + float(real.sum())
        self.towards[name] = self.towards.get(name, torch.zeros(())) + gradient.sum(dim=(0, 2))
        along = (gradient * context).sum(dim=(0, 2, 3))
        self.away[name] = self.away.get(name, torch.zeros(())) + along


def _without(
    model: nn.Module, name: str, head: int, mean: Float[Tensor, "H E"], scenes: Sequence[Scene]
) -> float:
    with edit(model, Patched(name, mean.unsqueeze(-2).float(), heads=[head])):
        return _loss(scenes)


def _loss(scenes: Sequence[Scene]) -> float:
    """The mean over scenes, each as often as it has predictions."""
    counts = [_predictions(scene) for scene in scenes]
    losses = [float(scene.loss()) for scene in scenes]
    return sum(n * loss for n, loss in zip(counts, losses, strict=True)) / max(1, sum(counts))


def _predictions(scene: Scene) -> int:
    assert scene.wanted is not None
    return int((scene.wanted >= 0).sum())


def _real(look: Look) -> Float[Tensor, "B 1 Q 1"]:
    """1 for queries that may see something; padding is not told apart further."""
    allowed = look.allowed().expand(look.shape)
    return allowed.any(dim=-1)[:, :1, :, None].to(torch.float64)
