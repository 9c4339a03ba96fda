"""regard: its model, its search."""

import sys

import torch
from safetensors.torch import load_file

from regard.decoding import BatchLimit, Beam, Greedy, Limits, decode
from regard.models import Seq2Seq, build, config_from

from .protocol import (
    MODEL,
    SOURCES,
    Job,
    Order,
    Translate,
    job,
    opened,
    read,
    serve,
    versions,
)

WEIGHTS = "ours.safetensors"


def model_of(asked: Job) -> Seq2Seq:
    """The model in the folder."""
    model = build(config_from(read(asked, MODEL)["ours"]))
    assert isinstance(model, Seq2Seq)
    model.load_state_dict(load_file(asked.folder / WEIGHTS))
    return model.eval()


def translator(asked: Job) -> Translate:
    """Translates with our search, which fills its batches up as sentences end."""
    model = model_of(asked)
    limits = Limits(min_length=asked.least, max_length=asked.most)

    def translate(sources: list[list[int]], order: Order) -> list[list[int]]:
        strategy = Beam(size=order.beam) if order.beam > 1 else Greedy()
        batch = BatchLimit(sentences=order.size)
        found = decode(model, sources, strategy=strategy, limits=limits, batch=batch)
        return [list(best.tokens) for best, *_ in found]

    return translate


if __name__ == "__main__":
    given = job(sys.argv[1:])
    torch.set_num_threads(given.threads)
    about = {"versions": versions("regard", "torch")}
    serve(translator(given), read(given, SOURCES), about, opened())
