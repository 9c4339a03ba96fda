"""Files about pictures that lie elsewhere: captions, questions with answers."""

from .captions import CaptionedPicture as CaptionedPicture
from .captions import read_captions as read_captions
from .questions import AskedPicture as AskedPicture
from .questions import read_questions as read_questions
