"""Correct modules pass; broken ones fail on the one right check, in a sentence that says why."""

import math

import pytest
import torch
from torch import nn

from regard import masks
from regard.errors import CheckError, ChoiceError, RegardError
from regard.nn import BahdanauAttention
from regard.testing import CHECKS, Forward, check_attention, examine_attention
from testing import broken
from testing.plain import Plain, PlainCausal, PlainSelf, Stepwise, TorchMultihead

CORRECT = {
    "plain": (Plain, {}, {"causality", "cache"}),
    "plain self": (PlainSelf, {}, {"queries"}),
    "plain causal": (
        PlainCausal,
        {},
        {"queries", "permutation", "padding", "empty_rows", "capture"},
    ),
    "stepwise": (Stepwise, {}, {"causality", "cache"}),
    "torch multi-head": (TorchMultihead, {}, {"causality", "cache"}),
    "bahdanau": (lambda: BahdanauAttention(3, 5, 7), {}, {"causality"}),
}
"""By name: how it is made, its traits, and the checks that do not apply."""

BROKEN = [
    (broken.SoftmaxOverQueries, "distribution", r"sum to .* they sum to 1 over the queries"),
    (broken.SoftmaxOverQueriesUnseen, "queries", "query 0 changes by .* when only other queries"),
    (broken.SoftmaxOverPositionsUnseen, "queries", "all contexts together are what the positions"),
    (broken.LooksAtNothing, "looking", "no context depends on any other position"),
    (broken.LooksAtItsQuery, "looking", "no context depends on any key"),
    (broken.NeverNormalised, "distribution", r"is -\d\S*, not at least 0: are these scores"),
    (broken.InvertedMask, "distribution", "which it may not attend to.* the mask is inverted"),
    (broken.TransposedMask, "distribution", r"gives the weight 0\.\d+ to key \d, which it may not"),
    (broken.IgnoredMask, "distribution", "which it may not attend to.* −inf before the softmax"),
    (broken.MaskAfterSoftmax, "distribution", r"sum to 0\.\d+ under a mask, not 1: mask the sc"),
    (broken.FlatWeights, "distribution", r"3 sequences, 2 queries and 5 keys .* got \(3, 10\)"),
    (broken.MaskInvertedInSilence, "padding", "when only the content of padding changes"),
    (broken.NanOnEmptyRows, "empty_rows", "query 1 of sequence 1, which may attend to nothing, ha"),
    (broken.NanInTheGradient, "empty_rows", "the gradient of the query is not finite"),
    (broken.EqualWeightsOnEmptyRows, "empty_rows", "the weights of query 1 .* sum to 1, not 0"),
    (broken.MeanOnEmptyRows, "empty_rows", "keys it may not see: give it zero weights, not equal"),
    (broken.NanOnEmptySentences, "empty_rows", "query 1 of sequence 1, which may attend to noth"),
    (
        broken.PaddingInTheMean,
        "padding",
        r"of padding changes, by up to \d.* enter no mean",
    ),
    (broken.PaddingInTheCount, "padding", r"with 2 more masked keys the context differs by \d"),
    (broken.StatisticsOverTheBatch, "batch", "sequence 0 alone and in a batch of 3 differ by"),
    (broken.OrderOfKeysMatters, "permutation", "permuting the keys and their values changes the c"),
    (
        broken.OrderOfPositionsMatters,
        "permutation",
        "permuting the positions does not just",
    ),
    (broken.LooksAhead, "causality", "position 0 changes by .* later position 1 changes: k ≤ q"),
    (broken.CacheForgetsThePosition, "cache", "step 1 differs by .* the new position is number 1"),
    (broken.CacheForgetsTheOldest, "cache", "step 2 differs by .* only the last 2 of 3 positions"),
    (broken.CacheOneStepOff, "cache", "step 1 differs by .* sees itself and all 1 before it"),
    (broken.CacheWrittenInPlace, "cache", "taken twice from one cache .* must not write into the"),
    (broken.StepsUnlikeAll, "cache", "step 0 alone and among all steps at once differ by"),
    (broken.DropoutAtEval, "determinism", r"differ by \d.* at eval: drop weights .* self.training"),
    (broken.NanEverywhere, "determinism", "the context of ordinary inputs has NaN"),
    (broken.RemembersTheLastCall, "state", "after a call with other inputs, by .* keeps something"),
    (broken.CountsItsCalls, "state", "a call at eval changes 'calls' in the state dict"),
    (broken.LooseTensor, "state", r"'scale' is neither .* use register_buffer\('scale', …\)"),
    (broken.ForgetsOnLoading, "state", "after load_state_dict the context differs by"),
    (broken.CannotBeCopied, "state", "copy.deepcopy of it raised TypeError: there can be only one"),
    (broken.UnusedParameter, "gradient", "the parameter 'spare' gets no gradient"),
    (broken.DetachedKeys, "gradient", "the parameter 'query_proj.weight' gets no gradient"),
    (broken.WrongGradient, "gradient", "is not the derivative of the context, says gradcheck"),
    (broken.AnswersInFloat32, "dtype", "inputs in float64 give context in float32"),
    (broken.WeightsInFloat32, "dtype", "inputs in float64 give weights in float32"),
    (broken.FailsInHalf, "dtype", "in float16 it raised RuntimeError: pool is not implemented"),
    (broken.ShowsOtherWeights, "capture", "are not those used: pushing single values moves the c"),
    (broken.ShowsOtherWeightsOfItself, "capture", "the mean of what each key alone gives differs"),
]


