"""A tagger with its codec, ready to be used."""

from ..labelling.inference import Answer
from ..labelling.predictor import LabelPredictor, Read
from .sample import TaggedText


class TextTagger(LabelPredictor[TaggedText]):
    """Tags the words of text.

    >>> regard.load("en-tagger")("The cat sat.").tags
    ('DET', 'NOUN', 'VERB', 'PUNCT')
    """

    per_word = True

    def sample(self, read: Read, answer: Answer | None) -> TaggedText:
        """The likeliest tag of each word; none of a blank text."""
        known = self.codec.labels
        if answer is None:
            return TaggedText(read.text, (), (), (), None, known)
        shares = answer.log_probs.exp()  # (N, V)
        sure, best = shares.max(dim=-1)
        return TaggedText(
            text=read.text,
            words=read.pieces,
            tags=tuple(known[number] for number in best.tolist()),
            probabilities=tuple(sure.tolist()),
            distribution=shares,
            known_tags=known,
            weights=answer.looks,
            cut=read.cut,
            unknown=read.unknown,
        )


PREDICTOR = TextTagger
