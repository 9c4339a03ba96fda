"""Measures of texts by their names."""

from collections.abc import Callable, Sequence

from regard.measures import References, bleu, chrf, exact, phoneme_error, rouge_l, word_error

TextScore = Callable[[Sequence[str], References], float]

TEXT_SCORES: dict[str, TextScore] = {
    "bleu": lambda texts, references: bleu(texts, references).value,
    "chrf": lambda texts, references: chrf(texts, references).value,
    "exact": exact,
    "rouge-l": rouge_l,
    "word-error": word_error,
    "phoneme-error": phoneme_error,
}


def text_score(name: str, texts: Sequence[str], references: References) -> float:
    """One measure of texts, each with its references."""
    return TEXT_SCORES[name](texts, references)