@pytest.mark.parametrize("name", CORRECT)
def test_a_correct_module_passes_every_check_that_applies(name):
    make, traits, skipped = CORRECT[name]
    report = check_attention(make(), **traits)
    assert {result.name for result in report if result.verdict == "skipped"} == skipped
    assert all(result.why for result in report if result.verdict == "skipped")


@pytest.mark.parametrize(("make", "check", "sentence"), BROKEN)
def test_a_broken_module_fails_the_right_check_alone(make, check, sentence):
    report = examine_attention(make())
    assert [failure.name for failure in report.failures] == [check], str(report)
    name = f"^{make.__name__} fails the check '{check}': "
    with pytest.raises(CheckError, match=f"{name}.*{sentence}"):
        report.require()


@pytest.mark.parametrize("check", CHECKS)
def test_every_check_has_a_module_that_fails_it(check):
    assert check in {name for _, name, _ in BROKEN}


def test_a_failure_raises_an_error_of_ours_that_is_an_assertion():
    with pytest.raises(CheckError) as caught:
        check_attention(broken.SoftmaxOverQueries())
    assert isinstance(caught.value, RegardError)
    assert isinstance(caught.value, AssertionError)


def test_the_numbers_in_the_sentence_are_those_seen():
    module = Plain()
    module.normalise = lambda scores, allowed: torch.full_like(scores, 0.3)
    with pytest.raises(CheckError, match=r"query 0 sum to 1\.5, not 1: normalise over the keys"):
        check_attention(module)


def test_only_the_named_checks_run_and_in_their_own_order():
    report = check_attention(Plain(), only=["padding", "dtype"])
    assert [result.name for result in report] == ["dtype", "padding"]


def test_one_check_may_be_named_by_itself():
    assert [result.name for result in check_attention(Plain(), only="batch")] == ["batch"]


def test_without_the_check_it_fails_a_module_passes():
    wanted = [name for name in CHECKS if name != "gradient"]
    assert check_attention(broken.UnusedParameter(), only=wanted).passed


def test_an_unknown_check_is_told_with_all_that_are_known():
    with pytest.raises(ChoiceError, match=r"unknown check 'speed'\. Known: determinism, dtype, st"):
        check_attention(Plain(), only=["speed"])


def test_what_would_only_repeat_a_failure_is_skipped():
    report = examine_attention(broken.InvertedMask())
    for name in ("padding", "empty_rows", "capture"):
        assert report[name].verdict == "skipped"
        assert report[name].why == "it fails distribution: mend that first"


def test_nothing_is_compared_where_two_calls_differ():
    report = examine_attention(broken.DropoutAtEval())
    assert {result.verdict for result in report} == {"failed", "skipped"}


def test_the_module_and_the_randomness_are_left_as_they_were():
    module = broken.CountsItsCalls().train()
    before, draw = float(module.calls), torch.get_rng_state()
    examine_attention(module)
    assert float(module.calls) == before
    assert module.training
    assert all(p.grad is None and p.dtype == torch.float32 for p in module.parameters())
    assert torch.get_rng_state().equal(draw)


def test_the_number_of_threads_is_left_as_it_was():
    torch.set_num_threads(2)
    seen = set()
    module = Plain()
    module.register_forward_hook(lambda *_: seen.add(torch.get_num_threads()))
    examine_attention(module, only="batch")
    assert (seen, torch.get_num_threads()) == ({1}, 2)


def test_a_map_that_starts_at_zero_hides_no_mistake():
    class Asleep(broken.OrderOfKeysMatters):
        def __init__(self):
            super().__init__()
            self.output_proj = nn.Linear(7, 2)
            nn.init.zeros_(self.output_proj.weight)

        def pool(self, weights, value):
            return self.output_proj(weights @ value)

    module = Asleep()
    assert [failure.name for failure in examine_attention(module).failures] == ["permutation"]
    assert not module.output_proj.weight.any()


