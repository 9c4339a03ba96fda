"""Text as JSON, whoever wrote it."""

import json
from typing import Any


def parsed(text: str | bytes) -> Any:
    """The value that a text of JSON stands for.

    What the standard library raises of text that is nested deeper than its stack is an error of the
    interpreter; here it is one of the text, as all others are.

    Raises:
        ValueError: it is no JSON, no UTF-8, or nested too deeply.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
