"""How good a translation is, and how good an alignment."""

from .alignment import AlignmentScore as AlignmentScore
from .alignment import Gold as Gold
from .alignment import alignment_score as alignment_score
from .comparison import Comparison as Comparison
from .comparison import compared as compared
from .exact import exact as exact
from .extract import as_links as as_links
from .extract import word_links as word_links
from .extract import word_shares as word_shares
from .extract import word_weights as word_weights
from .gold import pharaoh as pharaoh
from .gold import read_gold as read_gold
from .gold import read_links as read_links
from .heads import Attended as Attended
from .heads import Head as Head
from .heads import best_head as best_head
from .heads import head_scores as head_scores
from .lengths import Bucket as Bucket
from .lengths import by_length as by_length
from .perplexity import Perplexity as Perplexity
from .perplexity import perplexity as perplexity
from .references import References as References
from .resampling import Resampling as Resampling
from .rules import Argmax as Argmax
from .rules import Intersection as Intersection
from .rules import Rule as Rule
from .rules import Threshold as Threshold
from .score import Interval as Interval
from .score import Score as Score
from .translation import bleu as bleu
from .translation import chrf as chrf

__all__ = [
    "AlignmentScore",
    "Argmax",
    "Attended",
    "Bucket",
    "Comparison",
    "Gold",
    "Head",
    "Intersection",
    "Interval",
    "Perplexity",
    "References",
    "Resampling",
    "Rule",
    "Score",
    "Threshold",
    "alignment_score",
    "as_links",
    "best_head",
    "bleu",
    "by_length",
    "chrf",
    "compared",
    "exact",
    "head_scores",
    "perplexity",
    "pharaoh",
    "read_gold",
    "read_links",
    "word_links",
    "word_shares",
    "word_weights",
]
