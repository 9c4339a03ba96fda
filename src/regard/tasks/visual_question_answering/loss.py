"""The loss of an answerer; nothing here imports torch."""

from typing import Literal

from pydantic import Field

from regard.config import Config


class AnswerLossConfig(Config):
    """What is taken of the logits."""

    scoring: Literal["softmax", "sigmoid"] = "softmax"
    """One of all answers, or each by itself, as Anderson et al. 2018 have it."""
    label_smoothing: float = Field(default=0.0, ge=0, lt=1)
    """Share of the probability that all answers get alike; for softmax."""
