"""Readers: questions answered from passages by spans, and from stories by words."""

from .matching import Matching as Matching
from .matching import matching as matching
from .passages import FEATURES as FEATURES
from .passages import Passages as Passages
from .pointers import Ends as Ends
from .pointers import Pointers as Pointers
from .pointers import Spans as Spans
from .pointers import best_spans as best_spans
from .span_config import CrossConfig as CrossConfig
from .span_config import FlowConfig as FlowConfig
from .span_config import FusionConfig as FusionConfig
from .span_config import SpanReaderConfig as SpanReaderConfig
from .span_reader import SpanReader as SpanReader
from .stories import Stories as Stories
from .story_config import EmbeddedMemoryConfig as EmbeddedMemoryConfig
from .story_config import EncodedMemoryConfig as EncodedMemoryConfig
from .story_config import StoryReaderConfig as StoryReaderConfig
from .story_reader import StoryReader as StoryReader
