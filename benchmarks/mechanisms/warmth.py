"""What is compiled or set up at the first use, used once before a clock starts."""

import torch

from regard.data.vocabulary.tokeniser import BOS, EOS
from regard.decoding import Limits, decode
from regard.models import Seq2SeqConfig, build
from regard.tasks.translation.corpus import Batch
from regard.training import RunConfig

LENGTH = 20
"""Tokens of the made-up sentences, as long as usual ones: kernels are chosen by size."""
ANSWER = Limits(max_length=4)


def warm_up(config: RunConfig) -> None:
    """Learn from a batch as large as a real one, read it and answer it, with a model of its own.

    Random numbers are drawn as if nothing had happened.

    Args:
        config: of the run that is to be timed.
    """
    with torch.random.fork_rng():
        batch = made_up(config)
        objective = config.task.objective(build(config.model))
        objective(batch).total.backward()
        model, sources = objective.model.eval(), batch.source.tolist()
        for aligned in (False, True):
            decode(model, sources, limits=ANSWER, aligned=aligned)
            with torch.no_grad():
                model.decode_parallel(
                    batch.source, batch.source_lengths, batch.target_in, aligned=aligned
                )


def made_up(config: RunConfig) -> Batch:
    """Sentences of random tokens, as many as a batch takes."""
    model = config.model
    assert isinstance(model, Seq2SeqConfig)
    rows = max(1, config.batch.max_tokens // LENGTH)
    source = torch.randint(EOS, model.source_vocab, (rows, LENGTH))
    target = torch.randint(EOS, model.target_vocab, (rows, LENGTH))
    lengths = torch.full((rows,), LENGTH)
    first = torch.full((rows, 1), BOS)
    return Batch(
        source=source,
        source_lengths=lengths,
        target_in=torch.cat([first, target[:, 1:]], dim=1),
        target_out=target,
        target_lengths=lengths,
        indices=torch.arange(rows),
        alignment=None,
        num_targets=target.numel(),
    )
