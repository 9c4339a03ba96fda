"""Verbs of giving, of going somewhere, of thinking that; auxiliaries, modals and the weather.

Columns as in :mod:`.verbs`; a last column holds what is special to the group.
"""

from typing import NamedTuple

from .table import rows
from .verb import FrenchVerb, Verb, english_verb, french_verb

_GIVING = """
give gives gave given giving | donner | - | - | -
show shows showed shown showing | montrer | - | - | -
send sends sent sent sending | envoyer | envoie envoies envoie envoyons envoyez envoient | - | \
enverr
lend lends lent lent lending | prêter | - | - | -
offer offers offered offered offering | offrir | offre offres offre offrons offrez offrent | \
offert | -
"""

_GOING = """
go goes went gone going | aller* | vais vas va allons allez vont | - | ir | to | à
return returns returned returned returning | retourner* | - | - | - | to | à
come comes came come coming | venir* | viens viens vient venons venez viennent | venu | viendr | \
from | de
live lives lived lived living | habiter | - | - | - | in | à
work works worked worked working | travailler | - | - | - | in | à
"""

_TOGETHER = """
play plays played played playing | jouer | - | - | - | with | avec
dance dances danced danced dancing | danser | - | - | - | with | avec
travel travels travelled travelled travelling | voyager | - | - | - | with | avec
talk talks talked talked talking | parler | - | - | - | to | à
think thinks thought thought thinking | penser | - | - | - | about | à
dream dreams dreamed dreamed dreaming | rêver | - | - | - | about | de
work works worked worked working | travailler | - | - | - | for | pour
"""

_THINKING = """
think thinks thought thought thinking | penser | - | - | -
know knows knew known knowing | savoir | sais sais sait savons savez savent | su | saur
say says said said saying | dire | dis dis dit disons dites disent | dit | -
believe believes believed believed believing | croire | crois crois croit croyons croyez croient \
| cru | -
hope hopes hoped hoped hoping | espérer | espère espères espère espérons espérez espèrent | - | -
"""

_WEATHER = """
rain rains rained rained raining | pleuvoir | - - pleut - - - | plu | pleuvr
snow snows snowed snowed snowing | neiger | - | - | -
"""


class Complement(NamedTuple):
    """A verb with the preposition that leads to its complement."""

    verb: Verb
    english: str
    french: str


def _verb(cells: list[str], *, stative: bool = False) -> Verb:
    """One line: English forms, then what French needs."""
    english, infinitive, present, participle, future = cells
    french = french_verb(infinitive, present, participle, future)
    return Verb(english_verb(english), french, ("person",), (), stative, of_known=False)


def _complements(table: str) -> tuple[Complement, ...]:
    """Lines that end with a pair of prepositions."""
    return tuple(Complement(_verb(cells[:5]), *cells[5:]) for cells in rows(table))


GIVING = tuple(_verb(cells) for cells in rows(_GIVING))
GOING_PLACES = _complements(_GOING)
WITH_SOMEONE = _complements(_TOGETHER)
THINKING = tuple(_verb(cells, stative=True) for cells in rows(_THINKING))
WEATHER = tuple(_verb(cells) for cells in rows(_WEATHER))

ETRE: FrenchVerb = french_verb("être", "suis es est sommes êtes sont", "été", "ser")
AVOIR: FrenchVerb = french_verb("avoir", "ai as a avons avez ont", "eu", "aur")
FAIRE: FrenchVerb = french_verb("faire", "fais fais fait faisons faites font", "fait", "fer")
ALLER: FrenchVerb = french_verb("aller*", "vais vas va allons allez vont", "-", "ir")
POUVOIR: FrenchVerb = french_verb("pouvoir", "peux peux peut pouvons pouvez peuvent", "pu", "pourr")
DEVOIR: FrenchVerb = french_verb("devoir", "dois dois doit devons devez doivent", "dû", "devr")
VOULOIR: FrenchVerb = french_verb(
    "vouloir", "veux veux veut voulons voulez veulent", "voulu", "voudr"
)
