"""An answerer with its codec, ready to be used: a question and a picture in, an answer out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from regard.data.batches.pools import Positions
from regard.errors import InputError
from regard.models.vision import Answerer

from ..described import Described
from ..seeing.eyes import Eyes, Opened, opened
from ..seeing.shelf import Shelf
from .codec import AnswerCodec, codec_from
from .corpus import Corpus
from .example import Corners
from .inference import Answer, answers
from .sample import TOLD, AnsweredQuestion

AHEAD = 128
"""Questions that are read before the first is answered."""


class Question(NamedTuple):
    """What is asked about a picture."""

    text: str
    picture: Any
    """A path, bytes, an open file, a picture of Pillow, pixels uint8 (3, Y, X), or a scene."""
    boxes: Sequence[Corners] = ()
    """Regions to look at, for a model of boxes: edges as shares of the picture."""


def _question(one: Any) -> Question:
    if isinstance(one, Mapping):
        return Question(one["question"], one["picture"], one.get("boxes", ()))
    return Question(*one)


class PictureAnswerer(Described):
    """Answers questions about pictures.

    >>> predictor("what color is the circle?", "scene.png").answer
    'red'

    Args:
        model: what answers.
        codec: of words and answers.
    """

    asked_about = "picture"
    """What its questions are about."""

    def __init__(self, model: Answerer, codec: AnswerCodec) -> None:
        self.model, self.codec = model, codec
        self._eyes = Eyes(model.config.grid)

    codec_from = staticmethod(codec_from)

    def __call__(
        self, question: str, picture: Any, *, boxes: Sequence[Corners] = (), looks: bool = False
    ) -> AnsweredQuestion:
        """The answer to one question."""
        return next(self.predict([Question(question, picture, boxes)], looks=looks))

    def predict(self, inputs: Iterable[Any], *, looks: bool = False) -> Iterator[AnsweredQuestion]:
        """The answer to every question, in their order.

        Args:
            inputs: each a :class:`Question`, a question with its picture, or a mapping with
                ``question`` and ``picture``; they need never end.
            looks: whether to keep where the model looked.

        Raises:
            InputError: a picture that cannot be read, or a question without words.
        """
        stream = iter(inputs)
        while some := [_question(one) for one in islice(stream, AHEAD)]:
            pictures = [opened(one.picture) for one in some]
            found = answers(self.model, self._corpus(some, pictures))
            for one, picture, answer in zip(some, pictures, found, strict=True):
                yield self._sample(one, picture, answer, looks)

    def _corpus(self, some: list[Question], pictures: list[Opened]) -> Corpus:
        import numpy as np

        from regard.data.batches.pools import RaggedBuilder

        questions = RaggedBuilder()
        for one in some:
            ids = self.codec.tokens.encode(one.text)
            if not ids:
                raise InputError("a question needs a word at least, got a blank one")
            questions.add(ids)
        count: Positions = np.arange(len(some) + 1)
        shelf = Shelf.of(iter(self._eyes([one.image for one in pictures])))
        boxes = tuple(tuple(map(tuple, one.boxes)) for one in some)
        return Corpus(questions.built(), np.zeros_like(count[1:]), count, shelf, boxes)  # type: ignore[arg-type]

    def _sample(
        self, one: Question, picture: Opened, answer: Answer, looks: bool
    ) -> AnsweredQuestion:
        tokens, grid = self.codec.tokens, self.model.config.regions == "grid"
        words = tokens.pieces(one.text)
        best = answer.log_probs.topk(min(TOLD, len(self.codec.answers)))
        names = [self.codec.answers[number] for number in best.indices.tolist()]
        told = dict(zip(names, best.values.exp().tolist(), strict=True))
        whole: tuple[Corners, ...] = ((0.0, 0.0, 1.0, 1.0),)
        return AnsweredQuestion(
            name=picture.name,
            image=picture.image,
            size=picture.size,
            question=one.text,
            words=tuple(words),
            answer=names[0],
            probabilities=told,
            extent=self.model.extent,
            hops=answer.hops if looks else None,
            by_word=answer.words if looks else None,
            boxes=None if grid else tuple(map(tuple, one.boxes)) or whole,  # type: ignore[arg-type]
            unknown=sum(number == tokens.unk for number in tokens.ids(words)),
        )

    def about_codec(self) -> dict[str, str]:
        """What it reads and writes."""
        return {
            "words": f"{len(self.codec.tokens):,}",
            "answers": f"{len(self.codec.answers):,}",
        }


PREDICTOR = PictureAnswerer
