"""Annotated text: sentences with a tag for every word, texts with a label; read and encoded."""

from .codec import LabelCodec as LabelCodec
from .example import Example as Example
from .labelled import read_labelled as read_labelled
from .tagged import read_tagged as read_tagged

__all__ = ["Example", "LabelCodec", "read_labelled", "read_tagged"]
