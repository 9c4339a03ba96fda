"""Which view of which model ``regard show`` draws."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ...errors import ChoiceError

if TYPE_CHECKING:
    from ...zoo.seen import Seen

ViewName = Literal["alignment", "heads", "text", "matrix", "picture", "gates", "steps"]


class View(NamedTuple):
    """What is to be drawn, of any model.

    Args:
        name: of the view; the alignment if not given.
        module: a part of the name of the modules that are meant.
        layer: counted from 0, or from the last backwards.
        head: a number, ``mean`` or ``all``.
        word: the query, counted from 0.
        force: whether to draw what is not verified, too.
    """

    name: ViewName | None = None
    module: str | None = None
    layer: int | None = None
    head: str | None = None
    word: int | None = None
    force: bool = False

    def of(self, seen: "Seen") -> Sequence[Any]:
        """The views of what a model saw."""
        from ...lens import views

        shared: dict[str, Any] = {"module": self.module, "force": self.force}
        named = {**shared, "model": seen.model}
        layer = -1 if self.layer is None else self.layer
        record = seen.record
        if self.name == "heads":
            return views.heads(record, **named)
        if self.name == "gates":
            return views.gates(record, module=self.module, model=seen.model)
        if self.name == "text":
            head = self._head("mean")
            return [views.running_text(record, layer=layer, head=head, word=self.word, **named)]
        if self.name == "picture":
            return [views.over_picture(record, _shown(seen), layer=layer, word=self.word, **named)]
        if self.name == "steps":
            head = self._number()
            return [views.steps(record, layer=layer, head=head, word=self.word or 0, **shared)]
        if self.name == "matrix" or self.head == "all":
            one = None if self.head in (None, "all") else self._head("mean")
            return views.matrices(record, layer=layer, head=one, **named)
        return views.alignments(record, layer=layer, head=self._head("mean"), **named)

    def _head(self, usual: Literal["mean"]) -> "int | Literal['mean']":
        if self.head in (None, "mean"):
            return usual
        return self._number()

    def _number(self) -> int:
        if self.head is None:
            return 0
        if not (self.head.isascii() and self.head.isdigit()):
            raise ChoiceError(
                f"--head needs a number from 0 for the view {self.name}, got {self.head!r}"
            )
        return int(self.head)


def _shown(seen: "Seen") -> Any:
    if seen.picture is None:
        raise ChoiceError("the view picture needs a picture that the model sees: --picture FILE")
    return seen.picture


def seen_by(
    model: str | None, text: str | None, picture: Path | None, translation: str | None, device: str
) -> "Seen":
    """What one model looks at in a text or a picture."""
    from ...zoo.seen import look_at

    image = None
    if picture is not None:
        from ...data.images import read_picture

        image = read_picture(picture)
    return look_at(model, text, picture=image, translation=translation, device=device)
