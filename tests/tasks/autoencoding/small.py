"""A few sentences of the grammar, learned by heart by a small model."""

from itertools import islice

from regard.data.grammar import Grammar
from regard.tasks.autoencoding import AutoencodingTask
from regard.training import Budget, Settings

SMALL = {
    "latent": 24,
    "embedding": {"dim": 16},
    "encoder": {"kind": "recurrent", "hidden_dim": 32},
    "decoder": {"kind": "recurrent", "embedding_dim": 16, "hidden_dim": 48},
}


def sentences(count=24):
    """Different ones."""
    drawn = (pair.source_text for pair in islice(Grammar(max_words=6), 4 * count))
    return list(dict.fromkeys(drawn))[:count]


def task(folder, **changes):
    path = folder / "lines.txt"
    path.write_text("\n".join(sentences()) + "\n")
    words = {"vocabulary": {"level": "words"}}
    return AutoencodingTask(data={"train": path, "valid": path}, **words | changes)


def settings(task, steps, **changes):
    usual = {
        "optimisation": {"rate": 0.01},
        "batch": {"max_tokens": 256},
        "save_every": steps,
        "validate_every": steps,
        "log_every": 1,
        "measure": "exact",
    }
    return Settings(task=task, budget=Budget(steps=steps), **usual | changes)
