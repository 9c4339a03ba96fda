"""What training minimises: how surprising the labels are."""

from collections.abc import Sequence
from typing import Any

from torch import nn
from torch.nn.functional import cross_entropy

from regard.data.annotated.codec import UNKNOWN_LABEL
from regard.lens.maps import Tokens
from regard.lens.scene import NOTHING, Scene
from regard.training.objective import EXAMINED, Loss, Objective
from regard.types import Float, Int, Tensor

from .batch import Batch, empty_batch


class LabelObjective(Objective[Batch]):
    r"""Cross entropy of the labels, smoothed if asked for.

    .. math:: \mathcal L = -\sum_n \sum_k q_{nk} \log p_{nk}, \quad
              q_{nk} = (1 - \epsilon) [k = y_n] + \epsilon / K

    Szegedy et al. 2016, section 7 (https://arxiv.org/abs/1512.00567). A sum over labels, of words
    or of texts: divide by :attr:`Batch.num_targets`.

    Labels of other kinds may be learned beside them from the same features, each by an output layer
    of its own that belongs to training alone (Caruana 1997, https://doi.org/10.1023/A:1007379606734):
    their losses are added, times a weight.

    Args:
        model: a tagger or a classifier.
        smoothing: epsilon.
        per_word: whether every word has a label, or every text.
        also: how many labels each other kind has.
        weight: of the losses of other kinds.
    """

    def __init__(
        self,
        model: Any,
        *,
        smoothing: float,
        per_word: bool,
        also: Sequence[int] = (),
        weight: float = 0.5,
    ) -> None:
        super().__init__()
        self.model, self.smoothing, self.per_word = model, smoothing, per_word
        width = model.output.in_features
        self.others = nn.ModuleList(nn.Linear(width, labels) for labels in also)
        self.weight = weight

    def forward(self, batch: Batch) -> Loss:
        """The loss of one batch; its parts: ``nll`` in nats, ``correct`` labels."""
        features = self.model.features(*batch.inputs).flatten(0, -2)  # (B N, M) or (B, M)
        logits, wanted = self.model.output(features), batch.targets.flatten()
        total = nll = _surprise(logits, wanted)
        if self.smoothing:
            total = _surprise(logits, wanted, smoothing=self.smoothing)
        for output, labels in zip(self.others, batch.also, strict=True):
            told = _surprise(output(features), labels.flatten(), smoothing=self.smoothing)
            total = total + self.weight * told
        correct = (logits.detach().argmax(dim=-1) == wanted).sum().to(nll.dtype)
        return Loss(total, {"nll": nll.detach(), "correct": correct})

    def scene(self, batch: Batch) -> Scene:
        """Some texts with their labels."""
        some = slice(EXAMINED)
        tokens, lengths, spelling = batch.tokens[some], batch.lengths[some], batch.spelling
        if spelling is not None:
            spelling = spelling._replace(index=spelling.index[some])
        wanted = batch.targets[some].reshape(len(tokens), -1)
        return Scene(
            {"input": Tokens(tokens, lengths)},
            lambda ids: _by_row(self.model(ids["input"], lengths, spelling)),
            wanted.masked_fill(wanted == UNKNOWN_LABEL, NOTHING),
        )

    def empty_batch(self) -> Batch:
        """A row without a label."""
        spelled = self.model.config.embedding.spelling is not None
        return empty_batch(per_word=self.per_word, spelled=spelled, also=len(self.others))


def _by_row(logits: Tensor) -> Float[Tensor, "B N V"]:
    """A row for every word; of labels of texts one."""
    return logits if logits.dim() == 3 else logits.unsqueeze(1)


def _surprise(
    logits: Float[Tensor, "R V"], wanted: Int[Tensor, " R"], *, smoothing: float = 0.0
) -> Float[Tensor, ""]:
    """The sum of the negative log-likelihoods of the labels that are known."""
    return cross_entropy(
        logits, wanted, ignore_index=UNKNOWN_LABEL, reduction="sum", label_smoothing=smoothing
    )
