"""Adjectives, by their place in French: before the noun or after it.

Columns: English, its comparative (``-`` for *more …*, ``very`` where only degrees are said, ``x``
where neither is), French masculine and
feminine singular, masculine and feminine plural, the kinds of noun it fits, and, for three of
them, the masculine form before a vowel sound.
"""

from typing import NamedTuple

from ..sounds import starts_with_vowel_sound
from .table import rows


class Adjective(NamedTuple):
    """One adjective in both languages."""

    english: str
    comparative: str | None
    """The English one-word comparative, ``""`` where *more* makes it, None where there is none."""
    french: tuple[str, str, str, str]
    """Masculine, feminine, masculine plural, feminine plural."""
    before_vowel: str
    """The masculine singular in front of a vowel sound: *bel*."""
    vowel: bool
    kinds: frozenset[str]
    precedes: bool
    """Whether French puts it before the noun."""
    gradable: bool
    """Whether one says *very* before it."""

    def form(self, *, feminine: bool, plural: bool) -> str:
        """The French form that agrees."""
        return self.french[2 * plural + feminine]


_ALL = "person animal food clothes thing reading opening place surface vehicle vessel"
_THINGS = "food clothes thing opening surface vehicle"

_BEFORE = f"""
small | smaller | petit | petite | petits | petites | {_ALL}
big | bigger | grand | grande | grands | grandes | animal {_THINGS} place
beautiful | - | beau | belle | beaux | belles | {_ALL} | bel
old | older | vieux | vieille | vieux | vieilles | person animal clothes thing reading opening \
place surface vehicle | vieil
young | younger | jeune | jeune | jeunes | jeunes | person animal
new | x | nouveau | nouvelle | nouveaux | nouvelles | person clothes thing reading opening \
place surface vehicle | nouvel
good | very | bon | bonne | bons | bonnes | person food stuff drink reading place
bad | very | mauvais | mauvaise | mauvais | mauvaises | person food stuff drink reading place
pretty | prettier | joli | jolie | jolis | jolies | person animal clothes thing place
fat | fatter | gros | grosse | gros | grosses | person animal
long | longer | long | longue | longs | longues | clothes reading
first | x | premier | première | premiers | premières | {_ALL}
second | x | deuxième | deuxième | deuxièmes | deuxièmes | {_ALL}
last | x | dernier | dernière | derniers | dernières | {_ALL}
other | x | autre | autre | autres | autres | {_ALL}
"""

_COLOURED = "animal clothes thing surface vehicle opening"

