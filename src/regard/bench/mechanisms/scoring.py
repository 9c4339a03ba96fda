"""What a trained model is worth: translations, and where it looked."""

from collections.abc import Sequence
from typing import Any

from ...decoding.protocol import still
from ...models import Seq2Seq
from ...tasks.batches import BatchConfig, Batches, Example, FinitePools, encode, side
from ...tasks.metrics import (
    Argmax,
    Gold,
    Rule,
    Threshold,
    alignment_score,
    bleu,
    by_length,
    chrf,
    exact,
    word_links,
)
from ...tasks.pairs import Links
from ...tasks.translation import HeldOut
from ...tasks.vocabulary import Vocabularies
from ...translation import Translator
from .results import Length


def scored(
    translator: Translator,
    held_out: Sequence[HeldOut],
    *,
    edges: Sequence[int],
    link_above: float | None,
) -> dict[str, Any]:
    """Fields of a result: greedy translations measured, and attention beside gold.

    Args:
        translator: what was trained.
        held_out: sentences it has never seen.
        edges: the longest length of every bucket but the last.
        link_above: weight above which words are linked; ``None`` for the largest.
    """
    sources = [one.source for one in held_out]
    references = [one.references for one in held_out]
    texts = [one.text for one in translator.translate(sources)]
    scores = bleu(texts, references), chrf(texts, references)
    rule = Argmax() if link_above is None else Threshold(above=link_above)
    return {
        "bleu": scores[0].value,
        "chrf": scores[1].value,
        "exact": exact(texts, references),
        "aer": error_rate(translator.model, translator.vocabularies, held_out, rule),
        "signatures": tuple(f"{one.name} {one.signature}" for one in scores),
        "lengths": tuple(
            Length(
                label=bucket.label,
                sentences=bucket.sentences,
                bleu=bucket.bleu.value if bucket.bleu else None,
            )
            for bucket in by_length(texts, references, sources, edges=edges)
        ),
    }


def error_rate(
    model: Seq2Seq, vocabularies: Vocabularies, held_out: Sequence[HeldOut], rule: Rule
) -> float | None:
    """Alignment error rate of a model that reads the reference; ``None`` if nothing is known."""
    known = [one for one in held_out if one.alignment is not None]
    if not known:
        return None
    links = attended(model, vocabularies, known, rule)
    if len(links) < len(known):
        return None
    gold = [Gold(one.alignment or frozenset()) for one in known]
    return alignment_score([links[number] for number in range(len(known))], gold).aer


def attended(
    model: Seq2Seq, vocabularies: Vocabularies, held_out: Sequence[HeldOut], rule: Rule
) -> dict[int, Links]:
    """The links of every sentence, by its number; none from a model that does not look."""
    examples = (
        Example(one.source, one.references[0], one.alignment, one.source_words, one.target_words)
        for one in held_out
    )
    found: dict[int, Links] = {}
    pools = FinitePools(encode(examples, vocabularies))
    for batch in Batches(pools, BatchConfig(order="by_length")):
        with still(model):
            decoded = model.read(batch.source, batch.source_lengths, batch.target_in, aligned=True)
        if decoded.weights is None:
            return {}
        for number, weights in zip(batch.indices.tolist(), decoded.weights, strict=True):
            one = held_out[number]
            found[number] = word_links(
                weights,
                source=side(vocabularies.source, one.source, one.source_words),
                target=side(vocabularies.target, one.references[0], one.target_words),
                rule=rule,
            )
    return found
