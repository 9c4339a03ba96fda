"""Folders of ``transformers`` in and out: config, weights, tokens."""

from .convert import Converted as Converted
from .convert import from_hugging_face as from_hugging_face
from .convert import to_hugging_face as to_hugging_face
