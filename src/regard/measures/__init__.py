"""Measures of quality: pure functions of predictions and of what is right."""

from .alignment import AlignmentScore as AlignmentScore
from .alignment import Gold as Gold
from .alignment import alignment_score as alignment_score
from .alignment import pharaoh as pharaoh
from .alignment import read_gold as read_gold
from .alignment import read_links as read_links
from .alignment_heads import AlignmentHeads as AlignmentHeads
from .alignment_heads import alignment_heads as alignment_heads
from .alignment_heads import mean_weights as mean_weights
from .answers import AnswerScore as AnswerScore
from .answers import answer_score as answer_score
from .average_precision import AveragePrecision as AveragePrecision
from .average_precision import Detections as Detections
from .average_precision import Objects as Objects
from .average_precision import average_precision as average_precision
from .captions import caption_bleu as caption_bleu
from .captions import caption_words as caption_words
from .comparison import Comparison as Comparison
from .comparison import compare_counts as compare_counts
from .comparison import compare_systems as compare_systems
from .confusion import Confusion as Confusion
from .confusion import accuracy as accuracy
from .confusion import confusion as confusion
from .extract import Argmax as Argmax
from .extract import Head as Head
from .extract import HeadWeights as HeadWeights
from .extract import Intersection as Intersection
from .extract import Rule as Rule
from .extract import Threshold as Threshold
from .extract import as_links as as_links
from .extract import best_head as best_head
from .extract import head_scores as head_scores
from .extract import word_links as word_links
from .extract import word_shares as word_shares
from .extract import word_weights as word_weights
from .f1 import F1 as F1
from .f1 import F1ByClass as F1ByClass
from .f1 import Span as Span
from .f1 import bio_spans as bio_spans
from .f1 import f1 as f1
from .f1 import span_f1 as span_f1
from .hits import Hits as Hits
from .iou import box_area as box_area
from .iou import box_iou as box_iou
from .iou import class_iou as class_iou
from .iou import generalised_iou as generalised_iou
from .looking import heat_iou as heat_iou
from .looking import hits_target as hits_target
from .match_counts import Resampling as Resampling
from .perplexity import Perplexity as Perplexity
from .perplexity import perplexity as perplexity
from .pixel_overlap import PixelOverlap as PixelOverlap
from .pixel_overlap import overlap_counts as overlap_counts
from .pointing import peak as peak
from .pointing import points_at as points_at
from .pronunciation import phoneme_error as phoneme_error
from .pronunciation import word_error as word_error
from .ranked_hits import RankedHits as RankedHits
from .ranked_hits import ranked_hits as ranked_hits
from .references import References as References
from .rouge import rouge_l as rouge_l
from .score import Interval as Interval
from .score import Score as Score
from .symmetrising import drift as drift
from .symmetrising import grow_diag as grow_diag
from .symmetrising import grow_diag_final as grow_diag_final
from .symmetrising import intersection as intersection
from .symmetrising import union as union
from .translation import Bucket as Bucket
from .translation import bleu as bleu
from .translation import by_length as by_length
from .translation import chrf as chrf
from .translation import exact as exact
from .warping import monotone_cost as monotone_cost
from .warping import warp as warp

__all__ = [
    "F1",
    "AlignmentHeads",
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
    "Hits",
    "Intersection",
    "Interval",
    "Objects",
    "Perplexity",
    "PixelOverlap",
    "RankedHits",
    "References",
    "Resampling",
    "Rule",
    "Score",
    "Span",
    "Threshold",
    "accuracy",
    "alignment_heads",
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
    "caption_bleu",
    "caption_words",
    "chrf",
    "class_iou",
    "compare_counts",
    "compare_systems",
    "confusion",
    "drift",
    "exact",
    "f1",
    "generalised_iou",
    "grow_diag",
    "grow_diag_final",
    "head_scores",
    "heat_iou",
    "hits_target",
    "intersection",
    "mean_weights",
    "monotone_cost",
    "overlap_counts",
    "peak",
    "perplexity",
    "pharaoh",
    "phoneme_error",
    "points_at",
    "ranked_hits",
    "read_gold",
    "read_links",
    "rouge_l",
    "span_f1",
    "union",
    "warp",
    "word_error",
    "word_links",
    "word_shares",
    "word_weights",
]
