"""Fixtures for cells."""

import pytest

from cells.every import CELLS


@pytest.fixture(params=CELLS)
def cell(request):
    """Each cell in turn, in double precision."""
    return CELLS[request.param]().double()
