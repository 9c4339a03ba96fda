"""How surprising a text is to a model, window by window."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy

from regard.decoding.protocol import device_of, inference
from regard.models.language import LanguageModel
from regard.types import Tensor


class Surprise(NamedTuple):
    """Of every window of a text."""

    nats: NDArray[np.float64]
    """-ln p of its tokens, summed."""
    tokens: NDArray[np.int64]
    """How many."""
    by_place: NDArray[np.float64]
    """(T,): -ln p of the token at each place of a whole window, the mean over windows."""

    @property
    def mean(self) -> float:
        """Nats per token."""
        return float(self.nats.sum() / self.tokens.sum())


def surprise(
    model: LanguageModel, text: NDArray[Any], *, length: int, max_tokens: int, carried: bool = False
) -> Surprise:
    """Of all tokens of a text but the first, each once.

    Args:
        model: what reads; left as it was.
        text: tokens, at least two.
        length: of a window, before which nothing is known.
        max_tokens: of a batch.
        carried: whether the state goes on from window to window instead.
    """
    nats, counts = list[Tensor](), list[int]()
    places, windows = torch.zeros(length, dtype=torch.float64), 0
    with inference(model):
        for tokens, targets, state in _pieces(model, text, length, max_tokens, carried):
            features = state(tokens)
            logits = model.output(features).flatten(0, 1).float()
            each = cross_entropy(logits, targets.flatten(), reduction="none")
            each = each.view(targets.shape).double().cpu()  # (B, T)
            nats.append(each.sum(dim=1))
            counts += [targets.shape[1]] * len(targets)
            if targets.shape[1] == length:
                places, windows = places + each.sum(dim=0), windows + len(targets)
    by_place = (places / max(1, windows)).numpy()
    return Surprise(torch.cat(nats).numpy(), np.array(counts), by_place)


def _pieces(
    model: LanguageModel, text: NDArray[Any], length: int, max_tokens: int, carried: bool
) -> Iterator[tuple[Tensor, Tensor, Any]]:
    """Tokens, targets, and what reads the former."""
    device = device_of(model)
    tokens = torch.from_numpy(text.astype(np.int64)).to(device)
    whole = (len(tokens) - 1) // length * length
    inputs, targets = tokens[:whole].view(-1, length), tokens[1 : whole + 1].view(-1, length)
    rest = tokens[whole:].unsqueeze(0)
    if carried:
        read = _Carrying(model)
        pieces = zip(inputs.split(1), targets.split(1), strict=True)
    else:
        read = model.features  # type: ignore[assignment]
        rows = max(1, max_tokens // length)
        pieces = zip(inputs.split(rows), targets.split(rows), strict=True)
    for some, wanted in pieces:
        yield some, wanted, read
    if rest.shape[1] > 1:
        yield rest[:, :-1], rest[:, 1:], read


class _Carrying:
    """Reads on from where it was."""

    def __init__(self, model: LanguageModel) -> None:
        self._model, self._state = model, None

    def __call__(self, tokens: Tensor) -> Tensor:
        features, self._state = self._model.read(tokens, self._state)
        return features
