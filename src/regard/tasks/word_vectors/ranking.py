"""How often a word's neighbour is nearer to it than a word drawn at random."""

from collections.abc import Sequence

import numpy as np
import torch

from regard.measures.ratio import Ratio

from .codec import words_of
from .corpus import encode
from .predictor import WordEmbedder
from .sampling import Sampling

LONGEST = 4096
"""Words of a text that are read."""


@torch.no_grad()
def ranked(embedder: WordEmbedder, texts: Sequence[str]) -> tuple[Ratio, float]:
    r"""The share of pairs that are in order, text by text, and that of the words that are known.

    .. math:: P(v_w \cdot u_c > v_w \cdot u_n)

    c stands beside w, n is drawn as in training; equal ones count half. It is the area under the
    curve of telling neighbours from others, whichever way the vectors were trained.

    Raises:
        InputError: no word is known.
    """
    every_word = Sampling(frequent=1.0)
    corpus = encode(texts, embedder.codec, every_word, longest=LONGEST)
    words, contexts = embedder.model.words.weight.cpu(), embedder.model.contexts.weight.cpu()
    counts = np.zeros((len(corpus), 2))
    for row in range(len(corpus)):
        rows = np.array([row])
        batch = corpus.batch(rows, indices=rows, num_targets=1)
        vectors = words[batch.words]  # (P, D)
        near = (vectors * contexts[batch.contexts]).sum(dim=-1, keepdim=True)  # (P, 1)
        far = vectors @ contexts[batch.negatives].T  # (P, S)
        above = (near > far).double() + 0.5 * (near == far).double()
        counts[row] = above.mean(dim=1).sum().item(), len(batch.words)
    every = sum(len(words_of(text)) for text in texts)
    known = 100 * int(corpus.tokens.lengths.sum()) / every
    return Ratio(counts, "ranked", 100.0), known
