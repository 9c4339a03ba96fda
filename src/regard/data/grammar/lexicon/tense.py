"""The tenses of the grammar, named by their English form."""

from enum import Enum


class Tense(Enum):
    """An English verb group and the French one that translates it."""

    PRESENT = "eats → mange"
    PROGRESSIVE = "is eating → mange"
    PAST = "ate → a mangé; a state: knew → connaissait"
    PERFECT = "has eaten → a mangé"
    FUTURE = "will eat → mangera"
    GOING = "is going to eat → va manger"
    CAN = "can eat → peut manger"
    MUST = "must eat → doit manger"
    WANT = "wants to eat → veut manger"


class Negation(Enum):
    """What denies a clause, in English and around the finite verb in French."""

    NOT = "not → ne pas"
    NEVER = "never → ne jamais"
    NO_LONGER = "no longer → ne plus"
