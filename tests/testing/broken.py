"""Attention modules with one mistake each: what the battery is for."""

import torch
from torch import nn

from testing.plain import Plain, PlainCausal, PlainSelf, Stepwise


class SoftmaxOverQueries(Plain):
    def normalise(self, scores, allowed):
        return scores.softmax(dim=-2)

    def forward(self, query, key, value):
        return super().forward(query, key, value)


class SoftmaxOverQueriesUnseen(SoftmaxOverQueries):
    """The same mistake where no weights are shown."""

    def forward(self, query, key, value):
        return super().forward(query, key, value)[0]


class SoftmaxOverPositionsUnseen(PlainSelf):
    """The same in self attention, with nothing to be seen and no mask to be tried."""

    step = None

    def normalise(self, scores, allowed):
        return scores.softmax(dim=-2)

    def forward(self, x):
        return super().forward(x)[0]


class LooksAtNothing(nn.Linear):
    """A linear map: positions never meet."""

    def __init__(self):
        super().__init__(3, 7)
        self.input_dim = 3


class LooksAtItsQuery(Plain):
    """The values are made of the queries."""

    def forward(self, query, key, value):
        return self.query_proj(query) + 0 * self.key_proj(key).sum()


class NeverNormalised(Plain):
    def normalise(self, scores, allowed):
        return scores if allowed is None else scores * allowed


class InvertedMask(Plain):
    def forward(self, query, key, value, allowed=None):
        return super().forward(query, key, value, None if allowed is None else ~allowed)


class TransposedMask(PlainSelf):
    def forward(self, x, mask=None):
        return super().forward(x, None if mask is None else mask.mT)


class IgnoredMask(Plain):
    def forward(self, query, key, value, allowed=None):
        return super().forward(query, key, value)


class MaskAfterSoftmax(Plain):
    def normalise(self, scores, allowed):
        weights = scores.softmax(dim=-1)
        return weights if allowed is None else weights * allowed


class FlatWeights(Plain):
    """Weights without the axis of queries."""

    def forward(self, query, key, value, allowed=None):
        context, weights = super().forward(query, key, value, allowed)
        return context, weights.flatten(1)


class MaskInvertedInSilence(PlainSelf):
    """The same mistake where no weights are shown."""

    def forward(self, x, mask=None):
        return super().forward(x, None if mask is None else ~mask)[0]


class NanOnEmptyRows(Plain):
    def normalise(self, scores, allowed):
        if allowed is not None:
            scores = scores.masked_fill(~allowed, -torch.inf)
        return scores.softmax(dim=-1)


class NanInTheGradient(Plain):
    def normalise(self, scores, allowed):
        if allowed is not None:
            scores = scores + torch.zeros_like(scores).masked_fill(~allowed, -torch.inf)
        return scores.softmax(dim=-1).nan_to_num(0.0)


class EqualWeightsOnEmptyRows(Plain):
    def forward(self, query, key, value, allowed=None):
        scores = self.scores(query, key)
        if allowed is not None:
            scores = scores.masked_fill(~allowed, -1e9)
        weights = scores.softmax(dim=-1)
        return weights @ value, weights


class MeanOnEmptyRows(Plain):
    """The same, with no weights to be seen."""

    def forward(self, query, key, value, allowed=None):
        return EqualWeightsOnEmptyRows.forward(self, query, key, value, allowed)[0]


class NanOnEmptySentences(Stepwise):
    def normalise(self, scores, allowed):
        return NanOnEmptyRows.normalise(self, scores, allowed)


class PaddingInTheMean(Plain):
    def pool(self, weights, value):
        return weights @ value - value.mean(dim=-2, keepdim=True)


class PaddingInTheCount(Plain):
    def pool(self, weights, value):
        return weights @ value * value.shape[-2]


class StatisticsOverTheBatch(Plain):
    def pool(self, weights, value):
        context = weights @ value
        return context - context.mean(dim=0, keepdim=True)


class OrderOfKeysMatters(Plain):
    def scores(self, query, key):
        return super().scores(query, key) + torch.arange(key.shape[-2]).to(key) / 3


