"""Models whose every number is known in closed form."""

import math

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

from regard.lens import WithWeights, capture, edit
from regard.lens.faithfulness import faithfulness, weight_gradients
from regard.lens.faithfulness.removal import adversary, eraser, permuted
from regard.lens.faithfulness.subject import subject_of
from regard.lens.faithfulness.values import contributions
from regard.lens.maps import Tokens
from regard.lens.scene import Scene
from regard.nn import MultiHeadAttention

SCORES = [0.3, 1.9, -0.4, 1.1, 0.8]
"""Of the five places, whatever stands there."""
ALPHA = [math.exp(s) / sum(map(math.exp, SCORES)) for s in SCORES]


class Counted(nn.Module):
    """y = Σ αⱼ worth(xⱼ) against 0: places decide where to look, words what is there."""

    def __init__(self, worth):
        super().__init__()
        self.worth = nn.Parameter(torch.tensor(worth, dtype=torch.float64).unsqueeze(-1))

    def forward(self, ids, scores):
        key = scores[ids.shape[0] * [0]].unsqueeze(-1)
        query = torch.ones(len(ids), 1, 1, dtype=torch.float64)
        y = F.scaled_dot_product_attention(query, key, self.worth[ids], scale=1.0)  # (B, 1, 1)
        return torch.cat([y, torch.zeros_like(y)], dim=-1)


def counted(worth):
    """A model and its scene: words 1 to 5 in order; 0 is worth nothing."""
    model = Counted([0.0, *worth])
    scores = torch.tensor([SCORES], dtype=torch.float64)

    def forward(ids):
        kept = [n for n in range(5) if n + 1 in ids["input"][0]]
        whole = ids["input"].shape[1] == 5
        return model(ids["input"], scores if whole else scores[:, kept])

    return model, Scene({"input": Tokens(torch.tensor([[1, 2, 3, 4, 5]]))}, forward, unknown=0)


def explained(worth):
    model, scene = counted(worth)
    return faithfulness(model, scene, row=0, word=0, contrast=1)


def test_where_all_words_are_worth_the_same_attention_is_what_leaving_out_tells():
    found = explained([2.0] * 5)
    assert found["attention"].tolist() == pytest.approx(ALPHA)
    assert found["left out"].tolist() == pytest.approx([2 * a for a in ALPHA])
    assert found.agreements["attention"].tau == pytest.approx(1)
    assert found.verdict.startswith("attention agrees with leave-one-out here: τ = 1.00")


def test_dropping_a_word_renormalises_the_others():
    worth = [0.5, -1.0, 2.0, 0.3, 1.5]
    y = sum(a * w for a, w in zip(ALPHA, worth, strict=True))
    expected = [a * (w - y) / (1 - a) for a, w in zip(ALPHA, worth, strict=True)]
    found = explained(worth)
    assert found["dropped"].tolist() == pytest.approx(expected, abs=1e-6)
    assert found["cut link"].tolist() == pytest.approx(expected, abs=1e-6)
    gained = [max(0.0, a * w) for a, w in zip(ALPHA, worth, strict=True)]
    assert found["gradient × attention"].tolist() == pytest.approx(gained, abs=1e-6)


def test_where_what_is_looked_at_is_worth_nothing_the_verdict_says_so():
    found = explained([0.9, 0.0, 4.0, 0.1, 0.3])
    assert int(found["attention"].argmax()) == 1
    assert float(found["left out"][1]) == 0
    assert "attention does not agree with leave-one-out here" in found.verdict


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def test_comprehensiveness_and_sufficiency_are_those_of_the_closed_form():
    worth = [2.0] * 5
    model, scene = counted(worth)
    one = subject_of(model, scene, row=0, word=0, module=None, contrast=None)
    found = eraser(one, torch.tensor(ALPHA), 0)
    ranked = sorted(ALPHA, reverse=True)
    full, without, only = sigmoid(2.0), [], []
    for size in (1, 1, 1, 1, 2):  # 1, 5, 10, 20 and 50 % of five words
        without.append(full - sigmoid(2 * sum(ranked[size:])))
        only.append(full - sigmoid(2 * sum(ranked[:size])))
    assert found["comprehensiveness"] == pytest.approx(sum(without) / 5)
    assert found["sufficiency"] == pytest.approx(sum(only) / 5)
    assert found["comprehensiveness"] > found["comprehensiveness by chance"]
    assert found["sufficiency"] < found["sufficiency by chance"]


def test_other_weights_predict_the_same_where_all_words_are_worth_the_same_and_not_elsewhere():
    def subject(worth):
        return subject_of(*counted(worth), row=0, word=0, module=None, contrast=None)

    same, other = subject([2.0] * 5), subject([6.0, -6.0, 5.0, -5.0, 4.0])
    assert permuted(same, times=20) == pytest.approx(0, abs=1e-12)
    assert permuted(other, times=20) > 0.02
    far = adversary(same, steps=40, starts=1, rate=0.3)
    assert 0.2 < far <= math.log(2)
    assert explained([2.0] * 5).numbers["uniform weights Δ ln p"] == pytest.approx(0, abs=1e-12)


class Stack(nn.Module):
    """Two layers of one shape."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(5)
        self.layers = nn.ModuleList(MultiHeadAttention(6, 2) for _ in range(2)).double()

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x


def test_gradients_meet_the_weights_of_their_own_layer():
    model, x = Stack().eval(), torch.randn(1, 4, 6, dtype=torch.float64)
    with capture(model, graph=True) as record:
        y = model(x).square().sum()
    gradients = record.gradients(y)
    for name in ("layers.0", "layers.1"):
        look = record[name].looks[0]
        found = weight_gradients(gradients[name][0][0], look.value[0].detach())
        for place in ((0, 1, 2), (1, 3, 0)):
            ends = []
            for nudge in (1e-5, -1e-5):
                changed = look.weigh().clone()
                changed[(0, *place)] += nudge
                with torch.no_grad(), edit(model, WithWeights(name, changed)):
                    ends.append(float(model(x).square().sum()))
            slope = (ends[0] - ends[1]) / 2e-5
            assert float(found[place]) == pytest.approx(slope, rel=1e-6)


def test_contributions_sum_to_what_the_module_writes():
    model, x = Stack().eval(), torch.randn(1, 4, 6, dtype=torch.float64)
    module = model.layers[0]
    with torch.no_grad(), capture(module) as record:
        written = module(x)[0]
    look = record[""].looks[0]
    parts = contributions(
        look.weigh()[0], look.value[0], module.output_proj.weight.detach(), rows=torch.arange(4)
    )
    for query, table in enumerate(parts):
        torch.testing.assert_close(table.sum(0) + module.output_proj.bias, written[query])
