"""Beam search: the likeliest few, step by step. These are its settings.

What it does: :mod:`.beam_search` is the step, :func:`.expansion.select` says who goes on and who is
dropped, :mod:`.group` when a sentence is done.
"""

from typing import Annotated

from pydantic import Field, model_validator

from regard.config import Config

from .batches import Sources, Width
from .beam_search import BeamSearch, Scoring
from .penalties import LengthNormalisation
from .rules import Rules


class Beam(Config):
    r"""The ``size`` likeliest hypotheses, step by step.

    .. math:: s(Y, X) = \log p(Y \mid X) / lp(Y) + cp(X; Y)

    Scores are those of Wu et al. 2016, Eq. 14 (https://arxiv.org/abs/1609.08144); see
    :mod:`regard.decoding.penalties`. They rank what has ended, whether the model ended it or the
    limit; among what is open, all of one length, probability decides.

    In every step the ``size`` likeliest continuations that end are put aside, if they are among
    the ``size`` likeliest of all, and the ``size`` likeliest others go on. A sentence is done when
    ``size`` hypotheses have ended, or earlier, when no open one can come among the ``n_best``
    any more, however it goes on. With ``size=1`` this is :class:`Greedy`.

    With ``groups``, this is diverse beam search (Vijayakumar et al. 2016,
    https://arxiv.org/abs/1610.02424) with their Hamming diversity: groups of ``size / groups``
    choose one after the other, and a token counts ``diversity`` less for every hypothesis of an
    earlier group that wrote it in the same step. The end of a sentence is a token like others; a
    group that is done writes nothing. Scores are without it. Groups may find the same; it is given
    once, so that there may be fewer than ``n_best``.
    """

    size: Width = 5
    """Hypotheses that go on."""
    length_penalty: Annotated[float, Field(ge=-10, le=10)] = 0.0
    """α: 0 ranks by probability, 0.6 to 1 is usual for translation."""
    length_normalisation: LengthNormalisation = "gnmt"
    """What α is a power of: Wu et al.'s (5 + |Y|) / 6, or ``length``, |Y| itself."""
    coverage_penalty: Annotated[float, Field(ge=0, le=100)] = 0.0
    """β: 0 is without; the model must look at its source."""
    n_best: Width = 1
    """Hypotheses that are given back."""
    groups: Width = 1
    """Parts of the beam that keep off each other's tokens."""
    diversity: Annotated[float, Field(ge=0, le=1000)] = 0.5
    """λ: how much they do."""

    @model_validator(mode="after")
    def _sizes_fit(self) -> "Beam":
        if self.n_best > self.size:
            raise ValueError(
                f"n_best needs to be at most the size of the beam, {self.size}, got {self.n_best}"
            )
        if self.size % self.groups:
            raise ValueError(
                f"groups needs to divide the size of the beam, {self.size}, got {self.groups}"
            )
        return self

    @property
    def width(self) -> int:
        """One row for each group: at the start all hypotheses are the same."""
        return self.groups

    @property
    def rows(self) -> int:
        """One row for each hypothesis."""
        return self.size

    @property
    def looks(self) -> bool:
        """The coverage penalty asks where hypotheses looked."""
        return self.coverage_penalty > 0

    def search(self, sources: Sources, rules: Rules) -> BeamSearch:
        """The strategy at work on a batch."""
        return BeamSearch(
            rules,
            size=self.size,
            groups=self.groups,
            diversity=self.diversity,
            n_best=self.n_best,
            scoring=Scoring(self.length_penalty, self.coverage_penalty, self.length_normalisation),
        )
