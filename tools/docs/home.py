"""The picture of the home page."""

import regard
from regard.lens.alignments import picture
from regard.tasks.translation.views import forced_view

from .examples.trained import ENGLISH, FRENCH

PICTURE = "black-cat.svg"
"""Where it lies."""


def home_picture() -> bytes:
    """Where both translators that ship look while they translate, word by word, as SVG."""
    views = [
        forced_view(regard.load(name), ENGLISH, FRENCH, model=name)
        for name in ("en-fr-transformer", "en-fr-bahdanau")
    ]
    return picture(views, "svg")
