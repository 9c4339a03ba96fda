"""A text that a model went on with."""

from typing import TYPE_CHECKING, Any, NamedTuple

from regard.notebook import table
from regard.types import Float, Tensor

if TYPE_CHECKING:
    from rich.console import RenderableType

    from regard.lens.alignments import AlignmentView


class Looks(NamedTuple):
    """Where the heads of a model looked while it read a prompt."""

    tokens: tuple[str, ...]
    weights: Float[Tensor, "L H T T"]


class Generated(NamedTuple):
    """One way to go on."""

    prompt: str
    continuation: str
    tokens: tuple[str, ...]
    """What was written, as the vocabulary writes it."""
    log_probs: tuple[float, ...]
    """Of each of them, given all before it."""
    log_prob: float
    """Of all of them."""
    finished: bool
    """Whether the model ended it; otherwise the limit did."""
    cut: int = 0
    """Tokens at the beginning of the prompt that were not read, because it is longer than the
    model's context."""
    looks: Looks | None = None
    """Where the heads looked, if it was asked for."""

    @property
    def text(self) -> str:
        """All of it."""
        return self.prompt + self.continuation

    def to_json(self) -> dict[str, Any]:
        """The text with its tokens and their log-probabilities."""
        found: dict[str, Any] = {
            "prompt": self.prompt,
            "continuation": self.continuation,
            "text": self.text,
            "tokens": list(self.tokens),
            "log_probs": [round(one, 6) for one in self.log_probs],
            "log_prob": self.log_prob,
            "finished": self.finished,
            "cut": self.cut,
        }
        if self.looks is not None:
            found["looks"] = {
                "tokens": list(self.looks.tokens),
                "weights": self.looks.weights.tolist(),
            }
        return found

    def views(self) -> "tuple[AlignmentView, ...]":
        """Where each head looked while the prompt was read, a picture each."""
        from regard.lens.alignments import AlignmentView

        if self.looks is None:
            return ()
        tokens = tuple(token.replace("\n", "⏎").replace(" ", "␣") for token in self.looks.tokens)
        return tuple(
            AlignmentView(tokens, tokens, head, title=f"layer {layer}, head {number}")
            for layer, heads in enumerate(self.looks.weights)
            for number, head in enumerate(heads)
        )

    def __rich__(self) -> "RenderableType":
        """The text, what was given in bold; and the mean of all heads, if they were asked for."""
        from rich.console import Group
        from rich.text import Text

        from regard.lens.alignments import AlignmentView, terminal
        from regard.lens.words import printable

        lines = Text.assemble(
            (_lines(self.prompt, printable), "bold"), _lines(self.continuation, printable)
        )
        if self.looks is None:
            return lines
        first = self.views()[0]
        mean = self.looks.weights.mean(dim=(0, 1))
        return Group(
            lines,
            terminal(AlignmentView(first.source, first.target, mean, title="mean of all heads")),
        )

    def __repr__(self) -> str:
        return f"Generated({self.prompt!r} → {self.continuation!r}, log_prob {self.log_prob:.4g})"

    def _repr_html_(self) -> str:
        return table(("prompt", "continuation"), [(self.prompt, self.continuation)])


def _lines(text: str, printable: Any) -> str:
    return "\n".join(line and printable(line) for line in text.split("\n"))
