"""What training minimises: how surprising the next token is."""

import torch

from regard.errors import ChoiceError
from regard.lens.maps import Tokens
from regard.lens.scene import Scene
from regard.models.language import LanguageModel, RecurrentLM
from regard.models.language.recurrent import flattened, unflattened
from regard.training.cross_entropy import smoothed_cross_entropy
from regard.training.objective import EXAMINED, Loss, Objective
from regard.types import Float, Tensor

from .windows import Batch


class LanguageObjective(Objective[Batch]):
    r"""A language model with its loss, DTraining of Phuong and Hutter 2022, Algorithm 13.

    .. math:: \mathcal L = -\sum_t \ln p(x_{t+1} \mid x_{\le t})

    (https://arxiv.org/abs/2207.09238). With streams the state behind a piece is where the next
    piece of the same stream begins, without a gradient: truncated back-propagation through time.

    Args:
        model: what is trained.
        streams: texts that are read side by side, piece by piece; 0 where every window begins anew.

    Raises:
        ChoiceError: a model whose state cannot be carried.
    """

    model: LanguageModel
    carried: Tensor

    def __init__(self, model: LanguageModel, streams: int = 0) -> None:
        super().__init__()
        self.model, self.streams = model, streams
        if streams:
            require_carrying(model)
            assert isinstance(model, RecurrentLM)
            self.register_buffer("carried", flattened(model.carried(streams)).detach().clone())

    def forward(self, batch: Batch) -> Loss:
        """The loss of one batch; its part ``nll`` is in nats."""
        features = self._carrying(batch) if self.streams else self.model.features(batch.tokens)
        total, nll = smoothed_cross_entropy(features, batch.targets, self.model.output)
        return Loss(total, {"nll": nll})

    def empty_batch(self) -> Batch:
        """No window at all."""
        nothing = torch.zeros(0, 1, dtype=torch.long)
        return Batch(nothing, nothing, nothing[:, 0], 1)

    def scene(self, batch: Batch) -> Scene:
        """Some windows, each from its beginning."""
        some = slice(EXAMINED)
        return Scene(
            {"input": Tokens(batch.tokens[some])},
            lambda ids: self.model.output(self.model.features(ids["input"])),
            batch.targets[some],
            causal=True,
        )

    def _carrying(self, batch: Batch) -> Float[Tensor, "B T M"]:
        model = self.model
        assert isinstance(model, RecurrentLM)
        before = model.carried(len(batch.tokens))
        if not batch.first:
            before = unflattened(self.carried[batch.indices], before)
        features, after = model.read(batch.tokens, before)
        with torch.no_grad():
            self.carried[batch.indices] = flattened(after).to(self.carried.dtype)
        return features


def require_carrying(model: object) -> None:
    """Raise unless the state of a model has one size, however much it has read.

    Raises:
        ChoiceError: it grows.
    """
    if not isinstance(model, RecurrentLM) or model.config.cell == "lstmn":
        raise ChoiceError(
            "streams need a model whose state has one size, such as lstm-lm-small, and this one's "
            "grows with what it reads; leave streams at 0"
        )
