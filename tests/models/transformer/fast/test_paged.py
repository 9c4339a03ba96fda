"""Steps that share are the steps that do not."""

from itertools import product

import pytest
import torch

from models.transformer.sentences import TARGET_VOCAB, sentences, tiny
from regard.kernels.available import without_numba
from regard.lens import capture
from regard.models.transformer.fast.paged import PagedState
from regard.models.transformer.state import TransformerState

pytestmark = pytest.mark.usefixtures("without_shape_checks")

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
            yield logits, model.last_weights(state)


FIELDS = {
    "norm": ("pre", "post"),
    "position": ("sinusoidal", "learned", "none"),
    "alignment_head": ("mean", 1),
    "num_key_heads": (2, 1),
}
HALF = [
    {name: values[i] for (name, values), i in zip(FIELDS.items(), places, strict=True)}
    for places in product(*(range(len(values)) for values in FIELDS.values()))
    if sum(places) % 2 == 0
]
"""Every second choice: any two values of two fields meet."""


@pytest.mark.parametrize("choice", HALF, ids=lambda choice: "-".join(map(str, choice.values())))
def test_sharing_changes_no_number(choice):
    model, batch = tiny(**choice), sentences()
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
        assert isinstance(model.start(*start), PagedState)
        assert isinstance(model.train().start(*start), TransformerState)
        model.eval()
        assert isinstance(tiny(num_key_heads=1).start(*start), PagedState)
        assert isinstance(tiny(position="rotary").start(*start), TransformerState)
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
def test_an_earlier_state_can_be_gone_back_to_when_others_have_moved(monkeypatch):
    monkeypatch.setattr("regard.models.transformer.fast.paged_cache.FIRST", 1)
    model, batch = tiny(), sentences()
    state = model.start(batch.source, batch.source_lengths)
    for token in (1, 2, 3):
        _, state = model.step(torch.full((3,), token), state)
    expected, _ = model.step(torch.tensor([4, 5, 6]), state)
    later = state
    for token in range(1, 13):
        _, later = model.step(torch.full((3,), token), later)
    assert later.written.room is not state.written.room
    again, _ = model.step(torch.tensor([4, 5, 6]), state)
    assert torch.equal(again, expected)


@torch.no_grad()
def test_whoever_goes_on_moves_no_key():
    model, batch = tiny(), sentences()
    state = model.start(batch.source, batch.source_lengths)
    _, state = model.step(torch.tensor([1, 2, 3]), state)
    picked = state.reorder(torch.tensor([2, 0, 2, 1]))
    assert picked.written.room is state.written.room
    assert picked.memory.layers is state.memory.layers


@torch.no_grad()
def test_what_nobody_looks_at_makes_room(monkeypatch):
    monkeypatch.setattr("regard.models.transformer.fast.paged_cache.FIRST", 2)
    model, batch = tiny(), sentences()
    state = model.start(batch.source, batch.source_lengths).reorder(torch.tensor([0] * 30))
    for _ in range(3):
        _, state = model.step(torch.ones(30, dtype=torch.long), state)
    state = state.reorder(torch.tensor([4]))
    for _ in range(200):
        _, state = model.step(torch.tensor([5]), state)
    assert len(state.written.room.layers[0]) < 600


@pytest.mark.parametrize("ahead", [0, 1, 5])
@pytest.mark.parametrize("begun", [False, True])
@torch.no_grad()
def test_batches_that_have_come_differently_far_go_on_together(ahead, begun):
    model, batch, other = tiny(), sentences(), sentences(seed=3, source=(9, 4, 1))
    ours = model.start(batch.source, batch.source_lengths)
    theirs = model.start(other.source, other.source_lengths).reorder(torch.tensor([2, 0]))
    for token in range(1, 1 + ahead):
        _, ours = model.step(torch.full((3,), token), ours)
    if begun:
        _, theirs = model.step(torch.tensor([7, 8]), theirs)
    ours = ours.reorder(torch.tensor([2, 1]))
    both = ours.joined(theirs)
    for tokens in ([1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]):
        written = torch.tensor(tokens)
        logits, both = model.step(written, both)
        first, ours = model.step(written[:2], ours)
        second, theirs = model.step(written[2:], theirs)
        torch.testing.assert_close(logits, torch.cat([first, second]))
        looks = model.last_weights(both)
        torch.testing.assert_close(looks[:2, :7], model.last_weights(ours))
        torch.testing.assert_close(looks[2:], model.last_weights(theirs))
        rows = torch.tensor([0, 1, 3, 2])
        both, theirs = both.reorder(rows), theirs.reorder(torch.tensor([1, 0]))


@torch.no_grad()
def test_sources_of_those_who_left_make_room():
    model, batch = tiny(), sentences()
    state = model.start(batch.source, batch.source_lengths)
    for _ in range(40):
        _, state = model.step(torch.ones(3, dtype=torch.long), state)
        fresh = model.start(batch.source, batch.source_lengths).reorder(torch.tensor([0, 1]))
        state = state.reorder(torch.tensor([2])).joined(fresh)
        expected, _ = model.step(torch.tensor([4, 5]), fresh)
        torch.testing.assert_close(model.step(torch.tensor([6, 4, 5]), state)[0][1:], expected)
    assert len(state.memory.pages.counts) <= 8
    assert len(state.memory.layers[0]) < 200
    assert state.written.longest <= 2


@torch.no_grad()
def test_without_numba_the_numbers_are_the_same():
    model, batch = tiny(num_heads=4, num_key_heads=2), sentences()
    with without_numba():
        plain = list(said(model, batch))
    for expected, found in zip(plain, said(model, batch), strict=True):
        torch.testing.assert_close(found, expected)
