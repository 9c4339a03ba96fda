"""Sentence pairs from files: columns, parallel text, JSON, plain or gzip."""

from .json_lines import JsonLines as JsonLines
from .layouts import Columns as Columns
from .layouts import Csv as Csv
from .layouts import Layout as Layout
from .layouts import Parallel as Parallel
from .lines import Links as Links
from .lines import Place as Place
from .lines import TextPair as TextPair
from .read import Counts as Counts
from .read import Filters as Filters
from .read import Pairs as Pairs
from .read import group_by_source as group_by_source
from .read import read_pairs as read_pairs

__all__ = [
    "Columns",
    "Counts",
    "Csv",
    "Filters",
    "JsonLines",
    "Layout",
    "Links",
    "Pairs",
    "Parallel",
    "Place",
    "TextPair",
    "group_by_source",
    "read_pairs",
]
