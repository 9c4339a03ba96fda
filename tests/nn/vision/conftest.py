"""What tests of vision modules share."""

import jaxtyping
import pytest


@pytest.fixture
def without_shape_checks(monkeypatch):
    """Calls the package as a user does: the shapes in signatures are hints, our errors answer."""
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