class OrderOfPositionsMatters(PlainSelf):
    def pool(self, weights, value):
        return weights @ value.cumsum(dim=-2)

    step = None

    def forward(self, x):
        return super().forward(x)[0]


class LooksAhead(PlainCausal):
    def forward(self, x):
        return PlainSelf.forward(self, self.placed(x))


class CacheForgetsThePosition(PlainCausal):
    def step(self, x, cache=None):
        return PlainSelf.step(self, self.placed(x, 0), cache)


class CacheForgetsTheOldest(PlainCausal):
    def placed(self, x, start=0):
        return x

    def past(self, x, cache):
        return super().past(x, cache)[:, -2:]


class CacheOneStepOff(PlainCausal):
    def step(self, x, cache=None):
        placed = self.placed(x, 0 if cache is None else cache.shape[1])
        seen = placed if cache is None else cache
        context = self.pool(self.normalise(self.scores(placed, seen), None), self.value_proj(seen))
        return context, self.past(placed, cache)


class CacheWrittenInPlace(PlainCausal):
    def step(self, x, cache=None):
        cache = [] if cache is None else cache
        cache.append(self.placed(x, len(cache)))
        seen = torch.cat(cache, dim=1)
        weights = self.normalise(self.scores(cache[-1], seen), None)
        return self.pool(weights, self.value_proj(seen)), cache


class StepsUnlikeAll(Stepwise):
    """All steps at once are not the steps one by one."""

    def contexts(self, states, memory):
        keys, _ = memory
        return Plain.forward(self, states, keys, keys)[0]


class DropoutAtEval(Plain):
    def normalise(self, scores, allowed):
        return nn.functional.dropout(super().normalise(scores, allowed), 0.5)


class NanEverywhere(Plain):
    def pool(self, weights, value):
        return weights @ value * torch.nan


class RemembersTheLastCall(Plain):
    def __init__(self):
        super().__init__()
        self.last = 0.0

    def pool(self, weights, value):
        context = weights @ value + self.last
        self.last = float(context.detach().mean())
        return context


class CountsItsCalls(Plain):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def pool(self, weights, value):
        self.calls += 1
        return super().pool(weights, value)


class LooseTensor(Plain):
    def __init__(self):
        super().__init__()
        self.scale = torch.full((), 0.5)

    def pool(self, weights, value):
        return weights @ value * self.scale.to(value)


class ForgetsOnLoading(Plain):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(()))
        self._register_load_state_dict_pre_hook(self.drop_gain)

    def drop_gain(self, state, prefix, *_):
        state[prefix + "gain"] = state[prefix + "gain"] * 2

    def pool(self, weights, value):
        return weights @ value * self.gain


class CannotBeCopied(Plain):
    def __deepcopy__(self, memo):
        raise TypeError("there can be only one")


class UnusedParameter(Plain):
    def __init__(self):
        super().__init__()
        self.spare = nn.Parameter(torch.ones(2))


class DetachedKeys(Plain):
    def scores(self, query, key):
        return super().scores(query, key).detach()


class WrongBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 3


class WrongGradient(Plain):
    def pool(self, weights, value):
        return WrongBackward.apply(weights @ value)


class AnswersInFloat32(Plain):
    def pool(self, weights, value):
        return weights.float() @ value.float()


class WeightsInFloat32(Plain):
    def forward(self, query, key, value, allowed=None):
        context, weights = super().forward(query, key, value, allowed)
        return context, weights.float()


class FailsInHalf(Plain):
    def pool(self, weights, value):
        if value.dtype == torch.float16:
            raise RuntimeError("pool is not implemented for half")
        return super().pool(weights, value)


class ShowsOtherWeights(Plain):
    def forward(self, query, key, value, allowed=None):
        context, _ = super().forward(query, key, value, allowed)
        shown = Plain.normalise(self, 2 * self.scores(query, key), allowed)
        return context, shown if allowed is None else shown * allowed.any(dim=-1, keepdim=True)


class ShowsOtherWeightsOfItself(PlainSelf):
    def pool(self, weights, value):
        sharper = weights.square()
        total = sharper.sum(dim=-1, keepdim=True)
        return sharper / total.masked_fill(total == 0, 1) @ value
