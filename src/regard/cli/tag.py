"""``regard tag``: words to their tags."""

from .verbs import verb

tag = verb(
    "tag",
    tasks=("tagging",),
    usual="en-tagger",
    inputs="Sentences",
    about="""Tag the words of text, a file or the standard input, line by line.

    A line in is a line out: every word with its tag behind a slash. With --json there are words,
    tags and how sure each is; --show puts tags below words, and tells where a model with attention
    looked. A blank line stays blank.
    """,
)
