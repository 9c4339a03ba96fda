"""Running text, a paragraph a line: files of a user, or sentences of our grammar."""

from .codec import TextCodec as TextCodec
from .codec import codec_from as codec_from
from .sources import GrammarText as GrammarText
from .sources import Text as Text
from .sources import TextFiles as TextFiles
