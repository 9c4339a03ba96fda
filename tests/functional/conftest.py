"""Fixtures for the engine."""

import pytest

from regard.functional.engine import fused as window
from regard.functional.engine import stream as blocks


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of two rows, tiles of two columns and bands of two, so that a tiny map is many."""
    monkeypatch.setattr(blocks, "TILE", 2)
    monkeypatch.setattr(blocks, "BLOCK_ELEMENTS", 1)
    monkeypatch.setattr(blocks, "FEWEST_ROWS", 2)
    monkeypatch.setattr(blocks, "MOST_ROWS", 2)
    monkeypatch.setattr(window, "BAND", 2)
