"""Questions about passages and stories, with the answers of people: read, and told by ourselves."""

from .babi import read_stories as read_stories
from .codec import ReadingCodec as ReadingCodec
from .question import Answer as Answer
from .question import Question as Question
from .question import located as located
from .read import LAYOUTS as LAYOUTS
from .read import read_questions as read_questions
from .sentences import sentences_of as sentences_of
from .stories import Stories as Stories

__all__ = [
    "LAYOUTS",
    "Answer",
    "Question",
    "ReadingCodec",
    "Stories",
    "located",
    "read_questions",
    "read_stories",
    "sentences_of",
]
