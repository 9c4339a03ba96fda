"""French elision and contraction: *de le* becomes *du*, *le homme* becomes *l'homme*."""

from .sounds import starts_with_vowel_sound
from .words import DET, Word

_ELIDED = {
    "le": "l'",
    "la": "l'",
    "de": "d'",
    "que": "qu'",
    "je": "j'",
    "me": "m'",
    "te": "t'",
    "se": "s'",
    "ne": "n'",
}
_CONTRACTED = {
    ("de", "le"): "du",
    ("de", "les"): "des",
    ("à", "le"): "au",
    ("à", "les"): "aux",
}


def contract_and_elide(words: list[Word]) -> list[Word]:
    """``words`` as French writes them one after the other.

    A contracted word keeps the tag of its preposition and the links of both, so *of the* is
    aligned with *du*. Only articles contract: the pronoun of *à le voir* stays.
    """
    result: list[Word] = []
    skip = False
    following = iter([*words[1:], None])
    after = [*words[2:], None, None]
    for word, second, third in zip(words, following, after, strict=True):
        if skip:
            skip = False
            continue
        if second is None:
            result.append(word)
            break
        contracted = _contracted(word, second, third)
        if contracted is not None:
            result.append(contracted)
            skip = True
        else:
            result.append(_elided(word, second))
    return result


def _contracted(word: Word, article: Word, third: Word | None) -> Word | None:
    """*du*, *des*, *au* or *aux* where ``word`` and ``article`` melt, else None."""
    if word.text not in ("de", "à") or article.tag != DET:
        return None
    text = _CONTRACTED.get((word.text, article.text))
    if text is None:
        return None
    if article.text == "le" and third is not None and starts_with_vowel_sound(third.text):
        return None
    return Word(text, word.tag, tuple(sorted({*word.links, *article.links})))


def _elided(word: Word, second: Word) -> Word:
    """``word`` without its last vowel if ``second`` asks for that."""
    if word.text == "si" and second.text in ("il", "ils"):
        return word._replace(text="s'")
    short = _ELIDED.get(word.text)
    if short is None or not starts_with_vowel_sound(second.text):
        return word
    return word._replace(text=short)
