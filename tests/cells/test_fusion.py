"""Two sequences, shallow and deep, against their equations."""

import pytest
import torch
from torch.testing import assert_close

from cells.test_lstmn import gates, scorer, tensor
from reference import cells as reference
from regard.cells import LSTMN, DeepFusion, Recurrent, ShallowFusion
from regard.errors import DtypeError, RangeError, ShapeError
from regard.lens import capture

LENGTHS = (6, 4)


def sources():
    return torch.randn(2, 2, 6, 5, dtype=torch.double)


def reads(cell, x, hidden, memory):
    """What the reference makes of each row."""
    for row, length in enumerate(LENGTHS):
        xs, source = x[row].tolist(), hidden[row, :length].tolist()
        within, between = scorer(cell.cell.intra), scorer(cell.inter)
        if isinstance(cell, ShallowFusion):
            yield reference.shallow(gates(cell.cell), within, between, xs, source, 5)
        else:
            yield reference.deep(
                gates(cell.cell),
                within,
                between,
                cell.gate_proj.weight.tolist(),
                cell.gate_proj.bias.tolist(),
                xs,
                reference.Source(source, memory[row, :length].tolist()),
                5,
            )


@pytest.mark.parametrize("kind", [ShallowFusion, DeepFusion])
@pytest.mark.parametrize("as_mask", [False, True], ids=["lengths", "booleans"])
def test_outputs_and_weights_are_those_of_the_equations(kind, as_mask):
    cell = kind(3, 5, attention_dim=7).double()
    x, (hidden, memory) = torch.randn(2, 4, 3, dtype=torch.double), sources()
    given = (hidden,) if kind is ShallowFusion else (hidden, memory)
    mask = torch.tensor(LENGTHS)
    mask = torch.arange(6) < mask.unsqueeze(-1) if as_mask else mask
    runner = Recurrent(cell)
    with capture(runner) as record:
        outputs, state = runner(x, cell.start(2, source=cell.read(*given, mask)))
    inter = record["cell.inter"].weights
    assert inter.shape == (2, 4, 6)
    for row, read in enumerate(reads(cell, x, hidden, memory)):
        assert_close(outputs[row], tensor(read.hidden))
        assert_close(state.target.tape.memory[row], tensor(read.memory))
        assert_close(inter[row, :, : LENGTHS[row]], tensor(read.inter))
        assert not inter[row, :, LENGTHS[row] :].any()
        for look, expected in zip(record["cell.cell.intra"].looks, read.intra, strict=True):
            assert_close(look.weigh()[row, 0], tensor(expected))


@pytest.mark.parametrize("kind", [ShallowFusion, DeepFusion])
def test_a_source_without_an_allowed_slot_is_like_none_in_value_and_gradient(kind):
    cell = kind(3, 5).double()
    x = torch.randn(2, 4, 3, dtype=torch.double)
    tapes = sources().requires_grad_()
    given = tapes[:1] if kind is ShallowFusion else tapes
    source = cell.read(*given, torch.tensor([0, 6]))
    outputs, _ = Recurrent(cell)(x, cell.start(2, source=source))
    nothing, _ = Recurrent(cell)(x)
    assert_close(outputs[0], nothing[0])
    assert not torch.allclose(outputs[1], nothing[1])
    outputs.sum().backward()
    assert not tapes.grad[:, 0].any()
    assert tapes.grad[0, 1].all()
    assert all(p.grad.isfinite().all() for p in cell.parameters())


def test_without_a_source_deep_fusion_is_an_lstmn():
    cell = DeepFusion(3, 5).double()
    alone = LSTMN(3, 5).double()
    alone.load_state_dict(cell.cell.state_dict())
    x = torch.randn(2, 4, 3, dtype=torch.double)
    assert_close(Recurrent(cell)(x)[0], Recurrent(alone)(x)[0])


def test_a_question_read_by_an_lstmn_is_a_source():
    encoder, cell = LSTMN(3, 5), DeepFusion(7, 5)
    question, passage = torch.randn(2, 6, 3), torch.randn(2, 4, 7)
    _, read = Recurrent(encoder)(question, lengths=torch.tensor([6, 2]))
    source = cell.read(read.tape.hidden, read.tape.memory, read.tape.allowed)
    outputs, _ = Recurrent(cell)(passage, cell.start(2, source=source))
    _, short = Recurrent(encoder)(question[1:, :2])
    alone = cell.read(short.tape.hidden, short.tape.memory)
    assert_close(outputs[1:], Recurrent(cell)(passage[1:], cell.start(1, source=alone))[0])
    outputs.sum().backward()
    assert encoder.intra.v.grad is not None


def test_sources_are_checked(without_shape_checks):
    cell = DeepFusion(3, 5)
    hidden = torch.randn(2, 6, 5)
    with pytest.raises(ShapeError, match=r"memories of width 5 and one shape, got \(2, 6, 4\)"):
        cell.read(torch.randn(2, 6, 4), torch.randn(2, 6, 4))
    with pytest.raises(ShapeError, match=r"one shape, got \(2, 6, 5\) and \(2, 5, 5\)"):
        cell.read(hidden, torch.randn(2, 5, 5))
    with pytest.raises(
        DtypeError, match=r"needs booleans .* or whole lengths .* got torch.float32"
    ):
        cell.read(hidden, hidden, torch.ones(2))
    with pytest.raises(ShapeError, match=r"one boolean per slot, \(2, 6\), got \(2, 5\)"):
        cell.read(hidden, hidden, torch.ones(2, 5, dtype=torch.bool))
    with pytest.raises(RangeError, match="lengths need to be from 0 to 6, the number of steps"):
        cell.read(hidden, hidden, torch.tensor([7, 1]))
