"""Measures of quality: pure functions of predictions and of what is right."""

from .accuracy import accuracy as accuracy
from .alignment import AlignmentScore as AlignmentScore
from .alignment import Gold as Gold
from .alignment import alignment_score as alignment_score
from .answers import AnswerScore as AnswerScore
from .answers import answer_score as answer_score
from .average_precision import AveragePrecision as AveragePrecision
from .average_precision import Detections as Detections
from .average_precision import Objects as Objects
from .average_precision import average_precision as average_precision
from .comparison import Comparison as Comparison
from .comparison import compare_systems as compare_systems
from .confusion import Confusion as Confusion
from .confusion import confusion as confusion
from .exact import exact as exact
from .extract import as_links as as_links
from .extract import word_links as word_links
from .extract import word_shares as word_shares
from .extract import word_weights as word_weights
from .f1 import F1 as F1
from .f1 import F1ByClass as F1ByClass
from .f1 import f1 as f1
from .gold import pharaoh as pharaoh
from .gold import read_gold as read_gold
from .gold import read_links as read_links
from .heads import Head as Head
from .heads import HeadWeights as HeadWeights
from .heads import best_head as best_head
from .heads import head_scores as head_scores
from .iou import box_area as box_area
from .iou import box_iou as box_iou
from .iou import class_iou as class_iou
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
from .spans import Span as Span
from .spans import bio_spans as bio_spans
from .spans import span_f1 as span_f1
from .translation import bleu as bleu
from .translation import chrf as chrf

__all__ = [
    "F1",
    "AlignmentScore",
    "AnswerScore",
    "Argmax",
    "AveragePrecision",
    "Bucket",
    "Comparison",
    "Confusion",
    "Detections",
    "F1ByClass",
    "Gold",
    "Head",
    "HeadWeights",
    "Intersection",
    "Interval",
    "Objects",
    "Perplexity",
    "References",
    "Resampling",
    "Rule",
    "Score",
    "Span",
    "Threshold",
    "accuracy",
    "alignment_score",
    "answer_score",
    "as_links",
    "average_precision",
    "best_head",
    "bio_spans",
    "bleu",
    "box_area",
    "box_iou",
    "by_length",
    "chrf",
    "class_iou",
    "compare_systems",
    "confusion",
    "exact",
    "f1",
    "head_scores",
    "perplexity",
    "pharaoh",
    "read_gold",
    "read_links",
    "span_f1",
    "word_links",
    "word_shares",
    "word_weights",
]
