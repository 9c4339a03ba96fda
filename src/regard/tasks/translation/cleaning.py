"""Text that any vocabulary can read, and text that fits on a line."""

import re

from regard.data.composition import composed

_SURROGATE = re.compile("[\ud800-\udfff]")
_BREAK = re.compile("[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")


def cleaned(text: str) -> str:
    """``text`` on one line, in composed form (NFC), without space around it.

    Halves of surrogate pairs, which are no characters, become U+FFFD, and so does NUL.
    """
    whole = _SURROGATE.sub("\ufffd", text).replace("\0", "\ufffd")
    return one_line(composed(whole)).strip()


def one_line(text: str) -> str:
    """``text`` with spaces where lines would end."""
    return _BREAK.sub(" ", text)
