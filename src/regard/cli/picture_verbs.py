"""What verbs about pictures do alike: read them, tell what a model says, draw it."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ChoiceError
from .computing import ComputeOptions


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What was asked of some pictures.

    Args:
        verb: the command.
        tasks: kinds of those whose models can do it.
        model: which, or where it lies.
        show: whether answers are drawn on stderr.
        out: a file to draw them into.
        as_json: whether a line is a JSON object.
        pace: where to compute.
    """

    verb: str
    tasks: Sequence[str]
    model: str
    show: bool
    out: Path | None
    as_json: bool
    pace: ComputeOptions | None

    @property
    def looks(self) -> bool:
        """Whether anybody wants to know where the model looked."""
        return self.show or self.out is not None or self.as_json

    def answers(
        self, pictures: Sequence[Path], changed: Callable[[Any], Any] = lambda one: one
    ) -> Iterator[Any]:
        """A sample of every picture, told and drawn as was asked for.

        Args:
            pictures: files.
            changed: the predictor with what else was said.

        Raises:
            ChoiceError: no picture, or a model that was trained for something else.
            InputError: a picture that cannot be read.
        """
        from .console import speak_utf8
        from .files import require_end
        from .verbs import _show, draw, predictor_for

        if not pictures:
            raise ChoiceError(f"{self.verb} needs a picture: regard {self.verb} picture.jpg")
        if self.out is not None:
            require_end(self.out, "--out")
        device = (self.pace or ComputeOptions()).start()
        speak_utf8()
        predictor = changed(predictor_for(self.model, self.tasks, verb=self.verb, device=device))
        drawn: list[Any] = []
        for sample in predictor.predict([str(one) for one in pictures], looks=self.looks):
            print(json.dumps(sample.to_json(), ensure_ascii=False) if self.as_json else sample)
            if self.show:
                _show(sample)
            drawn += [sample] if self.out is not None else []
            yield sample
        if self.out is not None:
            draw(self.out, drawn, self.model)
