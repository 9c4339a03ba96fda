"""Interventions and swaps in models of ``transformers``: exact, causal, trainable, undone."""

import pytest
import torch
from torch.testing import assert_close

from lens.foreign.families import CAUSAL, FAMILIES, best, ids, inputs, made
from regard import masks, scores
from regard.functional.weigh import weigh
from regard.lens import capture, edit, effect, swap
from regard.lens.edits import CutLink, HeadOff, Patched, Uniform
from regard.nn.interop import from_hugging_face


def output(model, family, given=None):
    found = model(**(inputs(family) if given is None else given))
    return found[0] if "logits" not in found else found.logits


@pytest.mark.parametrize("family", FAMILIES)
def test_a_head_that_is_off_gives_nothing_and_comes_back(family):
    model = made(family, best(family))
    with torch.no_grad():
        plain = output(model, family)
        with edit(model, HeadOff("*", heads=[1])), capture(model) as record:
            edited = output(model, family)
        assert output(model, family).equal(plain)
    assert not edited.equal(plain)
    for look in record.looks:
        assert not look.context[:, 1].any()
        assert look.context[:, 0].any()


@pytest.mark.parametrize("family", FAMILIES)
def test_swapping_in_what_is_there_already_changes_nothing(family):
    model = made(family, best(family))
    with torch.no_grad():
        plain = output(model, family)
        with swap(model):
            swapped = output(model, family)
    real = slice(None) if family == "vit" else inputs(family).get("attention_mask")
    rows = real.bool() if isinstance(real, torch.Tensor) and len(plain[0]) == 9 else slice(None)
    assert_close(swapped[rows], plain[rows], atol=2e-4, rtol=1e-4)


@pytest.mark.parametrize("family", CAUSAL)
def test_a_swapped_causal_model_sees_nothing_that_comes_later(family):
    model, text = made(family, best(family)), ids(rows=2, length=7)
    other = text.clone()
    other[:, 5:] = 7
    with torch.no_grad(), swap(model, normalise="entmax15"):
        one, two = model(input_ids=text).logits, model(input_ids=other).logits
    assert_close(one[:, :5], two[:, :5])
    assert not torch.allclose(one[:, 5:], two[:, 5:])


def test_entmax_in_bert_is_entmax_in_our_own_attention_with_the_same_weights():
    bert = made("bert", "sdpa")
    given = inputs("bert", padded=True)
    name = "encoder.layer.1.attention"
    ours = from_hugging_face(bert.state_dict(), 3, prefix=f"{name}.", normalise="entmax15")
    layer, held = bert.get_submodule(name), {}

    def keep(module, args, kwargs, output):
        held["in"], held["out"] = args[0], output[0]

    handle = layer.self.register_forward_hook(keep, with_kwargs=True)
    with torch.no_grad(), swap(bert, f"{name}.self", normalise="entmax15"):
        bert(**given)
    handle.remove()
    allowed = given["attention_mask"].bool()
    with torch.no_grad(), capture(ours) as record:
        ours(held["in"], mask=allowed)
    context = record.looks[0].context.transpose(1, 2).flatten(2)
    assert_close(held["out"][allowed], context[allowed], atol=1e-5, rtol=1e-5)


def test_a_window_in_gpt2_and_another_scale():
    model, text = made("gpt2", "sdpa"), ids(rows=2, length=8)
    with torch.no_grad(), capture(model) as plain:
        model(input_ids=text)
    first = plain["transformer.h.0.attn"].looks[0]
    with (
        torch.no_grad(),
        swap(model, "transformer.h.0.attn", mask=masks.window(2, 0), score=scores.ScaledDot(0.1)),
        capture(model, ["transformer.h.0.attn"]) as record,
    ):
        model(input_ids=text)
    expected = weigh(first.query, first.key, score=scores.ScaledDot(0.1), mask=masks.window(2, 0))
    assert_close(record.looks[0].context, expected @ first.value, atol=1e-5, rtol=1e-5)


def test_t5_keeps_its_positions_when_its_score_is_swapped():
    model, given = made("t5", "sdpa"), inputs("t5", padded=False)
    name = "encoder.block.0.layer.0.SelfAttention"
    with torch.no_grad(), capture(model) as plain:
        model(**given)
    look = plain[name].looks[0]
    bias = look.scores() - look.query @ look.key.mT
    with torch.no_grad(), swap(model, name, score=scores.ScaledDot(0.2)), capture(model) as record:
        model(**given)
    expected = (0.2 * look.query @ look.key.mT + bias).softmax(dim=-1) @ look.value
    assert_close(record[name].looks[0].context, expected, atol=1e-4, rtol=1e-4)


def test_what_is_swapped_in_trains_with_the_model():
    model = made("bert", "sdpa")
    weight = torch.nn.Parameter(torch.eye(8))
    with swap(model, "encoder.layer.0.attention.self", score=scores.General(weight)):
        output(model, "bert").square().sum().backward()
    assert weight.grad is not None and weight.grad.any()
    assert model.encoder.layer[0].attention.self.query.weight.grad.any()
    model.zero_grad()


def test_cutting_a_link_moves_the_log_probability_as_a_rerun_by_hand():
    model, text = made("gpt2", "eager"), ids(rows=1, length=6)
    name, query, key, head = "transformer.h.1.attn", 5, 2, 1

    def log_p():
        return model(input_ids=text).logits[0, -1].log_softmax(-1)[9]

    found = effect(model, log_p, CutLink(name, query, key, heads=[head]))
    with torch.no_grad():
        maps = model(input_ids=text, output_attentions=True).attentions
    weights = maps[1][0, head, query].clone()
    with torch.no_grad(), capture(model, [name]) as record:
        model(input_ids=text)
    look = record.looks[0]
    weights[key] = 0
    new = (weights / weights.sum()) @ look.value[0, head]
    with torch.no_grad(), edit(model, Patched(name, _with_row(look.context, head, query, new))):
        after = log_p()
    assert_close(found.after, after, atol=1e-5, rtol=1e-5)
    assert abs(found.change.item()) > 1e-5


def _with_row(context, head, row, new):
    context = context.clone()
    context[0, head, row] = new
    return context


@pytest.mark.parametrize("family", ["llama", "t5"])
def test_uniform_weights_are_the_mean_of_what_may_be_seen(family):
    model, given = made(family, "sdpa"), inputs(family, padded=False)
    with torch.no_grad(), edit(model, Uniform("*")), capture(model) as record:
        model(**given)
    for look in record.looks:
        if look.kind == "cross":
            value = look.value.mean(dim=2, keepdim=True).expand_as(look.context)
            assert_close(look.context, value, atol=1e-4, rtol=1e-4)


def test_generation_is_edited_too():
    model, prompt = made("llama", "sdpa"), ids(rows=1, length=4)
    plain = model.generate(prompt, max_new_tokens=4, do_sample=False)
    with edit(model, HeadOff("*")):
        edited = model.generate(prompt, max_new_tokens=4, do_sample=False)
    assert model.generate(prompt, max_new_tokens=4, do_sample=False).equal(plain)
    assert edited.shape == plain.shape
