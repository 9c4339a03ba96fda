"""Agent-aware attention against loops, and what tells agents apart."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.autograd import gradcheck
from torch.testing import assert_close

from reference import special_attention as reference
from regard import masks
from regard.errors import DtypeError, RangeError, ShapeError
from regard.lens import capture
from regard.nn import AgentAwareAttention

BATCH, QUERIES, KEYS, WIDTH, KEY_WIDTH, HEADS = 2, 5, 7, 6, 4, 2
QUERY_AGENTS = [[0, 1, 2, 0, 1], [1, 1, 0, 2, 2]]
KEY_AGENTS = [[0, 1, 2, 0, 1, 2, 0], [2, 2, 1, 1, 0, 0, 3]]
ALLOWED = [[True, False, True, True, False, True, True], [False] * 7]


def made(**options):
    torch.manual_seed(2)
    return AgentAwareAttention(WIDTH, HEADS, key_dim=KEY_WIDTH, **options).double()


def sequences():
    query = torch.randn(BATCH, QUERIES, WIDTH, dtype=torch.float64)
    return query, torch.randn(BATCH, KEYS, KEY_WIDTH, dtype=torch.float64)


def lists(module):
    return {name: tensor.tolist() for name, tensor in module.state_dict().items()}


@pytest.mark.parametrize("head_dim", [3, 5])
def test_attention_between_agents_of_any_order_equals_loops(head_dim):
    attention, (query, key) = made(head_dim=head_dim), sequences()
    found = attention(
        query,
        key,
        agents=torch.tensor(QUERY_AGENTS),
        key_agents=torch.tensor(KEY_AGENTS),
        mask=torch.tensor(ALLOWED),
    )
    expected = [
        reference.agent_aware(*case, lists(attention), HEADS)
        for case in zip(
            query.tolist(), key.tolist(), QUERY_AGENTS, KEY_AGENTS, ALLOWED, strict=True
        )
    ]
    assert_close(found, torch.tensor(expected, dtype=torch.float64), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("agents", [1, 2, 3, 9])
def test_a_number_of_agents_means_that_they_take_turns(agents):
    attention = AgentAwareAttention(WIDTH, HEADS).double()
    x = torch.randn(BATCH, KEYS, WIDTH, dtype=torch.float64)
    turns = [i % agents for i in range(KEYS)]
    expected = [
        reference.agent_aware(row, row, turns, turns, [True] * KEYS, lists(attention), HEADS)
        for row in x.tolist()
    ]
    found = attention(x, agents=agents)
    assert_close(found, torch.tensor(expected, dtype=torch.float64), rtol=1e-12, atol=1e-12)
    assert_close(attention(x, agents=torch.tensor(turns)), found)


def test_attention_has_the_gradient_of_finite_differences():
    attention, (query, key) = made(), sequences()
    names = [name for name, _ in attention.named_parameters()]

    def attended(query, key, *parameters):
        named = dict(zip(names, parameters, strict=True))
        rest = {
            "agents": torch.tensor(QUERY_AGENTS),
            "key_agents": torch.tensor(KEY_AGENTS),
            "mask": torch.tensor(ALLOWED),
        }
        return torch.func.functional_call(attention, named, (query, key), rest)

    leaves = [p.detach().clone().requires_grad_() for p in attention.parameters()]
    vectors = query.requires_grad_(), key.requires_grad_()
    assert gradcheck(attended, (*vectors, *leaves), fast_mode=True)


@settings(max_examples=20)
@given(st.permutations(range(4)))
def test_the_names_of_the_agents_do_not_matter(names):
    attention, (query, key) = made(), sequences()
    renamed = torch.tensor(names)
    own, its = torch.tensor(QUERY_AGENTS), torch.tensor(KEY_AGENTS)
    expected = attention(query, key, agents=own, key_agents=its)
    assert_close(attention(query, key, agents=renamed[own], key_agents=renamed[its]), expected)


def test_with_equal_projections_it_does_not_matter_who_is_who():
    attention, (query, key) = made(), sequences()
    attention.other_query_proj.load_state_dict(attention.query_proj.state_dict())
    attention.other_key_proj.load_state_dict(attention.key_proj.state_dict())
    alone = torch.zeros(BATCH, QUERIES).long(), torch.zeros(BATCH, KEYS).long()
    mixed = torch.tensor(QUERY_AGENTS), torch.tensor(KEY_AGENTS)
    found = [attention(query, key, agents=a, key_agents=b) for a, b in (alone, mixed)]
    assert_close(*found)


def test_a_query_with_nobody_to_look_at_has_the_bias_of_the_output_and_no_gradient():
    attention, (query, key) = made(), sequences()
    query.requires_grad_()
    found = attention(
        query,
        key,
        agents=torch.tensor(QUERY_AGENTS),
        key_agents=torch.tensor(KEY_AGENTS),
        mask=torch.tensor([KEYS, 0]),
    )
    assert_close(found[1], attention.output_proj.bias.expand(QUERIES, -1))
    found.square().sum().backward()
    assert not query.grad[1].any()
    assert query.grad[0].any()


def test_later_positions_cannot_be_seen_under_a_causal_mask():
    attention = AgentAwareAttention(WIDTH, HEADS).double()
    x = torch.randn(BATCH, KEYS, WIDTH, dtype=torch.float64)
    changed = x.clone()
    changed[:, 4:] += 1
    found = [attention(y, agents=3, mask=masks.causal()) for y in (x, changed)]
    assert_close(found[0][:, :4], found[1][:, :4])
    assert not torch.allclose(found[0][:, 4:], found[1][:, 4:])


def test_some_heads_and_rows_of_the_weights_are_those_of_the_whole_map():
    attention, (query, key) = made(), sequences()
    with capture(attention) as record:
        attention(
            query, key, agents=torch.tensor(QUERY_AGENTS), key_agents=torch.tensor(KEY_AGENTS)
        )
    (look,) = record[""].looks
    whole = look.weigh()
    assert whole.shape == (BATCH, HEADS, QUERIES, KEYS)
    assert_close(look.weigh(heads=[1], rows=[3, 0]), whole[:, [1]][:, :, [3, 0]])


def test_dropped_weights_are_dropped_in_training_only():
    attention, (query, key) = made(dropout=0.5), sequences()
    agents = {"agents": torch.tensor(QUERY_AGENTS), "key_agents": torch.tensor(KEY_AGENTS)}
    assert not torch.equal(attention(query, key, **agents), attention(query, key, **agents))
    attention.eval()
    assert torch.equal(attention(query, key, **agents), made()(query, key, **agents))


@pytest.mark.usefixtures("without_shape_checks")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: AgentAwareAttention(7, 2), ShapeError, "2 heads share equally, got 7"),
        (lambda: AgentAwareAttention(6, 2, dropout=1.0), RangeError, "dropout of at least 0"),
        (
            lambda: made()(torch.zeros(5, 6), torch.zeros(7, 6), agents=3),
            ShapeError,
            "queries of width 6 and keys of width 4",
        ),
        (
            lambda: made()(*sequences(), agents=3, key_agents=torch.tensor(KEY_AGENTS)),
            DtypeError,
            "needs agents as a tensor beside key_agents, got int",
        ),
        (lambda: made()(*sequences(), agents=0), RangeError, "stride"),
        (
            lambda: made()(*sequences(), agents=torch.tensor(QUERY_AGENTS)),
            ShapeError,
            "one id for each of 7 key positions",
        ),
    ],
)
def test_mistakes_are_answered_in_one_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()
