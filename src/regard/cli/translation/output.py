"""Translations as they leave the command: text, JSON, drawings."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InputError
from ..console import plain

if TYPE_CHECKING:
    from regard.tasks.translation.sample import Translation


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
    def looks(self) -> bool:
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
        from ...tasks.translation.sample import to_json

        print(json.dumps(to_json(found), ensure_ascii=False))


def speak_utf8() -> None:
    """Write UTF-8 whatever the locale says, as it is read."""
    change = getattr(sys.stdout, "reconfigure", None)
    if change is not None:
        change(encoding="utf-8", errors="replace")


def _show(found: "tuple[Translation, ...]") -> None:
    sys.stdout.flush()
    console = plain(stderr=True)
    for one in found:
        console.print(one)


def _draw(found: "tuple[Translation, ...]", path: Path, model: str) -> None:
    from regard.tasks.translation.views import translation_view

    from .pictures import write_picture

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
