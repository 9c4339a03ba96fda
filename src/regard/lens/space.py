"""Words as points: how near they lie, and what a picture of them shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import torch
from torch.nn.functional import normalize, pad

from regard.errors import ChoiceError, RangeError, ShapeError
from regard.extras import need
from regard.types import Float, Tensor


class Near(NamedTuple):
    """A word and how near it is."""

    word: str
    cosine: float


@dataclass(frozen=True, eq=False)
class Space:
    """Words and their vectors, static ones: one for each word, wherever it stands.

    >>> space.nearest("cat"), space.similarity("cat", "dog"), space.analogy("man", "king", "woman")

    Args:
        words: each once.
        vectors: (V, D), a row for each.
    """

    words: tuple[str, ...]
    vectors: Float[Tensor, "V D"]

    def __post_init__(self) -> None:
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.words):
            raise ShapeError(
                f"a space of {len(self.words)} words needs a vector for each, got "
                f"{tuple(self.vectors.shape)}"
            )

    @classmethod
    def one_hot(cls, words: Sequence[str]) -> "Space":
        """Every word as far from every other: nothing is known but that they differ."""
        return cls(tuple(words), torch.eye(len(words)))

    def vector(self, word: str) -> Float[Tensor, " D"]:
        """The vector of a word, or else of the word in lower case.

        Raises:
            ChoiceError: there is no such word.
        """
        return self.vectors[self._number(word)]

    def similarity(self, one: str, other: str) -> float:
        """The cosine of the angle between two words."""
        return float(self._unit[self._number(one)] @ self._unit[self._number(other)])

    def nearest(self, word: str, top: int = 5) -> list[Near]:
        """The words with the smallest angle to one."""
        number = self._number(word)
        return self._near(self._unit[number], top, without=[number])

    def analogy(self, one: str, other: str, third: str, top: int = 5) -> list[Near]:
        r"""What is to ``third`` as ``other`` is to ``one``: nearest to b − a + c.

        Mikolov et al. 2013, 3CosAdd (https://aclanthology.org/N13-1090): vectors of length 1, and
        the three words left out.
        """
        numbers = [self._number(word) for word in (one, other, third)]
        a, b, c = self._unit[numbers]
        return self._near(b - a + c, top, without=numbers)

    def chosen(self, words: Sequence[str]) -> "Space":
        """Some of the words."""
        return Space(tuple(words), self.vectors[[self._number(word) for word in words]])

    def flat(self, method: Literal["pca", "tsne"] = "pca") -> Float[Tensor, "V 2"]:
        """The words on a plane: principal components, or t-SNE (scikit-learn).

        van der Maaten and Hinton 2008 (https://jmlr.org/papers/v9/vandermaaten08a.html).

        Raises:
            RangeError: fewer than three words.
            MissingExtraError: t-SNE, and scikit-learn is not installed.
        """
        if len(self.words) < 3:
            raise RangeError(f"a picture of words needs at least 3, got {len(self.words)}")
        return on_a_plane(self._unit, method)

    def _near(self, point: Float[Tensor, " D"], top: int, without: list[int]) -> list[Near]:
        cosines = self._unit @ normalize(point, dim=0)
        cosines[without] = -torch.inf
        found = cosines.topk(max(0, min(top, len(self.words) - len(set(without)))))
        return [
            Near(self.words[number], cosine)
            for cosine, number in zip(found.values.tolist(), found.indices.tolist(), strict=True)
        ]

    def _number(self, word: str) -> int:
        for known in (word, word.lower()):
            if known in self._numbers:
                return self._numbers[known]
        raise ChoiceError(
            f"there is no vector of {word!r} among {len(self.words):,} words; use a word of the "
            "text that the model was trained on"
        )

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def _unit(self) -> Float[Tensor, "V D"]:
        return normalize(self.vectors.detach().float(), dim=-1)


def on_a_plane(
    points: Float[Tensor, "N D"], method: Literal["pca", "tsne"] = "pca"
) -> Float[Tensor, "N 2"]:
    """Points of any width on a plane: principal components, or t-SNE (scikit-learn).

    van der Maaten and Hinton 2008 (https://jmlr.org/papers/v9/vandermaaten08a.html).

    Raises:
        RangeError: fewer than three points.
        MissingExtraError: t-SNE, and scikit-learn is not installed.
    """
    if len(points) < 3:
        raise RangeError(f"a picture of points needs at least 3, got {len(points)}")
    centred = points - points.mean(dim=0)
    if method == "pca":
        u, s, _ = torch.linalg.svd(centred, full_matrices=False)
        flat = (u * s)[:, :2]
        return pad(flat, (0, 2 - flat.shape[1]))  # (N, 2)
    manifold = need("sklearn.manifold", "t-SNE")
    perplexity = min(30.0, (len(points) - 1) / 3)
    found = manifold.TSNE(perplexity=perplexity, init="pca", random_state=0)
    return torch.from_numpy(found.fit_transform(centred.numpy()))
