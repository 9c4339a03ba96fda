"""Small readers of both kinds, and batches for them."""

import torch

from regard.models.reading import (
    FEATURES,
    CrossConfig,
    EmbeddedMemoryConfig,
    EncodedMemoryConfig,
    FlowConfig,
    FusionConfig,
    Passages,
    SpanReaderConfig,
    Stories,
    StoryReaderConfig,
)
from regard.models.text import EmbeddingConfig, RecurrentEncoderConfig, TransformerEncoderConfig

VOCAB, LABELS = 11, 5
WORDS = RecurrentEncoderConfig(cell="gru", hidden_dim=6, num_layers=1, dropout=0.0)

MEMORIES = {
    **{
        f"{sentence}, {tying}": EmbeddedMemoryConfig(sentence=sentence, tying=tying, reach=9)
        for sentence in ("bag", "position")
        for tying in ("adjacent", "layer-wise", "none")
    },
    "encoded": EncodedMemoryConfig(words=WORDS, reach=9),
    "encoded, read side by side": EncodedMemoryConfig(
        words=WORDS,
        context=TransformerEncoderConfig(
            model_dim=6, num_heads=2, num_layers=1, hidden_dim=7, position="relative", dropout=0.0
        ),
        reach=9,
    ),
}
MATCHINGS = {
    "flow": FlowConfig(),
    "cross": CrossConfig(num_heads=2, num_layers=2, hidden_dim=7),
    "fusion": FusionConfig(hidden_dim=5, attention_dim=3),
}
STORY = [[4, 5, 6], [7, 5], [4, 8, 9, 6], [10, 5, 6], [7, 8]]
"""Five sentences; questions are sentences too."""


def story_config(memory="position, adjacent", **changes):
    fields = {"dim": 6, "hops": 3, "dropout": 0.0, **changes}
    return StoryReaderConfig(vocab=VOCAB, labels=LABELS, memory=MEMORIES[memory], **fields)


def stories(rows, *, width=None):
    """Sentences of ``STORY`` by their numbers, the last of each row the question."""
    longest = max(map(len, STORY))
    sentences = torch.zeros(len(STORY) + 1, longest, dtype=torch.long)
    for number, words in enumerate(STORY, start=1):
        sentences[number, : len(words)] = torch.tensor(words)
    index = torch.zeros(len(rows), width or max(map(len, rows)), dtype=torch.long)
    for number, row in enumerate(rows):
        index[number, : len(row)] = torch.tensor(row) + 1
    return Stories(
        sentences,
        torch.tensor([0, *map(len, STORY)]),
        index,
        torch.tensor([len(row) - 1 for row in rows]),
    )


def span_config(matching="flow", **changes):
    fields = {
        "embedding": EmbeddingConfig(dim=5, dropout=0.0),
        "encoder": RecurrentEncoderConfig(cell="gru", hidden_dim=6, num_layers=1, dropout=0.0),
        "modelling": RecurrentEncoderConfig(cell="gru", hidden_dim=4, num_layers=1, dropout=0.0),
        "dropout": 0.0,
        **changes,
    }
    return SpanReaderConfig(vocab=VOCAB, matching=MATCHINGS[matching], **fields)


def passages(*, width=7, questions=3):
    """Two passages of 7 and 5 words; two questions about the first, one about the second."""
    generator = torch.Generator().manual_seed(3)
    lengths, asked = torch.tensor([7, 5]), torch.tensor([3, 2, 3])
    words = torch.randint(4, VOCAB, (2, width), generator=generator)
    told = torch.randint(4, VOCAB, (3, 3), generator=generator)
    about = torch.tensor([0, 0, 1])
    features = torch.rand(3, width, len(FEATURES), generator=generator)
    return Passages(
        words.where(torch.arange(width) < lengths[:, None], 0),
        lengths,
        told.where(torch.arange(3) < asked[:, None], 0)[:questions],
        asked[:questions],
        about[:questions],
        features[:questions],
    )
