"""Translations as they leave a command: text, JSON, drawings in the terminal or in files."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..errors import InputError
from .console import plain
from .files import name_missing, write

if TYPE_CHECKING:
    from regard.tasks.translation.sample import Translation

    from ..lens.alignments import AlignmentView
    from ..lens.pictures import PictureView


@dataclass(frozen=True, kw_only=True)
class Output:
    """What is told of each translation, and how.

    Args:
        alignments: whether links stand behind the text.
        show: whether alignments are drawn on stderr.
        picture: a file to draw them into.
        as_json: whether a line is a JSON object.
        several: whether a source may have several translations; their lines are numbered.
        model: the name of what translates, for pictures.
    """

    alignments: bool = False
    show: bool = False
    picture: Path | None = None
    as_json: bool = False
    several: bool = False
    model: str = ""

    @property
    def wants_weights(self) -> bool:
        """Whether anybody wants to know where the model looked."""
        return self.alignments or self.show or self.as_json or self.picture is not None

    def write(self, number: int, found: "tuple[Translation, ...]") -> None:
        """Tell the translations of line ``number``, the best first."""
        if found[0].cut:
            print(
                f"line {number}: too long, its last {found[0].cut:,} tokens were not read",
                file=sys.stderr,
            )
        if self.as_json:
            self._json(found)
        else:
            for one in found:
                print(self._line(number, one))
        if self.show:
            _show(found)
        if self.picture is not None:
            _draw(found, self.picture, self.model)

    def _line(self, number: int, one: "Translation") -> str:
        from regard.measures import pharaoh

        columns = [f"{number}", f"{one.score:.4f}"] if self.several else []
        links = [pharaoh(one.links)] if self.alignments else []
        text = one.text.replace("\t", " ") if columns or links else one.text
        return "\t".join([*columns, text, *links])

    def _json(self, found: "tuple[Translation, ...]") -> None:
        from ..tasks.translation.sample import to_json

        print(json.dumps(to_json(found), ensure_ascii=False))


def _show(found: "tuple[Translation, ...]") -> None:
    sys.stdout.flush()
    console = plain(stderr=True)
    for one in found:
        console.print(one)


def _draw(found: "tuple[Translation, ...]", path: Path, model: str) -> None:
    from regard.tasks.translation.views import translation_view

    titles = [f"{one.score:.2f}" for one in found] if len(found) > 1 else [""]
    made = (
        translation_view(one, title, model=model) for one, title in zip(found, titles, strict=True)
    )
    views = [view for view in made if view is not None]
    if not views:
        raise InputError(
            "--picture needs words on both sides and a model that looks at its source, got nothing "
            "to draw"
        )
    write_picture(path, views)


def write_picture(path: Path, views: "Sequence[AlignmentView | PictureView]") -> None:
    """Draw views of one kind into a file; letters that no font here has are named on stderr.

    Raises:
        InputError: the file cannot be written.
        MissingExtraError: matplotlib is not installed.
    """
    from ..lens import alignments, pictures

    aligned = [view for view in views if isinstance(view, alignments.AlignmentView)]
    seen = [view for view in views if isinstance(view, pictures.PictureView)]
    end = path.suffix.lower()
    if end == ".html":
        content = (alignments.html(aligned) if aligned else pictures.html(seen)).encode()
    else:
        kind: Literal["png", "svg"] = "svg" if end == ".svg" else "png"
        content = alignments.picture(aligned, kind) if aligned else pictures.picture(seen, kind)
        name_missing(aligned)
    write(path, lambda file: file.write(content))
