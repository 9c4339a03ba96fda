"""One model and one list of sources for everybody, in plain files."""

import json
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors.torch import save_file

from regard.data.grammar import Grammar
from regard.data.pairs import read_pairs
from regard.data.vocabulary import Tokeniser, learn
from regard.errors import ChoiceError, InputError
from regard.models import Transformer, TransformerConfig, build, preset_config
from regard.tasks.translation.predictor import load_translator

from .decoders.ours import WEIGHTS as OUR_WEIGHTS
from .decoders.protocol import MODEL, SOURCES, WEIGHTS
from .export import EOS, exported

VOCABULARY = 8000
"""Tokens of the model that nobody trained, whatever the text has."""
SENTENCES = 640
"""Sources that are used."""
GRAMMAR_WORDS = 40
"""The longest sources of the grammar."""
LONGEST = 200
"""Tokens of a source at most; longer ones are left out."""


class Prepared(NamedTuple):
    """What lies in the folder."""

    folder: Path
    origin: str
    """Where the sources come from."""
    sources: int
    tokens: int
    """Of all sources, ends of sentences counted."""
    model: str
    """Where the weights come from."""
    config: TransformerConfig
    parameters: int


def prepare(run: Path | None, files: Sequence[Path], folder: Path) -> Prepared:
    """Write the model in our names and in theirs, and the sources as numbers.

    Args:
        run: the folder of a run; ``None`` for weights that nobody trained.
        files: one file of pairs, or a source and a target file; none for our own grammar.
        folder: where to write.

    Raises:
        InputError: bad data, named by file and line, or no source that is short enough.
        ChoiceError: a model that the others do not have.
    """
    known = trained(run) if run else None
    texts = list(islice(sources(files), SENTENCES))
    model, tokeniser = known or untrained(texts)
    numbers = encoded(texts, tokeniser)
    theirs = exported(model)
    ours = {name: value.clone() for name, value in model.state_dict().items()}
    save_file(ours, folder / OUR_WEIGHTS)
    save_file({name: w.contiguous() for name, w in theirs.weights.items()}, folder / WEIGHTS)
    about = {"ours": model.config.model_dump(mode="json"), "theirs": theirs._asdict()}
    del about["theirs"]["weights"]
    (folder / MODEL).write_text(json.dumps(about), encoding="utf-8")
    (folder / SOURCES).write_text(json.dumps(numbers), encoding="utf-8")
    return Prepared(
        folder=folder,
        origin=" ".join(path.name for path in files) or f"grammar, up to {GRAMMAR_WORDS} words",
        sources=len(numbers),
        tokens=sum(map(len, numbers)),
        model=run.name if run else "random weights",
        config=model.config,
        parameters=sum(parameter.numel() for parameter in model.parameters()),
    )


def sources(files: Sequence[Path]) -> Iterator[str]:
    """The sources of the files, or those of the grammar's test split."""
    if files:
        return (pair.source for pair in read_pairs(*files))
    return (pair.source_text for pair in Grammar(split="test", max_words=GRAMMAR_WORDS))


def trained(run: Path) -> tuple[Transformer, Tokeniser]:
    """What a run has learned."""
    translator = load_translator(run)
    model = translator.model
    if not isinstance(model, Transformer):
        raise ChoiceError(
            f"bench decoding needs a run of a Transformer, and {run} holds a "
            f"{type(model).__name__}; name another run"
        )
    return model, translator.vocabularies.source


def untrained(texts: Sequence[str]) -> tuple[Transformer, Tokeniser]:
    """The Transformer of the training bench with norms behind sublayers, as it is drawn."""
    small = preset_config("transformer-small", source_vocab=VOCABULARY, target_vocab=VOCABULARY)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = build(small, norm="post", shared=True)
    assert isinstance(model, Transformer)
    return model.eval(), learn("bpe", chain(texts), size=VOCABULARY)


def encoded(texts: Sequence[str], tokeniser: Tokeniser) -> list[list[int]]:
    """Sources as numbers, the shortest first, each with its end."""
    rows = (tokeniser.ids(tokeniser.pieces(text)) for text in texts)
    found = sorted(([*row, EOS] for row in rows if 0 < len(row) < LONGEST), key=len)
    if not found:
        raise InputError(
            f"bench decoding needs sources of fewer than {LONGEST} tokens, got none; name text in "
            "sentences with --data"
        )
    return found
