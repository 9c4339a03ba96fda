"""Settings as values: frozen, checked, and nothing unknown."""

from pydantic import BaseModel, ConfigDict


class Config(BaseModel):
    """Settings that never change once made; an unknown one is refused.

    Each field's docstring is its help text.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_default=True, use_attribute_docstrings=True
    )
