"""Two small runs, of a tagger and of a classifier, on files."""

from regard.data.grammar import Grammar
from regard.tasks.tagging import TaggedFiles, TaggingTask
from regard.tasks.text_classification import LabelledFiles, TextClassificationTask
from regard.training import Budget, Settings

TAGGER = {
    "embedding": {
        "dim": 16,
        "dropout": 0.1,
        "word_dropout": 0.05,
        "spelling": {
            "dim": 8,
            "encoder": {"kind": "recurrent", "hidden_dim": 16, "num_layers": 1, "dropout": 0.0},
        },
    },
    "encoder": {"hidden_dim": 32, "num_layers": 1, "dropout": 0.1},
}
CLASSIFIER = {
    "embedding": {"dim": 16, "dropout": 0.1},
    "encoder": {"hidden_dim": 32},
    "pooling": {"attention_dim": 8},
}


def files(folder, kind):
    """Sentences of the grammar: with their tags, or in two languages which are to be told."""
    pairs = [pair for pair, _ in zip(Grammar(max_words=8), range(160), strict=False)]
    if kind == "tagging":
        rows = [
            "".join(f"{word}\t{tag}\n" for word, tag in zip(p.source, p.source_tags, strict=True))
            for p in pairs
        ]
        train, valid = folder / "train.tsv", folder / "valid.tsv"
        train.write_text("\n".join(rows[:120]))
        valid.write_text("\n".join(rows[120:]))
        return TaggingTask(data=TaggedFiles(train=train, valid=valid))
    rows = [f"en\t{p.source_text}\nfr\t{p.target_text}\n" for p in pairs]
    train, valid = folder / "train.tsv", folder / "valid.tsv"
    train.write_text("".join(rows[:120]))
    valid.write_text("".join(rows[120:]))
    return TextClassificationTask(data=LabelledFiles(train=train, valid=valid))


def settings(task, steps, **changes):
    usual = {
        "optimisation": {"rate": 0.02},
        "batch": {"max_tokens": 256},
        "save_every": 10,
        "validate_every": steps,
        "log_every": 1,
        "average": 0.5,
    }
    return Settings(task=task, budget=Budget(steps=steps), **usual | changes)


MODELS = {
    "tagging": ("bilstm-tagger", TAGGER),
    "text-classification": ("gru-classifier", CLASSIFIER),
}
