"""Pictures of how good translators are."""

from .lengths import length_curves as length_curves

__all__ = ["length_curves"]
