"""Capture sees where every attention looks, costs nothing unasked, and leaves nothing behind."""

import copy
import io
import json
import math

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from regard import masks, plan, scores
from regard.errors import ChoiceError
from regard.functional import events
from regard.functional.engine.plan import RUN
from regard.functional.events import StoredWeights
from regard.lens import attention_modules, capture
from regard.nn import AttentionModule, BahdanauAttention


class Attending(AttentionModule):
    """``regard.attend`` as a module: what it was made with is what it attends with."""

    def __init__(self, **choices):
        super().__init__()
        self.choices = choices

    def forward(self, query, key, value):
        return self.attend(query, key, value, **self.choices)


class Gate(events.Observable):
    """Weights that come another way."""

    def forward(self, x):
        gate = x.sigmoid()
        if self.watchers:
            self.notify(StoredWeights(gate.detach()))
        return x * gate


class Decoder(nn.Module):
    """Looks back at its memory, step by step."""

    def __init__(self):
        super().__init__()
        self.cross = BahdanauAttention(3, 5, 7)

    def forward(self, states, keys, lengths=None):
        memory = self.cross.prepare(keys, lengths)
        return torch.stack([self.cross(s, memory)[0] for s in states.unbind(1)], dim=1)


class Model(nn.Module):
    """Attention at several depths."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Attending(), Attending(mask="causal")])
        self.decoder = Decoder()

    def forward(self, x, states):
        for layer in self.layers:
            x = layer(x, x, x)
        return self.decoder(states, x)


def drawn(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def inputs(length=11):
    return drawn(2, 3, length, 5), drawn(2, 3, length, 5), drawn(2, 3, length, 7)


LONG = 160
"""So long that the map is no longer small, and paths differ."""

PATHS = {
    "lower": {},
    "window": {"mask": masks.window(2, 3)},
    "stream": {"normalise": "sparsemax"},
    "reference": {"normalise": "sparsemax"},
}


@pytest.mark.parametrize("path", PATHS)
def test_the_context_is_the_captured_weights_times_the_values_on_every_path(path):
    choices = PATHS[path]
    query, key, value = inputs(11 if path == "reference" else LONG)
    assert plan(query, key, value, **choices).path == path
    module = Attending(**choices)
    with capture(module) as record:
        context = module(query, key, value)
    assert_close(record[""].weights @ value, context)


@pytest.mark.parametrize("path", PATHS)
def test_a_watched_module_takes_the_same_path_to_the_same_numbers(path, monkeypatch):
    taken = []
    for name, run in list(RUN.items()):
        monkeypatch.setitem(RUN, name, lambda task, n=name, r=run: (taken.append(n), r(task))[1])
    query, key, value = inputs(11 if path == "reference" else LONG)
    module = Attending(**PATHS[path])
    unwatched = module(query, key, value)
    with capture(module):
        watched = module(query, key, value)
    assert taken == [path, path]
    assert watched.equal(unwatched)


def test_captured_weights_are_those_of_the_formula():
    query, key, value = inputs()
    module = Attending(mask="causal")
    with capture(module) as record:
        module(query, key, value)
    score = query @ key.mT / math.sqrt(5)
    later = torch.ones(11, 11, dtype=torch.bool).triu(1)
    assert_close(record[""].weights, score.masked_fill(later, -math.inf).softmax(dim=-1))


@pytest.mark.parametrize("score", ["cosine", "euclidean", scores.Alibi(3) + scores.ScaledDot()])
@pytest.mark.parametrize("normalise", ["softmax", "entmax15", "sigmoid", "hard"])
def test_captured_weights_pool_to_the_context_for_other_choices(score, normalise):
    query, key, value = inputs()
    module = Attending(score=score, normalise=normalise, mask=masks.padding([4, 11]))
    with capture(module) as record:
        context = module(query, key, value)
    assert_close(record[""].weights @ value, context)


def test_a_sampled_look_is_the_one_that_was_taken():
    query, key, value = inputs()
    module = Attending(normalise="sample")
    with capture(module) as record:
        context = module(query, key, value)
    torch.manual_seed(1)
    assert_close(record[""].weights @ value, context)


def test_nested_modules_have_their_names():
    model, x, states = Model(), torch.randn(2, 5, 5), torch.randn(2, 3, 3)
    with capture(model) as record:
        model(x, states)
    assert list(record) == ["layers.0", "layers.1", "decoder.cross"]
    assert record["layers.0"].weights.shape == (2, 5, 5)
    assert not record["layers.1"].weights.triu(1).any()


def test_the_steps_of_a_decoder_are_the_rows_of_one_map():
    decoder, states, keys = Decoder().double(), drawn(2, 3, 3), drawn(2, 5, 5)
    with capture(decoder) as record:
        contexts = decoder(states, keys, torch.tensor([3, 5]))
    entry = record["cross"]
    assert len(entry.looks) == 3
    assert entry.weights.shape == (2, 3, 5)
    assert not entry.weights[0, :, 3:].any()
    assert_close(entry.weights @ keys, contexts)


def test_all_steps_at_once_look_where_single_steps_look():
    decoder, states, keys = Decoder().double(), drawn(2, 3, 3), drawn(2, 5, 5)
    with capture(decoder) as stepwise:
        decoder(states, keys)
    with capture(decoder) as at_once:
        decoder.cross.contexts(states, decoder.cross.prepare(keys))
    assert len(at_once["cross"].looks) == 1
    assert_close(at_once["cross"].weights, stepwise["cross"].weights)


def test_several_calls_are_several_looks():
    module = Attending()
    with capture(module) as record:
        module(*inputs(5))
        module(*inputs(7))
    assert [look.weigh().shape[-1] for look in record[""].looks] == [5, 7]


def test_gates_are_captured_as_they_are():
    x, gate = torch.randn(2, 3), Gate()
    with capture(gate) as record:
        gate(x)
    assert record[""].weights.equal(x.sigmoid())


def test_nobody_watches_after_the_block():
    model, x, states = Model(), torch.randn(2, 5, 5), torch.randn(2, 3, 3)
    with capture(model) as record:
        model(x, states)
    model(x, states)
    assert len(record["decoder.cross"].looks) == 3
    assert all(not m.watchers for m in model.modules() if isinstance(m, events.Observable))


def test_nobody_watches_after_an_exception():
    module = Attending()
    with pytest.raises(ZeroDivisionError), capture(module) as record:
        module(*inputs())
        raise ZeroDivisionError
    assert module.watchers == []
    assert len(record[""].looks) == 1


def test_two_captures_see_the_same_and_end_apart():
    module = Attending()
    with capture(module) as outer:
        with capture(module) as inner:
            module(*inputs())
        module(*inputs())
    assert (len(outer[""].looks), len(inner[""].looks)) == (2, 1)


def test_without_a_capture_nothing_is_told(monkeypatch):
    def never(*_):
        raise AssertionError("told without anybody watching")

    monkeypatch.setattr(events.Observable, "notify", never)
    Model()(torch.randn(2, 5, 5), torch.randn(2, 3, 3))
    Gate()(torch.randn(2, 3))


def test_weights_are_computed_when_they_are_asked_for_and_once(monkeypatch):
    asked, weigh = [], events.weigh
    monkeypatch.setattr(events, "weigh", lambda *a, **k: (asked.append(k), weigh(*a, **k))[1])
    module = Attending()
    with capture(module) as record:
        module(*inputs())
    assert asked == []
    assert record[""].weights is record[""].weights
    assert [k["rows"] is None for k in asked] == [False, True]  # some rows are checked before


def test_some_rows_and_heads_are_those_of_the_whole_map():
    module = Attending(mask="causal")
    with capture(module) as record:
        module(*inputs())
    entry = record[""]
    assert_close(entry.weigh(rows=slice(2, 5), heads=1), entry.weights[:, 1, 2:5])
    assert_close(entry.weigh(rows=3), entry.weights[..., 3, :])
    assert_close(entry.weigh(heads=[2, 0]), entry.weights[:, [2, 0]])


def test_rows_do_not_build_the_map():
    # The whole map would be 4 TB.
    long = torch.randn(1_000_000, 2)
    look = events.Attended(long, long)
    assert look.weigh(rows=slice(0, 2)).shape == (2, 1_000_000)


def test_training_on_does_not_change_what_was_seen():
    attention, states, keys = BahdanauAttention(3, 5, 7).double(), drawn(2, 3, 3), drawn(2, 5, 5)
    with capture(attention) as record:
        contexts = attention.contexts(states, attention.prepare(keys))
    with torch.no_grad():
        for p in attention.parameters():
            p.zero_()
    assert_close(record[""].weights @ keys, contexts)


def test_parameters_inside_a_sum_of_scores_are_kept_too():
    table = nn.Parameter(drawn(3, 5))
    query, key, value = inputs()
    module = Attending(score=scores.ScaledDot() + scores.Relative(table))
    with capture(module) as record:
        context = module(query, key, value)
    with torch.no_grad():
        table.zero_()
    assert_close(record[""].weights @ value, context)


def test_captured_weights_carry_no_gradient_and_the_model_keeps_its_own():
    query, key, value = (x.requires_grad_() for x in inputs())
    module = Attending()
    plain = torch.autograd.grad(module(query, key, value).square().sum(), (query, key, value))
    with capture(module) as record:
        context = module(query, key, value)
    watched = torch.autograd.grad(context.square().sum(), (query, key, value))
    assert not record[""].weights.requires_grad
    for one, other in zip(plain, watched, strict=True):
        assert one.equal(other)


def test_weights_are_those_before_dropout():
    query, key, value = inputs()
    module = Attending(dropout=0.9)
    with capture(module) as record:
        module.train()(query, key, value)
    assert_close(record[""].weights.sum(dim=-1), torch.ones(2, 3, 11, dtype=torch.float64))


def test_a_query_without_keys_is_captured_with_zero_weights():
    module = Attending(mask=masks.padding([0, 5]))
    with capture(module) as record:
        module(*inputs())
    assert not record[""].weights[0].any()


def test_a_deepcopy_made_inside_the_block_is_not_watched():
    model = Model()
    with capture(model) as record:
        twin = copy.deepcopy(model)
        assert all(not m.watchers for m in twin.modules() if isinstance(m, events.Observable))
        twin(torch.randn(2, 5, 5), torch.randn(2, 3, 3))
    assert len(record) == 0


def test_a_module_saved_inside_the_block_is_not_watched():
    module, file = BahdanauAttention(3, 5, 7), io.BytesIO()
    with capture(module):
        torch.save(module, file)
        file.seek(0)
        with torch.serialization.safe_globals([BahdanauAttention, nn.Linear, set]):
            loaded = torch.load(file, weights_only=True)
    assert loaded.watchers == []


def test_a_module_that_occurs_twice_has_its_first_name():
    shared = Attending()
    model = nn.ModuleDict({"first": shared, "second": shared})
    with capture(model) as record:
        model["second"](*inputs())
    assert list(record) == ["first"]
    assert len(record["first"].looks) == 1


def test_a_model_without_attention_is_refused():
    with (
        pytest.raises(ChoiceError, match=r"needs a model with attention .*, Linear has none"),
        capture(nn.Linear(2, 3)),
    ):
        pass


def test_the_record_of_a_model_is_json():
    model, x, states = Model(), torch.randn(2, 5, 5), torch.randn(2, 3, 3)
    with capture(model) as record:
        model(x, states)
    read = json.loads(json.dumps(record.to_json(), allow_nan=False))
    assert list(read) == ["layers.0", "layers.1", "decoder.cross"]
    steps = torch.tensor(read["decoder.cross"]["weights"])  # (steps, B, 1, K)
    assert_close(steps.squeeze(2).transpose(0, 1), record["decoder.cross"].weights)


def test_some_modules_can_be_captured_by_name():
    model, x, states = Model(), torch.randn(2, 5, 5), torch.randn(2, 3, 3)
    assert list(attention_modules(model)) == ["layers.0", "layers.1", "decoder.cross"]
    with capture(model, ["decoder.cross"]) as record:
        model(x, states)
    assert list(record) == ["decoder.cross"]
    assert all(not module.watchers for module in attention_modules(model).values())


def test_a_name_that_is_none_is_refused():
    with (
        pytest.raises(ChoiceError, match=r"no attention module is called 'cross'. Known: 'layers"),
        capture(Model(), ["layers.0", "cross"]),
    ):
        pass
