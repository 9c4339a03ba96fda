"""Equations as the catalogue writes them, in one line of text, for a page."""

import re
from html import escape

LETTERS = "[A-Za-z]+\N{COMBINING TILDE}?"


def notation(equation: str) -> str:
    """HTML with what follows ``_`` and ``^`` lowered and raised.

    >>> notation("e = W_q q^{1/2}")
    'e = W<sub>q</sub> q<sup>1/2</sup>'
    """
    html = escape(equation, quote=False)
    for mark, tag in (("_", "sub"), (r"\^", "sup")):
        html = re.sub(rf"{mark}\{{([^}}]*)\}}", rf"<{tag}>\1</{tag}>", html)
        html = re.sub(rf"{mark}({LETTERS})", rf"<{tag}>\1</{tag}>", html)
    return html
