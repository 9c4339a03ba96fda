"""Steps that share are the steps that do not."""

import pytest
import torch

from models.transformer.sentences import TARGET_VOCAB, sentences, tiny
from regard.lens import capture
from regard.models.transformer.pool import Pool
from regard.models.transformer.pooled import PooledState
from regard.models.transformer.state import TransformerState

MOVES = [
    None,
    [0, 0, 1, 1, 2, 2],
    [1, 0, 3, 3, 4, 4],
    [0, 1, 4, 5],
    [3, 0, 2],
    [0, 0, 2],
    None,
    [2, 2, 2, 1, 1, 1],
]
"""More hypotheses, other ones, fewer sentences, sentences in another order, and unlike many."""


def said(model, batch):
    """All logits and looks along the moves, some steps after each."""
    state, rows = model.start(batch.source, batch.source_lengths), 3
    generator = torch.Generator().manual_seed(5)
    for move in MOVES:
        if move is not None:
            state, rows = state.reorder(torch.tensor(move)), len(move)
        for _ in range(9):
            tokens = torch.randint(1, TARGET_VOCAB, (rows,), generator=generator)
            logits, state = model.step(tokens, state)
            yield logits, model.looked(state)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("position", ["sinusoidal", "learned", "none"])
@pytest.mark.parametrize("head", ["mean", 1])
def test_sharing_changes_no_number(norm, position, head):
    model, batch = tiny(norm=norm, position=position, alignment_head=head), sentences()
    apart = list(said(model, batch))
    with torch.inference_mode():
        together = list(said(model, batch))
    for expected, found in zip(apart, together, strict=True):
        torch.testing.assert_close(found, expected)


def test_hypotheses_share_where_nobody_asks_for_more():
    model, batch = tiny(), sentences()
    start = batch.source, batch.source_lengths
    assert isinstance(model.start(*start), TransformerState)
    with torch.no_grad():
        assert isinstance(model.start(*start), PooledState)
        assert isinstance(model.train().start(*start), TransformerState)
        model.eval()
        assert isinstance(tiny(position="rotary").start(*start), TransformerState)
        assert isinstance(tiny(num_key_heads=1).start(*start), TransformerState)
        assert isinstance(tiny(normalise="sparsemax").start(*start), TransformerState)
        with capture(model):
            assert isinstance(model.start(*start), TransformerState)


@torch.no_grad()
def test_an_earlier_state_can_be_gone_back_to():
    model, batch = tiny(), sentences()
    state = model.start(batch.source, batch.source_lengths)
    _, state = model.step(torch.tensor([1, 2, 3]), state)
    once, after = model.step(torch.tensor([4, 5, 6]), state)
    on_once, _ = model.step(torch.tensor([7, 7, 7]), after)
    model.step(torch.tensor([8, 9, 10]), state)
    again, _ = model.step(torch.tensor([4, 5, 6]), state)
    on_again, _ = model.step(torch.tensor([7, 7, 7]), after)
    assert torch.equal(once, again)
    assert torch.equal(on_once, on_again)


@torch.no_grad()
def test_hypotheses_that_stay_with_their_sentence_move_no_entry():
    model, batch = tiny(), sentences()
    state = model.start(batch.source, batch.source_lengths)
    state = state.reorder(torch.tensor([0, 0, 1, 1, 2, 2]))
    _, state = model.step(torch.arange(1, 7), state)
    swapped = state.reorder(torch.tensor([1, 0, 2, 2, 5, 4]))
    assert swapped.pools is state.pools
    assert swapped.memories is state.memories
    assert state.reorder(torch.tensor([0, 1, 4, 5])).pools is not state.pools


def test_a_pool_keeps_its_entries_as_it_grows():
    like = torch.zeros(2, 3, 1, 4)
    pool, entries = Pool.empty(like), torch.randn(2, 3, 75, 4)
    for entry in entries.split(5, dim=2):
        pool = pool.appended(entry, -entry)
    assert torch.equal(pool.key, entries)
    assert torch.equal(pool.value, -entries)
    assert torch.equal(pool.of(torch.tensor([1])).key, entries[1:])
