"""``regard classify``: a text or a picture to its label."""

from .verbs import verb

classify = verb(
    "classify",
    tasks=("text-classification", "image-classification"),
    usual="en-sentiment",
    inputs="Texts, or files of pictures where the model reads those",
    about="""Find the label of each text or picture of the arguments, a file or the standard input.

    A line in is a line out: the label and how sure it is, with a tab between. With --json there are
    the probabilities of all labels and where the model looked; --show draws it, over the words or
    over the picture. A blank line has no label. What a model was trained on decides whether texts
    or names of pictures are read.
    """,
)
