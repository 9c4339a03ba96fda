"""The door of ``transformers``: caches, generation, threads, identity, and what is left behind."""

import inspect
import threading

import pytest
import torch
from torch.testing import assert_close

from lens.foreign.families import CAUSAL, best, ids, inputs, made
from regard.errors import ChoiceError, UnverifiedError
from regard.lens import capture
from regard.lens.foreign import interface
from regard.lens.foreign.call import InterfaceCall

transformers = pytest.importorskip("transformers")
modeling_utils = pytest.importorskip("transformers.modeling_utils")


def untouched():
    """Whether the interface is the library's own."""
    found = modeling_utils.AttentionInterface
    return "regard" not in inspect.getmodule(inspect.unwrap(found.get_interface)).__name__ and (
        not hasattr(found.get_interface, "__wrapped__") and "__getitem__" not in vars(found)
    )


def test_the_interface_is_the_librarys_own_before_and_after_and_after_an_exception():
    model = made("bert", "sdpa")
    assert untouched()
    with capture(model):
        assert not untouched()
        with capture(model):
            pass
        assert not untouched()
    assert untouched()
    with pytest.raises(ZeroDivisionError), capture(model):
        raise ZeroDivisionError
    assert untouched()


def test_another_model_that_runs_inside_the_block_is_not_heard():
    bert, gpt2 = made("bert", "sdpa"), made("gpt2", "sdpa")
    with torch.no_grad(), capture(bert) as record:
        gpt2(**inputs("gpt2"))
        assert len(record) == 0
        bert(**inputs("bert"))
    assert len(record.looks) == 2


@pytest.mark.parametrize("family", CAUSAL)
def test_steps_with_a_cache_look_where_the_whole_text_looks(family):
    model = made(family, best(family))
    text = ids(rows=2, length=6)
    with torch.no_grad(), capture(model) as whole:
        model(input_ids=text)
    with torch.no_grad(), capture(model) as steps:
        cache = None
        for part in text.split([3, 1, 2], dim=1):
            cache = model(input_ids=part, past_key_values=cache, use_cache=True).past_key_values
    for name, entry in whole.items():
        looks = steps[name].looks
        assert [look.num_queries for look in looks] == [3, 1, 2]
        assert {look.receipt.verdict for look in looks} == {"verified"}
        full, start = entry.looks[0].weigh(), 0
        for look in looks:
            stop = start + look.num_queries
            weights = look.weigh()
            # A window's cache forgets keys: what is left are the last ones.
            seen = full[..., start:stop, :stop]
            assert_close(weights, seen[..., -weights.shape[-1] :], atol=1e-5, rtol=0)
            start = stop
    sides = [passed["input"].ids for passed in steps.passes]
    assert [side.shape[1] for side in sides] == [3, 4, 6]
    assert sides[-1].equal(text)
    assert [passed.start for passed in steps.passes] == [0, 3, 4]


@pytest.mark.parametrize("kind", ["dynamic", "static"])
def test_every_look_of_a_generated_text_is_verified(kind):
    model, prompt = made("llama", "sdpa"), ids(rows=1, length=4)
    plain = model.generate(prompt, max_new_tokens=4, do_sample=False, cache_implementation=kind)
    with capture(model) as record:
        found = model.generate(prompt, max_new_tokens=4, do_sample=False, cache_implementation=kind)
    assert found.equal(plain)
    for entry in record.values():
        assert len(entry.looks) >= found.shape[1] - prompt.shape[1]
        assert {look.receipt.verdict for look in entry.looks} == {"verified"}


def test_the_steps_of_a_written_translation_are_heard_with_their_cross_attention():
    model = made("marian", "sdpa")
    with capture(model) as record:
        model.generate(ids(rows=1, length=5), max_new_tokens=3, do_sample=False, num_beams=1)
    cross = record["model.decoder.layers.0.encoder_attn"]
    assert {look.kind for look in cross.looks} == {"cross"}
    assert {look.num_keys for look in cross.looks} == {5}
    assert all(look.receipt.verdict == "verified" for look in cross.looks)


def test_two_threads_capture_two_models_and_each_sees_its_own():
    families, records, barrier = ("bert", "gpt2"), {}, threading.Barrier(2)

    def run(family):
        model = made(family, "sdpa")
        with torch.no_grad(), capture(model) as record:
            barrier.wait()
            for _ in range(3):
                model(**inputs(family))
            barrier.wait()
        records[family] = record

    threads = [threading.Thread(target=run, args=(family,)) for family in families]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for family in families:
        assert {len(entry.looks) for entry in records[family].values()} == {3}
        assert all(look.receipt.verdict == "verified" for look in records[family].looks)
    assert untouched()


def test_a_model_that_two_threads_run_is_heard_in_the_thread_that_watches():
    model, inside, done = made("bert", "sdpa"), threading.Event(), threading.Event()

    def other():
        inside.wait()
        with torch.no_grad():
            model(**inputs("bert"))
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with capture(model) as record:
        inside.set()
        done.wait()
        assert len(record) == 0
        with torch.no_grad():
            model(**inputs("bert"))
    thread.join()
    assert len(record) > 0