def test_a_call_of_ones_own_fits_any_signature():
    class Backwards(Plain):
        def forward(self, keys_and_values, query, *, forbidden=None):
            allowed = None if forbidden is None else ~forbidden
            return super().forward(query, *keys_and_values, allowed)[0]

    def call(module, query, key, value, allowed):
        return module((key, value), query, forbidden=None if allowed is None else ~allowed)

    report = check_attention(Backwards(), call=call)
    assert report["padding"].verdict == "passed"
    assert report["distribution"].why == "it shows no weights"


def test_a_call_of_ones_own_may_be_self_attention_without_masks():
    def call(module, query, key, value, allowed):
        assert query is key is value
        assert allowed is None
        return module(query)

    report = check_attention(PlainSelf(), call=call, itself=True, masks="none")
    assert report["padding"].why == "it takes no mask"
    assert report["permutation"].verdict == "passed"


def test_a_call_that_only_masks_keys_gets_one_row_for_all_queries():
    def call(module, query, key, value, allowed):
        if allowed is not None:
            assert (allowed == allowed[:, :1]).all()
        return module(query, key, value, allowed)

    assert check_attention(Plain(), call=call, masks="keys").passed


@pytest.mark.parametrize(
    "choices", [{"batch_first": True}, {}, {"kdim": 4, "vdim": 7}], ids=["batch", "", "widths"]
)
def test_bare_multihead_attention_of_torch_fails_on_empty_rows_alone(choices):
    """It is called as torch calls it: a mask of what is barred, and weights by head."""
    report = examine_attention(nn.MultiheadAttention(6, 2, **choices))
    assert [failure.name for failure in report.failures] == ["empty_rows"], str(report)
    skipped = {result.name for result in report if result.verdict == "skipped"}
    assert skipped == {"causality", "cache"}


class Unseen(PlainSelf):
    """Correct self attention that takes no mask and shows no weights."""

    step = None

    def forward(self, x):
        return super().forward(x)[0]


def test_correct_weights_that_nobody_sees_pass_and_so_does_a_residual():
    assert check_attention(Unseen())["queries"].verdict == "passed"

    class Residual(Unseen):
        def forward(self, x):
            return x + super().forward(x)[..., :3]

    assert check_attention(Residual())["queries"].verdict == "passed"


def test_equal_weights_and_single_positions_that_fail_are_no_reason_to_complain():
    class Mean(PlainSelf):
        step = None

        def forward(self, x):
            return self.value_proj(x).mean(dim=1, keepdim=True).expand(-1, x.shape[1], -1)

    report = examine_attention(Mean(), only=["looking", "queries"])
    assert report["queries"].why == "its weights are equal, or all on the position itself"

    class Long(Unseen):
        def forward(self, x):
            if x.shape[1] < 3:
                raise ValueError("too short")
            return super().forward(x)

    report = examine_attention(Long(), only=["looking", "queries"])
    assert report["queries"].why == "it cannot be called with a single position"


def test_a_report_ends_with_how_many_checks_passed():
    report = examine_attention(broken.LooksAtNothing())
    assert report.summary == "6 passed, 1 failed, 7 skipped"
    assert str(report).splitlines()[-1].strip() == report.summary
    assert repr(report) == f"Report(LooksAtNothing: {report.summary})"
    assert check_attention(Plain(), only=["dtype", "batch"]).summary == "2 passed"


def test_few_checks_are_warned_about():
    class Rigid(Unseen):
        """It has an order of its own, and needs five positions."""

        position = "a table"

        def forward(self, x):
            if x.shape[1] != 5:
                raise ValueError("five positions")
            return super().forward(x)

    few = "Rigid was put to few checks, 6 passed, 8 skipped: it shows no weights; it cannot be"
    with pytest.warns(UserWarning, match=few):
        assert check_attention(Rigid()).passed
    check_attention(Rigid(), only="batch")


def test_averaged_heads_are_not_the_weights_used():
    def call(module, query, key, value, allowed):
        context, weights = module(query, key, value, allowed)
        return context, weights.mean(dim=1)

    with pytest.raises(CheckError, match="fails the check 'capture'"):
        check_attention(TorchMultihead(), call=call)


def test_self_attention_by_a_call_of_the_library():
    class Optional(Plain):
        def forward(self, query, key=None, value=None, allowed=None):
            return super().forward(query, key, value, allowed)

    assert check_attention(Optional(), call=Forward(3, "allowed", "pairs")).passed


def test_positions_are_read_from_the_module():
    class Placed(PlainSelf):
        position = "a table"

        def pool(self, weights, value):
            return weights @ value.cumsum(dim=-2)

        def forward(self, x):
            return super().forward(x)[0]

        step = property()

    assert "order matters" in check_attention(Placed())["permutation"].why


def test_order_may_be_claimed():
    report = check_attention(broken.OrderOfKeysMatters(), ordered=True, only="permutation")
    assert report["permutation"].verdict == "skipped"


