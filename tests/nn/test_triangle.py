"""Triangle attention against loops and a peer."""

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from reference import special_attention as reference
from regard.errors import ChoiceError, ShapeError
from regard.nn import TriangleAttention

BATCH, NODES, WIDTH, HEADS = 2, 5, 6, 3
every_mode = pytest.mark.parametrize("mode", ["starting", "ending"])


def made(mode, **options):
    torch.manual_seed(6)
    attention = TriangleAttention(WIDTH, HEADS, mode, **options).double()
    with torch.no_grad():
        attention.norm.weight.uniform_(0.5, 2)
        attention.norm.bias.uniform_(-1, 1)
    return attention


def edges():
    return torch.randn(BATCH, NODES, NODES, WIDTH, dtype=torch.float64)


def some():
    """Not symmetric; the third node of the second graph has no edge from it and none to it."""
    allowed = (torch.arange(BATCH * NODES * NODES) * 7 % 5 != 0).view(BATCH, NODES, NODES)
    allowed[1, 2], allowed[1, :, 2] = False, False
    return allowed


@pytest.mark.parametrize("head_dim", [None, 4])
@every_mode
def test_edges_of_triangles_equal_loops(mode, head_dim):
    attention, pair, allowed = made(mode, head_dim=head_dim), edges(), some()
    parameters = {name: tensor.tolist() for name, tensor in attention.state_dict().items()}
    expected = [
        reference.triangle(z, may, parameters, HEADS, mode)
        for z, may in zip(pair.tolist(), allowed.tolist(), strict=True)
    ]
    found = attention(pair, allowed)
    assert_close(found, torch.tensor(expected, dtype=torch.float64), rtol=1e-10, atol=1e-12)


@every_mode
def test_triangles_have_the_gradient_of_finite_differences(mode):
    attention, pair, allowed = made(mode), edges(), some()
    names = [name for name, _ in attention.named_parameters()]

    def attended(pair, *parameters):
        named = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(attention, named, (pair, allowed))

    leaves = [p.detach().clone().requires_grad_() for p in attention.parameters()]
    assert gradcheck(attended, (pair.requires_grad_(), *leaves), fast_mode=True)


def test_ending_is_starting_on_the_transposed_array():
    starting, ending, pair = made("starting"), made("ending"), edges()
    expected = starting(pair.transpose(1, 2), some().mT).transpose(1, 2)
    assert_close(ending(pair, some()), expected)


@every_mode
def test_renumbering_the_nodes_renumbers_the_edges(mode):
    attention, pair, order = made(mode), edges(), [3, 0, 4, 1, 2]
    moved = attention(pair[:, order][:, :, order])
    assert_close(moved, attention(pair)[:, order][:, :, order], rtol=1e-10, atol=1e-12)


@every_mode
def test_the_number_of_nodes_cuts_what_lies_behind(mode):
    attention, pair = made(mode), edges()
    found = attention(pair, torch.tensor([3, 5]))
    assert_close(found[0, :3, :3], attention(pair[0, :3, :3]))
    assert_close(found[1], attention(pair[1]))


@every_mode
def test_edges_of_a_node_without_any_have_the_bias_of_the_output_and_no_gradient(mode):
    attention, pair = made(mode), edges().requires_grad_()
    found = attention(pair, some())
    alone = found[1, 2] if mode == "starting" else found[1, :, 2]
    assert_close(alone, attention.output_proj.bias.expand(NODES, -1))
    found.square().sum().backward()
    assert pair.grad.isfinite().all()


@every_mode
def test_esmfold_with_the_same_weights_gives_the_same(mode):
    pytest.importorskip("transformers")
    esmfold = pytest.importorskip("transformers.models.esm.modeling_esmfold")
    attention, pair, allowed = made(mode, head_dim=4), edges(), some()
    allowed[1, 2, 2] = True  # theirs has no zero for rows without an edge
    allowed = allowed | torch.eye(NODES, dtype=torch.bool)
    peer = esmfold.EsmFoldTriangleAttention(WIDTH, 4, HEADS, starting=mode == "starting").double()
    ours = attention.state_dict()
    names = {"query_proj": "linear_q", "key_proj": "linear_k", "value_proj": "linear_v"}
    names |= {"gate_proj": "linear_g", "output_proj": "linear_o"}
    theirs = {
        f"mha.{names[n.split('.')[0]]}.{n.split('.')[1]}": x
        for n, x in ours.items()
        if n.split(".")[0] in names
    }
    theirs |= {"linear.weight": ours["bias_proj.weight"]}
    theirs |= {f"layer_norm.{n}": ours[f"norm.{n}"] for n in ("weight", "bias")}
    peer.load_state_dict(theirs)
    pair.requires_grad_()
    found, expected = attention(pair, allowed), peer(pair, mask=allowed.double())
    assert_close(found, expected, rtol=1e-9, atol=1e-10)
    gradients = [torch.autograd.grad(x.square().sum(), pair)[0] for x in (found, expected)]
    assert_close(*gradients, rtol=1e-8, atol=1e-9)


@pytest.mark.usefixtures("without_shape_checks")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: TriangleAttention(6, 3, "middle"), ChoiceError, "unknown mode 'middle'"),
        (lambda: TriangleAttention(6, 4, "ending"), ShapeError, "4 heads share equally"),
        (lambda: made("ending")(torch.zeros(5, 4, 6)), ShapeError, r"edges \(\*B, N, N, 6\)"),
    ],
)
def test_mistakes_are_answered_in_one_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()
