"""What a trained model is worth: translations, and where it looked."""

from collections.abc import Sequence
from typing import Any

from regard.data.vocabulary import Vocabularies
from regard.measures import Argmax, Rule, Threshold
from regard.models import Seq2Seq
from regard.tasks.translation import HeldOut
from regard.tasks.translation.evaluation import (
    alignment_by_step,
    evaluate_texts,
    linked_pairs,
    looks_at,
)
from regard.tasks.translation.predictor import Translator

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
    texts = [one.text for one in translator.translate([one.source for one in held_out])]
    found = evaluate_texts(texts, held_out, edges=edges, resampling=None)
    rule = Argmax() if link_above is None else Threshold(above=link_above)
    return {
        "bleu": found.bleu.value,
        "chrf": found.chrf.value,
        "exact": found.exact,
        "aer": error_rate(translator.model, translator.vocabularies, held_out, rule),
        "signatures": tuple(f"{one.name} {one.signature}" for one in (found.bleu, found.chrf)),
        "lengths": tuple(
            Length(
                label=bucket.label,
                sentences=bucket.sentences,
                bleu=bucket.bleu.value if bucket.bleu else None,
            )
            for bucket in found.lengths
        ),
    }


def error_rate(
    model: Seq2Seq, vocabularies: Vocabularies, held_out: Sequence[HeldOut], rule: Rule
) -> float | None:
    """Alignment error rate of a model that reads the reference; ``None`` if nothing is known."""
    translator, pairs = Translator(model, vocabularies), linked_pairs(held_out)
    if not pairs or not looks_at(translator, pairs[0]):
        return None
    return alignment_by_step(translator, pairs, rule=rule, shifts=[0])[0].aer
