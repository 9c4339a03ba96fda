"""What happens to texts and pictures on the way in, where the way back is to undo it."""

from pydantic import Field

from regard.config import Config
from regard.errors import ChoiceError


class Noise(Config):
    """Denoising: what is read is damaged, what is to come back is not.

    Words: Hill et al. 2016 (https://arxiv.org/abs/1602.03483), Lample et al. 2018
    (https://arxiv.org/abs/1711.00043). Pictures: Vincent et al. 2010
    (https://jmlr.org/papers/v11/vincent10a.html).
    """

    dropped: float = Field(default=0.0, ge=0, lt=1)
    """Share of the tokens of a text that are left out; at least one stays."""
    hidden: float = Field(default=0.0, ge=0, lt=1)
    """Share of the tokens that are read as unknown, or of the pixels that are black."""
    shuffled: int = Field(default=0, ge=0)
    """Places that a token is moved by at most."""
    gaussian: float = Field(default=0.0, ge=0)
    """Standard deviation of what is added to colours from 0 to 1, which stay in this range."""
    seed: int = Field(default=0, ge=0)
    """Of what happens to text."""

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.dropped or self.hidden or self.shuffled or self.gaussian)

    def require_for(self, things: str) -> None:
        """Raise unless all of it can happen to ``texts`` or to ``pictures``.

        Raises:
            ChoiceError: some of it is for the others.
        """
        others = {"texts": ("gaussian",), "pictures": ("dropped", "shuffled")}
        wrong = [name for name in others[things] if getattr(self, name)]
        if wrong:
            known = {"texts": "dropped, hidden and shuffled", "pictures": "hidden and gaussian"}
            raise ChoiceError(
                f"noise of {things} needs to be {known[things]}, got {' and '.join(wrong)}"
            )