def test_a_mask_of_regard_makes_a_module_causal():
    class Own(PlainCausal):
        causal = None
        mask = masks.causal()

    assert check_attention(Own())["causality"].verdict == "passed"


@pytest.mark.parametrize(("total", "passes"), [("at most one", True), ("one", False)])
def test_weights_may_be_said_to_sum_to_less(total, passes):
    module = Plain()
    plain = module.normalise
    module.normalise = lambda scores, allowed: plain(scores, allowed) * 0.5
    assert examine_attention(module, total=total, only="distribution").passed == passes


def test_more_than_one_is_not_at_most_one():
    module = Plain()
    plain = module.normalise
    module.normalise = lambda scores, allowed: plain(scores, allowed) * 2
    with pytest.raises(CheckError, match="sum to 2, not at most 1"):
        check_attention(module, total="at most one")


def test_a_gate_behind_the_pooling_may_be_said():
    class Gated(Plain):
        def forward(self, query, key, value, allowed=None):
            context, weights = super().forward(query, key, value, allowed)
            return context * query.sum(dim=-1, keepdim=True).sigmoid(), weights

    assert not examine_attention(Gated(), only="capture").passed
    assert check_attention(Gated(), pooled=False)["capture"].why.startswith("the context is no lin")


def test_a_width_that_cannot_be_read_is_asked_for():
    class Bare(nn.Module):
        def forward(self, x):
            return (x @ x.mT / math.sqrt(x.shape[-1])).softmax(dim=-1) @ x

    with pytest.raises(ChoiceError, match=r"needs the width .* Bare has none .* pass query_dim=…"):
        check_attention(Bare())
    assert check_attention(Bare(), query_dim=3).passed


def test_too_few_keys_are_refused():
    with pytest.raises(ChoiceError, match="at least 3 keys to tell anything, got 2"):
        check_attention(Plain(), num_keys=2)


def test_a_module_that_takes_few_keys_gets_few():
    module = Plain()
    module.max_length = 4
    seen = set()
    module.register_forward_hook(lambda m, inputs, output: seen.add(inputs[1].shape[1]))
    assert check_attention(module).passed
    assert max(seen) == 4


def test_a_module_that_cannot_be_called_is_told_so():
    with pytest.raises(ChoiceError, match=r"could not call Plain as Forward.*RuntimeError.*call="):
        check_attention(Plain(), key_dim=9)


def test_a_forward_of_too_many_arguments_is_told_so():
    class Four(nn.Module):
        def forward(self, a, b, c, d):
            return a

    with pytest.raises(ChoiceError, match="needs 4 arguments, not 1, 2 or 3; pass call="):
        check_attention(Four(), query_dim=3)


class TakesMasks(PlainSelf):
    """Heads, and masks of one rank only."""

    def __init__(self, axes, num_heads):
        super().__init__()
        self.axes, self.num_heads = axes, num_heads

    def forward(self, x, mask=None):
        if mask is not None:
            if mask.dim() != self.axes:
                raise ValueError(f"needed {self.axes} axes")
            shape = {2: (-1, 1, mask.shape[-1]), 3: mask.shape, 4: mask[:, 0].shape}[self.axes]
            mask = mask[:, 0] if self.axes == 4 else mask.reshape(shape)
        return super().forward(x, mask)


@pytest.mark.parametrize(("axes", "form"), [(2, "keys"), (3, "pairs"), (4, "heads")])
def test_the_form_of_the_mask_is_found(axes, form):
    from regard.testing import discover
    from regard.testing.traits import sizes_of

    module = TakesMasks(axes, num_heads=3)
    assert discover(module, None, {}, sizes_of(module, {})) == Forward(1, "mask", form)
    assert check_attention(module).passed


def test_the_report_prints_as_a_table():
    text = str(examine_attention(broken.SoftmaxOverQueries()))
    assert text.splitlines()[0].strip() == "SoftmaxOverQueries"
    for word in (*CHECKS, "passed", "failed", "skipped", "mend that first"):
        assert word in text


def test_the_report_is_a_sequence_with_names():
    report = examine_attention(Plain(), only=["batch", "dtype"])
    assert len(report) == 2
    assert report[0] is report["dtype"]
    assert report.failures == []
    with pytest.raises(ChoiceError, match=r"no check 'cache' was run\. Run: dtype, batch\."):
        _ = report["cache"]


def test_several_failures_are_named():
    class Twice(broken.UnusedParameter):
        def pool(self, weights, value):
            return super().pool(weights, value).float()

        def forward(self, query, key, value, allowed=None):
            context, weights = super().forward(query, key, value, allowed)
            return context - context.mean(dim=0), weights

    with pytest.raises(CheckError, match=r"fails the check 'dtype'.* \(and it fails .*batch"):
        check_attention(Twice())