def test_a_layer_that_runs_several_times_has_a_look_for_each():
    with torch.no_grad(), capture(made("albert", "sdpa")) as record:
        made("albert", "sdpa")(**inputs("albert"))
    [entry] = record.values()
    assert [look.call for look in entry.looks] == [0, 1]


def test_gradient_checkpoints_do_not_look_twice():
    model = made("llama", "sdpa")
    model.gradient_checkpointing_enable()
    model.train()
    try:
        with capture(model) as record:
            model(**inputs("llama"), use_cache=False).logits.sum().backward()
    finally:
        model.gradient_checkpointing_disable()
        model.eval()
        model.zero_grad()
    assert {len(entry.looks) for entry in record.values()} == {1}


def test_gradients_of_contexts_give_those_of_every_weight():
    model, given = made("llama", "eager"), inputs("llama")
    output = model(**given, output_attentions=True)
    target = output.logits[0, -1].log_softmax(-1)[7]
    expected = torch.autograd.grad(target, output.attentions)
    fused = made("llama", "sdpa")
    with capture(fused, graph=True) as record:
        target = fused(**given).logits[0, -1].log_softmax(-1)[7]
    gradients = record.gradients(target)
    for (name, entry), wanted in zip(record.items(), expected, strict=True):
        [g], [look] = gradients[name], entry.looks
        value = look.value.repeat_interleave(3, dim=1)
        used = look.allowed()
        found, most = g @ value.mT, wanted.abs().max().item()
        assert_close(found[used], wanted[used], atol=1e-5 * most, rtol=1e-3)


def test_without_the_graph_a_gradient_is_refused():
    model = made("bert", "sdpa")
    with capture(model) as record:
        target = model(**inputs("bert")).last_hidden_state.sum()
    with pytest.raises(ChoiceError, match=r"needs its context with the graph .* graph=True"):
        record.gradients(target)


def test_dropout_that_is_on_is_said_and_not_checked():
    model = made("bert", "sdpa").train()
    try:
        with torch.no_grad(), capture(model) as record:
            model(**inputs("bert"))
    finally:
        model.eval()
    look = record.looks[0]
    assert (look.training, look.dropout) == (True, 0.1)
    assert str(look.receipt).startswith("not checked: dropout 0.1 was on")
    assert look.weigh().shape == (2, 3, 9, 9)


@pytest.mark.parametrize(
    ("family", "option", "wrong"),
    [
        ("gemma2", "softcap", None),
        ("gpt_oss", "s_aux", None),
        ("llama", "scaling", 0.9),
        ("t5", "position_bias", None),
    ],
)
def test_what_was_understood_wrongly_is_refused_and_force_shows_it(
    family, option, wrong, monkeypatch
):
    asked = InterfaceCall.asked

    def misread(self):
        self.options[option] = wrong
        return asked(self)

    monkeypatch.setattr(InterfaceCall, "asked", misread)
    model = made(family, best(family))
    with torch.no_grad(), capture(model) as record:
        model(**inputs(family))
    look = record.looks[0]
    assert look.receipt.verdict == "unverified"
    with pytest.raises(UnverifiedError, match=r"is unverified: .* force=True shows"):
        look.weigh()
    assert look.weigh(force=True).shape == look.shape


def test_a_mask_that_was_dropped_is_refused(monkeypatch):
    monkeypatch.setattr(InterfaceCall, "causal", False)
    model = made("gpt2", "sdpa")
    with torch.no_grad(), capture(model) as record:
        model(input_ids=ids())
    assert record.looks[0].receipt.verdict == "unverified"


def test_an_interface_of_another_shape_is_one_clear_error(monkeypatch):
    class Other:
        def get_interface(self, something):
            """Another signature."""

    monkeypatch.setattr(modeling_utils, "AttentionInterface", Other)
    with (
        pytest.raises(ChoiceError, match=r"needs the attention interface of transformers 4\.48"),
        capture(made("bert", "sdpa")),
    ):
        pass
    assert not interface._LISTENERS


def test_a_picture_has_its_grid_and_what_stands_before_it():
    with torch.no_grad(), capture(made("vit", "sdpa")) as record:
        made("vit", "sdpa")(**inputs("vit"))
    side = record.inputs["input"]
    assert (side.grid, side.before) == ((3, 3), 1)
    assert record.looks[0].num_keys == 1 + 3 * 3


def test_lengths_are_those_of_the_mask():
    with torch.no_grad(), capture(made("bert", "sdpa")) as record:
        made("bert", "sdpa")(**inputs("bert"))
    assert record.inputs["input"].lengths.tolist() == [9, 6]
    assert record.looks[0].inputs is record.inputs


def test_some_modules_by_name():
    model = made("bert", "sdpa")
    with torch.no_grad(), capture(model, ["encoder.layer.1.attention.self"]) as record:
        model(**inputs("bert"))
    assert list(record) == ["encoder.layer.1.attention.self"]
