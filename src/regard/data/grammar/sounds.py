"""Whether a word begins with a vowel sound, for elision and *an*."""

_FRENCH_VOWELS = frozenset("aàâeéèêëiîïoôœuùûühAÀÂEÉÈÊËIÎÏOÔŒUÙÛÜH")

# Written with h but said as if with a consonant; the two numbers refuse elision as well.
ASPIRATED = frozenset(
    {"héros", "hibou", "hiboux", "hérisson", "hérissons", "haricot", "haricots"}
    | {"hache", "haches", "haut", "haute", "hauts", "hautes", "huit", "onze"}
)

_AN_DESPITE_CONSONANT = frozenset({"honest"})
_A_DESPITE_VOWEL = frozenset({"uniform", "university", "useful"})


def starts_with_vowel_sound(word: str) -> bool:
    """Whether the French ``word`` makes the word before it lose its vowel: l'homme, le héros."""
    return (word[:1] in _FRENCH_VOWELS or word == "y") and word not in ASPIRATED


def takes_an(word: str) -> bool:
    """Whether English says *an* before ``word``: an apple, an honest man, a uniform."""
    if word in _AN_DESPITE_CONSONANT:
        return True
    return word[0] in "aeiouAEIOU" and word not in _A_DESPITE_VOWEL
