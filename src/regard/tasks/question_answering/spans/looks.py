"""Where a question looked in a passage, from whatever attention the model has."""

import torch

from regard.lens.record import Record
from regard.models.reading import Passages
from regard.types import Float, Tensor

TO_PASSAGE = "to_passage"


def question_on_passage(record: Record, read: Passages) -> Float[Tensor, "B J N"] | None:
    r"""How much of what each word of the question was looked at comes from each of the passage.

    .. math:: \ell_{jt} = a_{tj} / \sum_{t'} a_{t'j}

    Words of the passage look at the question, in several heads or layers perhaps, of which this is
    the mean; turned round, each word of the question has a distribution over the passage. ``None``
    of a model that does not look.

    Args:
        record: what was captured.
        read: what was read.
    """
    looks = [_map(record, name, read) for name in record if TO_PASSAGE not in name]
    found = [one for one in looks if one is not None]
    if not found:
        return None
    weights = torch.stack(found).mean(dim=0)  # (B, N, J)
    real = torch.arange(weights.shape[1], device=weights.device) < read.lengths.unsqueeze(-1)
    weights = weights.where(real.unsqueeze(-1), 0)
    return (weights / weights.sum(dim=1, keepdim=True).clamp(min=1e-9)).mT


def _map(record: Record, name: str, read: Passages) -> Tensor | None:
    """The weights of one module over passage × question, heads taken together."""
    entry = record[name]
    weights = [look.weigh() for look in entry.looks]
    shape = (len(read.about), read.questions.shape[1])
    if len(weights) == 1 and weights[0].dim() == 4:  # heads
        weights = [weights[0].mean(dim=1)]
    fitting = all(one.shape[0] == shape[0] and one.shape[-1] == shape[1] for one in weights)
    if not fitting:  # a recurrent cell's own past
        return None
    found = torch.cat(weights, dim=1)  # (B, N, J): one look, or one for each word
    return found if found.shape[1] == read.passages.shape[1] else None
