import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.training.run import seed_step

numbers = st.integers(0, 2**40)


def drawn(**place):
    seed_step(**place)
    return torch.rand(5)


@settings(max_examples=20)
@given(numbers, numbers, st.integers(0, 99))
def test_a_step_draws_the_same_whatever_was_drawn_before(seed, step, rank):
    first = drawn(seed=seed, step=step, rank=rank)
    torch.rand(3)
    assert torch.equal(drawn(seed=seed, step=step, rank=rank), first)


def test_every_seed_every_step_and_every_process_draws_something_else():
    places = [(1, 11, 0), (11, 1, 0), (1, 1, 1), (1, 1, 11), (1, 11, 1), (0, 0, 0)]
    found = [tuple(drawn(seed=a, step=b, rank=c).tolist()) for a, b, c in places]
    assert len(set(found)) == len(places)


def test_dropout_is_seeded_too():
    ones = torch.ones(64)
    masks = []
    for step in (3, 3, 4):
        seed_step(seed=2, step=step)
        masks.append(torch.nn.functional.dropout(ones))
    assert torch.equal(masks[0], masks[1])
    assert not torch.equal(masks[0], masks[2])
