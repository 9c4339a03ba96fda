"""Small fixed inputs to look at attention with."""

from .sentence import FEATURES as FEATURES
from .sentence import WORDS as WORDS
from .sentence import sentence as sentence