_AFTER = f"""
black | x | noir | noire | noirs | noires | {_COLOURED}
white | x | blanc | blanche | blancs | blanches | {_COLOURED}
red | x | rouge | rouge | rouges | rouges | {_COLOURED}
green | x | vert | verte | verts | vertes | {_COLOURED}
blue | x | bleu | bleue | bleus | bleues | {_COLOURED}
yellow | x | jaune | jaune | jaunes | jaunes | {_COLOURED}
grey | x | gris | grise | gris | grises | {_COLOURED}
brown | x | marron | marron | marron | marron | {_COLOURED}
pink | x | rose | rose | roses | roses | {_COLOURED}
purple | x | violet | violette | violets | violettes | {_COLOURED}

happy | happier | heureux | heureuse | heureux | heureuses | person animal
sad | sadder | triste | triste | tristes | tristes | person animal reading
tired | - | fatigué | fatiguée | fatigués | fatiguées | person animal
rich | richer | riche | riche | riches | riches | person
poor | poorer | pauvre | pauvre | pauvres | pauvres | person
strong | stronger | fort | forte | forts | fortes | person animal
weak | weaker | faible | faible | faibles | faibles | person animal
tall | taller | grand | grande | grands | grandes | person
intelligent | - | intelligent | intelligente | intelligents | intelligentes | person animal
brave | braver | courageux | courageuse | courageux | courageuses | person animal
lazy | lazier | paresseux | paresseuse | paresseux | paresseuses | person animal
kind | kinder | gentil | gentille | gentils | gentilles | person animal
famous | - | célèbre | célèbre | célèbres | célèbres | person reading place
sick | x | malade | malade | malades | malades | person animal
honest | - | honnête | honnête | honnêtes | honnêtes | person
proud | prouder | fier | fière | fiers | fières | person
polite | - | poli | polie | polis | polies | person
curious | - | curieux | curieuse | curieux | curieuses | person animal
shy | shyer | timide | timide | timides | timides | person animal
French | x | français | française | français | françaises | person food reading
English | x | anglais | anglaise | anglais | anglaises | person reading
Italian | x | italien | italienne | italiens | italiennes | person food vehicle
Spanish | x | espagnol | espagnole | espagnols | espagnoles | person reading
American | x | américain | américaine | américains | américaines | person vehicle

dangerous | - | dangereux | dangereuse | dangereux | dangereuses | animal place vehicle
wild | x | sauvage | sauvage | sauvages | sauvages | animal
quick | quicker | rapide | rapide | rapides | rapides | animal vehicle
dirty | dirtier | sale | sale | sales | sales | animal clothes thing place surface vehicle vessel
clean | cleaner | propre | propre | propres | propres | clothes thing place surface vehicle vessel
heavy | heavier | lourd | lourde | lourds | lourdes | clothes thing opening surface
light | lighter | léger | légère | légers | légères | clothes thing surface
expensive | - | cher | chère | chers | chères | {_THINGS} reading
empty | x | vide | vide | vides | vides | place vehicle vessel
full | x | plein | pleine | pleins | pleines | vessel
broken | x | cassé | cassée | cassés | cassées | thing opening surface
round | x | rond | ronde | ronds | rondes | surface thing
useful | - | utile | utile | utiles | utiles | thing reading
strange | stranger | étrange | étrange | étranges | étranges | {_ALL}
interesting | - | intéressant | intéressante | intéressants | intéressantes | person reading place
modern | x | moderne | moderne | modernes | modernes | clothes place surface vehicle
magnificent | x | magnifique | magnifique | magnifiques | magnifiques | animal {_THINGS} place
quiet | quieter | calme | calme | calmes | calmes | person place
cold | colder | froid | froide | froids | froides | stuff drink place
hot | hotter | chaud | chaude | chauds | chaudes | stuff drink
fresh | fresher | frais | fraîche | frais | fraîches | food stuff
sweet | sweeter | sucré | sucrée | sucrés | sucrées | food drink
ripe | riper | mûr | mûre | mûrs | mûres | food
delicious | x | délicieux | délicieuse | délicieux | délicieuses | food stuff drink
"""

_COMPARATIVES = {"-": "", "very": None, "x": None}


def _adjective(cells: list[str], *, precedes: bool) -> Adjective:
    """One line of a table."""
    english, comparative, ms, fs, mp, fp, kinds, *special = cells
    return Adjective(
        english=english,
        comparative=_COMPARATIVES.get(comparative, comparative),
        french=(ms, fs, mp, fp),
        before_vowel=special[0] if special else ms,
        vowel=starts_with_vowel_sound(ms),
        kinds=frozenset(kinds.split()),
        precedes=precedes,
        gradable=comparative != "x",
    )


ADJECTIVES = tuple(
    [_adjective(cells, precedes=True) for cells in rows(_BEFORE)]
    + [_adjective(cells, precedes=False) for cells in rows(_AFTER)]
)

ADJECTIVE = {adjective.english: adjective for adjective in ADJECTIVES}
"""English to adjective."""

# First, second, last and other tell things apart: they follow "the", and nothing is "very last".
RANKS = frozenset({"first", "second", "last", "other"})
_KINDS = sorted({kind for adjective in ADJECTIVES for kind in adjective.kinds})


def _fitting(kind: str, *, precedes: bool) -> tuple[Adjective, ...]:
    """Adjectives that describe nouns of ``kind``, without the ranks."""
    fitting = (a for a in ADJECTIVES if a.precedes is precedes and kind in a.kinds)
    return tuple(a for a in fitting if a.english not in RANKS)


BEFORE = {kind: _fitting(kind, precedes=True) for kind in _KINDS}
AFTER = {kind: _fitting(kind, precedes=False) for kind in _KINDS}
RANKING = tuple(ADJECTIVE[name] for name in sorted(RANKS))
PREDICATES = {
    kind: tuple(a for a in BEFORE[kind] + AFTER[kind] if a.english != "new") for kind in _KINDS
}
"""What can follow *is*; *new* has no good translation there."""
COMPARED = {
    kind: tuple(a for a in PREDICATES[kind] if a.comparative is not None) for kind in _KINDS
}
