"""Tokens: words, characters and parts of words, each of them back to text."""

from .catalogue import LEARNERS as LEARNERS
from .catalogue import Vocabularies as Vocabularies
from .catalogue import both_from as both_from
from .catalogue import learn as learn
from .catalogue import learn_both as learn_both
from .catalogue import learner as learner
from .catalogue import load as load
from .catalogue import load_both as load_both
from .characters import Characters as Characters
from .characters import CharactersLearner as CharactersLearner
from .pieces import Pieces as Pieces
from .pieces import PiecesLearner as PiecesLearner
from .splitting import Span as Span
from .splitting import split as split
from .splitting import touching as touching
from .splitting import word_spans as word_spans
from .tokeniser import Learner as Learner
from .tokeniser import Tokeniser as Tokeniser
from .tokenizer_json import SpecialTokens as SpecialTokens
from .tokenizer_json import TokenizerJson as TokenizerJson
from .words import Words as Words
from .words import WordsLearner as WordsLearner

__all__ = [
    "LEARNERS",
    "Characters",
    "CharactersLearner",
    "Learner",
    "Pieces",
    "PiecesLearner",
    "Span",
    "SpecialTokens",
    "Tokeniser",
    "TokenizerJson",
    "Vocabularies",
    "Words",
    "WordsLearner",
    "both_from",
    "learn",
    "learn_both",
    "learner",
    "load",
    "load_both",
    "split",
    "touching",
    "word_spans",
]
