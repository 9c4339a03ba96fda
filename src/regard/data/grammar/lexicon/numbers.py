"""Cardinal numbers from two on, in words; none of them agrees with its noun."""

from .table import rows

_NUMBERS = """
two | deux
three | trois
four | quatre
five | cinq
six | six
seven | sept
eight | huit
nine | neuf
ten | dix
eleven | onze
twelve | douze
thirteen | treize
fourteen | quatorze
fifteen | quinze
sixteen | seize
twenty | vingt
thirty | trente
forty | quarante
fifty | cinquante
sixty | soixante
seventy | soixante-dix
eighty | quatre-vingts
ninety | quatre-vingt-dix
"""

NUMBERS = tuple((english, french) for english, french in rows(_NUMBERS))
AGES = NUMBERS[2:]
