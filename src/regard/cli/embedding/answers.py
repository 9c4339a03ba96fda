"""What ``regard embed`` answers: values that print, draw and turn into JSON themselves."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from torch.nn.functional import cosine_similarity

from regard.errors import ChoiceError, InputError
from regard.lens.space import Near, Space
from regard.measures.correlation import pearson
from regard.types import Float, Tensor

Method = Literal["pca", "tsne"]


class Answer:
    """An answer to one question; ``str()`` is what is printed."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """All of it."""

    def __rich__(self) -> str:
        """The same as is printed."""
        return str(self)

    def draw(self, out: Path) -> None:
        """Into a file.

        Raises:
            InputError: there is nothing to draw, or the file cannot be written.
        """
        raise InputError("--out draws words, texts, or places of a word, and not one number")


@dataclass(frozen=True)
class Neighbours(Answer):
    """Words that lie nearest to a point."""

    words: tuple[str, ...]
    """Which the point was made of."""
    nearest: Sequence[Near]
    space: Space
    method: Method

    def __str__(self) -> str:
        return "\n".join(f"{cosine:.3f}\t{word}" for word, cosine in self.nearest)

    def to_json(self) -> dict[str, Any]:
        """The words and their cosines."""
        [*asked] = self.words
        named = {"word": asked[0]} if len(asked) == 1 else {"words": asked}
        return {**named, "nearest": [one._asdict() for one in self.nearest]}

    def draw(self, out: Path) -> None:
        """Those and the word on a plane."""
        words = (*self.words, *(one.word for one in self.nearest))
        groups = {word: "asked" for word in self.words} | {n.word: "near" for n in self.nearest}
        drawn(self.space.chosen(tuple(dict.fromkeys(words))), self.method, groups, out)


@dataclass(frozen=True)
class Similarity(Answer):
    """How near two words lie."""

    words: tuple[str, str]
    cosine: float
    correlation: float

    @classmethod
    def of(cls, space: Space, one: str, other: str) -> "Similarity":
        """Of two words of a space."""
        both = pearson(space.vector(one).tolist(), space.vector(other).tolist())
        return cls((one, other), space.similarity(one, other), both)

    def __str__(self) -> str:
        return f"{self.cosine:.3f}"

    def to_json(self) -> dict[str, Any]:
        """Both numbers."""
        found = {"cosine": self.cosine, "pearson": self.correlation}
        return {"words": list(self.words), **found}

    def __rich__(self) -> str:
        """Both numbers, with their names."""
        return f"cosine {self.cosine:.3f}, Pearson's correlation {self.correlation:.3f}"


@dataclass(frozen=True)
class Plane(Answer):
    """Words on a plane."""

    space: Space
    groups: dict[str, str]
    method: Method

    @classmethod
    def of(cls, space: Space, said: Sequence[str], method: Method) -> "Plane":
        """Of words, alone or in groups such as ``animals=cat,dog``."""
        groups: dict[str, str] = {}
        for one in said:
            name, sign, words = one.partition("=")
            groups |= dict.fromkeys(words.split(","), name) if sign else {one: ""}
        return cls(space.chosen(tuple(groups)), groups, method)

    def __str__(self) -> str:
        points = zip(self.space.words, self.space.flat(self.method).tolist(), strict=True)
        return "\n".join(f"{x:.4g}\t{y:.4g}\t{word}" for word, (x, y) in points)

    def to_json(self) -> dict[str, Any]:
        """Words, groups, and where they lie."""
        points = self.space.flat(self.method).tolist()
        return {"words": list(self.space.words), "groups": self.groups, "points": points}

    def draw(self, out: Path) -> None:
        """With a colour for each group."""
        drawn(self.space, self.method, self.groups, out)


@dataclass(frozen=True)
class Nearness(Answer):
    """How near some texts, or places, lie to each other."""

    texts: tuple[str, ...]
    cosines: Float[Tensor, "T T"]

    def to_json(self) -> dict[str, Any]:
        """Texts and cosines."""
        return {"texts": list(self.texts), "cosines": rounded(self.cosines)}

    def __str__(self) -> str:
        rows = zip(self.texts, self.cosines.tolist(), strict=True)
        return "\n".join(f"{' '.join(f'{one:.3f}' for one in row)}\t{text}" for text, row in rows)


@dataclass(frozen=True)
class Places(Nearness):
    """A word in several texts: one static vector, and one for each place where it stands."""

    word: str = ""

    @classmethod
    def of(cls, predictor: Any, said: Sequence[str]) -> "Places":
        """Of a word and texts.

        Raises:
            ChoiceError: fewer than two texts.
        """
        word, *texts = said
        if len(texts) < 2:
            raise ChoiceError(f"--contextual needs a word and two texts or more, got {len(texts)}")
        if hasattr(predictor, "contextual"):
            vectors = predictor.contextual(word, texts)
        else:
            vectors = predictor.space.vector(word).expand(len(texts), -1)
        return cls(tuple(texts), cosines_of(vectors), word)

    def to_json(self) -> dict[str, Any]:
        """What the word is, and how near it is to itself."""
        found = {"static": 1.0, "contextual": rounded(self.cosines)}
        return {"word": self.word, "texts": list(self.texts), **found}

    def __str__(self) -> str:
        return f"static: one vector, cosine 1.000\n{super().__str__()}"

    def draw(self, out: Path) -> None:
        """Cosines, the darker the nearer; what points away from each other is white."""
        from regard.lens.alignments import AlignmentView

        from ..output import write_picture

        about = f"How near {self.word} lies to itself: cosines, 1.00 where each word has one vector"
        short = tuple(text if len(text) <= 40 else f"{text[:39]}…" for text in self.texts)
        shown = self.cosines.clamp(0, 1)
        write_picture(out, [AlignmentView(short, short, shown, self.word, texts=(about, about))])


@dataclass(frozen=True)
class Texts(Nearness):
    """Texts by their vectors."""

    vectors: Float[Tensor, "T D"]
    method: Method

    @classmethod
    def of(cls, texts: Sequence[str], vectors: Sequence[Tensor], method: Method) -> "Texts":
        """Of texts with a vector each."""
        together = torch.stack(list(vectors))
        return cls(tuple(texts), cosines_of(together), together, method)

    def draw(self, out: Path) -> None:
        """On a plane."""
        drawn(Space(self.texts, self.vectors), self.method, {}, out)


def cosines_of(vectors: Float[Tensor, "T D"]) -> Float[Tensor, "T T"]:
    """Of all pairs."""
    return cosine_similarity(vectors[:, None], vectors[None], dim=-1)


def rounded(rows: Tensor) -> list[list[float]]:
    """As JSON has them."""
    return [[round(one, 6) for one in row] for row in rows.tolist()]


def drawn(space: Space, method: Method, groups: dict[str, str], out: Path) -> None:
    """Words on a plane, into a file.

    Raises:
        InputError: it cannot be written.
    """
    from io import BytesIO

    from regard.lens.plots.words import words_figure

    from ..files import write

    made, end = BytesIO(), out.suffix.lower()
    kind = "png" if end == ".png" else "svg"
    words_figure(space, method, groups=groups).savefig(made, format=kind)
    content = made.getvalue()
    if end == ".html":
        content = PAGE.encode() + content[content.index(b"<svg") :] + b"</body></html>\n"
    write(out, lambda file: file.write(content))


PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Words</title></head><body>'
)
