"""``regard embed``: texts as vectors, words as points, and how near they lie."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from ..errors import ChoiceError
from .computing import ComputeOptions
from .flags import Several, Switch

if TYPE_CHECKING:
    from .embedding.answers import Answer

USUAL = "en-bert"
AHEAD = 256
"""Texts that are read before the first of them is told."""


def embed(
    *texts: str,
    model: str = USUAL,
    file: Path | None = None,
    nearest: str | None = None,
    similar: tuple[str, str] | None = None,
    analogy: tuple[str, str, str] | None = None,
    contextual: Annotated[tuple[str, ...], Several] = (),
    picture: Annotated[tuple[str, ...], Several] = (),
    method: Literal["pca", "tsne"] = "pca",
    top: int = 5,
    show: Switch = False,
    out: Path | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
    pace: ComputeOptions | None = None,
) -> None:
    """Turn texts into vectors, or compare words by theirs.

    The model is one of word-vectors, or one of fill-mask: its embedding has a vector for every word
    that is one token, and its layers one for every place where a word stands. A text's vector is
    the mean of those of its words, where they stand; a line in is a line out.

    Args:
        texts: Texts, one each; lines of stdin if neither this, --file nor another question is
            given.
        model: The folder of a run or of a checkpoint, or a name of the zoo.
        file: A file of lines.
        nearest: A word: which lie nearest to it?
        similar: Two words: the cosine between them, and Pearson's correlation.
        analogy: Three words: what is to the third as the second is to the first?
        contextual: A word and texts with it: how near is it to itself in each of them?
        picture: Words to be drawn into --out, alone or in groups: animals=cat,dog,cow.
        method: Onto a plane by principal components, or by t-SNE (scikit-learn).
        top: How many words are told.
        show: Draw on stderr how near texts, or places of a word, lie to each other.
        out: Draw words or texts on a plane, or how near places of a word lie, into a file ending in
            .png, .svg or .html.
        as_json: Print JSON.
        pace: Where to compute.
    """
    from .console import speak_utf8
    from .embedding.questions import Questions
    from .files import require_end
    from .verbs import predictor_for

    asked = Questions(nearest, similar, analogy, contextual, picture)
    kind = asked.kind(texts, file)
    if out is not None:
        require_end(out, "--out")
    elif kind == "picture":
        raise ChoiceError("--picture needs --out, a file ending in .png, .svg or .html")
    device = (pace or ComputeOptions()).start()
    speak_utf8()
    predictor = predictor_for(model, ("word-vectors", "fill-mask"), verb="embed", device=device)
    if kind == "texts":
        _vectors(predictor, _lines(texts, file), as_json=as_json, show=show, out=out, method=method)
        return
    answer = asked.answered(kind, predictor, top, method)
    _told(answer, as_json=as_json, show=show, out=out)


def _told(answer: "Answer", *, as_json: bool, show: bool, out: Path | None) -> None:
    print(json.dumps(answer.to_json(), ensure_ascii=False) if as_json else answer)
    if show:
        from .console import plain

        plain(stderr=True).print(answer)
    if out is not None:
        answer.draw(out)


def _lines(texts: tuple[str, ...], file: Path | None) -> Iterator[str]:
    from .console import groups

    for group in groups(texts, file, AHEAD):
        yield from group


def _vectors(
    predictor: Any,
    lines: Iterator[str],
    *,
    as_json: bool,
    show: bool,
    out: Path | None,
    method: Literal["pca", "tsne"],
) -> None:
    """A line for a line; all of them are kept only where they are compared."""
    from .embedding.answers import Texts

    kept: list[str] = []
    vectors: list[Any] = []
    for line in lines:
        [vector] = predictor.vectors([line])
        if as_json:
            numbers = [round(one, 6) for one in vector.tolist()]
            print(json.dumps({"text": line, "vector": numbers}, ensure_ascii=False))
        else:
            print(" ".join(f"{one:.6g}" for one in vector.tolist()))
        if show or out is not None:
            kept.append(line)
            vectors.append(vector)
    if not kept:
        return
    found = Texts.of(kept, vectors, method)
    if show:
        from .console import plain

        plain(stderr=True).print(found)
    if out is not None:
        found.draw(out)
