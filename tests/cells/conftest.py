"""Fixtures for cells."""

import jaxtyping
import pytest

from cells.every import CELLS


@pytest.fixture(params=CELLS)
def cell(request):
    """Each cell in turn, in double precision."""
    return CELLS[request.param]().double()


@pytest.fixture
def without_shape_checks(monkeypatch):
    """Calls the package as a user does: the shapes in signatures are hints, our errors answer."""
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
