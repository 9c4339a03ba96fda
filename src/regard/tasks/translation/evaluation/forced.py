"""Teacher forcing: a model reads a given translation; its NLL and its attention."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Literal, NamedTuple

import torch
from torch.nn.functional import cross_entropy

from regard.decoding.protocol import device_of, inference
from regard.errors import ChoiceError
from regard.lens import attention_modules, capture
from regard.lens.learning import learning
from regard.measures import Perplexity, perplexity
from regard.models import Seq2Seq
from regard.tasks.translation.predictor import Translator
from regard.types import Float, Int, Tensor

from .link_scores import LinkScores, link_scores

CROSS = "cross"
"""What decoders of several layers call the attention that looks at the source."""

ROWS_AT_ONCE = 512
"""Positions whose logits are in memory together."""

Asked = Literal["nothing", "alignment", "heads"]
"""Which weights are wanted: none, those of the alignment head, or those of every head."""


class TeacherForced(NamedTuple):
    """What a model makes of a translation."""

    number: int
    """The place of the pair among all of them."""
    log_prob: float
    """ln p(target, eos | source)."""
    tokens: int
    """Target tokens, ``eos`` included."""
    weights: Float[Tensor, "L H T S"] | None
    """Where the step that predicts token t looked, the ends of both texts included; one layer and
    one head unless every head was asked for; ``None`` if not asked for, or where a model does not
    look."""


class _Numbered(NamedTuple):
    """A pair as token numbers, and its place among all of them."""

    place: int
    source: list[int]
    target: list[int]


def teacher_forced(
    translator: Translator,
    pairs: Iterable[tuple[str, str]],
    *,
    asked: Asked = "nothing",
    by: LinkScores = "attention",
    max_tokens: int = 4096,
) -> Iterator[TeacherForced]:
    """What a model makes of every (source, target), those of like length together.

    The first ``translator.longest`` tokens of either text are read. The model is left as it was.

    Args:
        translator: a model with its vocabularies.
        pairs: running text.
        asked: which weights are wanted.
        by: what stands in for the weights of every head.
        max_tokens: padded tokens of a batch, of the longer side.

    Raises:
        ChoiceError: no heads to be read by anything but weights.
    """
    for some in _batches(_numbered(translator, pairs), max_tokens):
        yield from _read(translator, some, asked, by)


def perplexity_on(translator: Translator, pairs: Sequence[tuple[str, str]]) -> Perplexity:
    """The perplexity of a model on translations that people wrote.

    Words are what stands between spaces, and each end of a sentence is one more.

    Raises:
        RangeError: there is no pair.
    """
    total, tokens = 0.0, 0
    for one in teacher_forced(translator, pairs):
        total -= one.log_prob
        tokens += one.tokens
    words = sum(len(target.split()) + 1 for _, target in pairs)
    return perplexity(total, tokens=tokens, words=words)


def _numbered(translator: Translator, pairs: Iterable[tuple[str, str]]) -> list[_Numbered]:
    """All pairs as token numbers, the longest first."""
    source, target = translator.vocabularies
    most = translator.longest
    found = [
        _Numbered(place, [*source.encode(here)[:most], target.eos], target.encode(there)[:most])
        for place, (here, there) in enumerate(pairs)
    ]
    return sorted(found, key=lambda one: (-_length(one), one.place))


def _batches(pairs: Sequence[_Numbered], max_tokens: int) -> Iterator[Sequence[_Numbered]]:
    while pairs:
        count = max(1, max_tokens // _length(pairs[0]))
        yield pairs[:count]
        pairs = pairs[count:]


def _length(pair: _Numbered) -> int:
    return max(len(pair.source), len(pair.target) + 1)


def _read(
    translator: Translator, some: Sequence[_Numbered], asked: Asked, by: LinkScores
) -> list[TeacherForced]:
    model, target = translator.model, translator.vocabularies.target
    device = device_of(model)

    def padded(rows: Iterable[list[int]]) -> Int[Tensor, "B N"]:
        tensors = [torch.tensor(row) for row in rows]
        return torch.nn.utils.rnn.pad_sequence(
            tensors, batch_first=True, padding_value=target.pad
        ).to(device)

    source = padded(one.source for one in some)
    said = padded([target.bos, *one.target] for one in some)
    wanted = padded([*one.target, target.eos] for one in some)
    lengths = torch.tensor([len(one.source) for one in some], device=device)
    crosses = [name for name in attention_modules(model) if name.split(".")[-1] == CROSS]
    if by != "attention" and not crosses:
        raise ChoiceError(f"links by {by} need heads that look at the source, this model has none")
    steep = by == "gradient"
    watched = (
        capture(model, crosses, graph=steep) if asked == "heads" and crosses else nullcontext(None)
    )
    running = _with_gradients(model) if steep else inference(model)
    with running, watched as record:
        decoded = model.decode_parallel(source, lengths, said, aligned=asked != "nothing")
        losses = _losses(model, decoded.features, wanted)
        gain = -losses[wanted != target.pad].sum() if steep else None
        weights = None if record is None else link_scores(record, model, by, gain)
    losses = losses.detach()
    if weights is None and decoded.weights is not None:
        weights = decoded.weights[:, None, None]
    return [_told(one, losses[row], weights, row) for row, one in enumerate(some)]


@contextmanager
def _with_gradients(model: Seq2Seq) -> Iterator[None]:
    """Inside, a model is in evaluation and all that it computes has a gradient."""
    training = model.training
    model.eval()
    try:
        with torch.enable_grad(), learning(model):
            yield
    finally:
        model.train(training)


def _losses(
    model: Seq2Seq, features: Float[Tensor, "B T M"], wanted: Int[Tensor, "B T"]
) -> Float[Tensor, "B T"]:
    """−ln p of every token, in double precision on the CPU."""
    flat, tokens = features.flatten(0, 1), wanted.flatten()
    parts = [
        cross_entropy(model.output(some).float(), numbers, reduction="none")
        for some, numbers in zip(flat.split(ROWS_AT_ONCE), tokens.split(ROWS_AT_ONCE), strict=True)
    ]
    return torch.cat(parts).double().cpu().view(wanted.shape)


def _told(
    one: _Numbered, losses: Tensor, weights: Float[Tensor, "B L H T S"] | None, row: int
) -> TeacherForced:
    steps = len(one.target) + 1
    own = None if weights is None else weights[row, ..., :steps, : len(one.source)].clone()
    return TeacherForced(one.place, -float(losses[:steps].sum()), steps, own)


forced, surprise, Forced = teacher_forced, perplexity_on, TeacherForced
"""Their names of before."""
