"""What ``regard embed`` is asked, one thing at a time."""

from pathlib import Path
from typing import Any, Literal, NamedTuple

from ...errors import ChoiceError
from .answers import Answer, Neighbours, Places, Plane, Similarity

Kind = Literal["texts", "nearest", "similar", "analogy", "contextual", "picture"]


class Questions(NamedTuple):
    """As they were typed; all but one are empty."""

    nearest: str | None
    similar: tuple[str, str] | None
    analogy: tuple[str, str, str] | None
    contextual: tuple[str, ...]
    picture: tuple[str, ...]

    def kind(self, texts: tuple[str, ...], file: Path | None) -> Kind:
        """Which of them was asked; the vectors of texts without any.

        Raises:
            ChoiceError: more than one.
        """
        said = [name for name in self._fields if getattr(self, name)]
        if len(said) > 1 or (said and (texts or file)):
            told = [*(f"--{name}" for name in said), *(["texts"] if texts or file else [])]
            raise ChoiceError(
                "embed needs texts, or one of --nearest, --similar, --analogy, --contextual and "
                f"--picture, got {' and '.join(told)}"
            )
        return said[0] if said else "texts"  # type: ignore[return-value]

    def answered(
        self, kind: Kind, predictor: Any, top: int, method: Literal["pca", "tsne"]
    ) -> Answer:
        """The answer to the one that was asked.

        Raises:
            ChoiceError: a word without a vector, or too few texts.
        """
        space = predictor.space
        if self.nearest is not None:
            return Neighbours((self.nearest,), space.nearest(self.nearest, top), space, method)
        if self.analogy is not None:
            return Neighbours(self.analogy, space.analogy(*self.analogy, top), space, method)
        if self.similar is not None:
            return Similarity.of(space, *self.similar)
        if kind == "picture":
            return Plane.of(space, self.picture, method)
        return Places.of(predictor, self.contextual)
