"""A classifier with its codec, ready to be used."""

from ..labelling.inference import Answer
from ..labelling.predictor import LabelPredictor, Read
from .sample import ClassifiedText


class TextClassifier(LabelPredictor[ClassifiedText]):
    """Finds the label of a text.

    >>> regard.load("en-sentiment")("A warm, funny, engaging film.").label
    'positive'
    """

    per_word = False

    def sample(self, read: Read, answer: Answer | None) -> ClassifiedText:
        """The likeliest label; none of a blank text."""
        if answer is None:
            return ClassifiedText(read.text, (), "", {})
        shares = answer.log_probs.exp().tolist()
        ranked = sorted(zip(shares, self.codec.labels, strict=True), key=lambda one: -one[0])
        return ClassifiedText(
            text=read.text,
            words=read.pieces,
            label=ranked[0][1],
            probabilities={label: share for share, label in ranked},
            weights=answer.pooled,
            cut=read.cut,
            unknown=read.unknown,
        )


PREDICTOR = TextClassifier
