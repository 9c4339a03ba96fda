"""Fixtures for the engine."""

import jaxtyping
import pytest

from regard.functional.engine import blocks, window


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of two rows, tiles of two columns and bands of two, so that a tiny map is many."""
    monkeypatch.setattr(blocks, "TILE", 2)
    monkeypatch.setattr(blocks, "BLOCK_ELEMENTS", 1)
    monkeypatch.setattr(blocks, "FEWEST_ROWS", 2)
    monkeypatch.setattr(blocks, "MOST_ROWS", 2)
    monkeypatch.setattr(window, "BAND", 2)


@pytest.fixture
def without_shape_checks(monkeypatch):
    """Calls the package as a user does: the shapes in signatures are hints, our errors answer."""
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
