"""Models in which it is known what matters: the verdict says so."""

import pytest
import torch
from torch import nn

from regard.lens.faithfulness import faithfulness
from regard.lens.maps import Tokens
from regard.lens.scene import Scene
from regard.models import build
from regard.nn import MultiHeadAttention

WORDS, WIDTH, LENGTH = 12, 8, 7
SIZES = {"embedding_dim": 5, "hidden_dim": 6, "attention_dim": 7, "readout_dim": 8}


class Bag(nn.Module):
    """One query looks at words; what it finds decides between two labels."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.attention = MultiHeadAttention(WIDTH, 2, bias=False)
        self.output = nn.Linear(WIDTH, 2, bias=False)
        with torch.no_grad():
            self.attention.in_proj.weight[: 2 * WIDTH] *= 1.5

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        found = self.attention(self.embedding(ids))
        return self.output(found)


@pytest.fixture(scope="module")
def told():
    model = Bag().eval()
    ids = torch.randint(1, WORDS, (1, LENGTH), generator=torch.Generator().manual_seed(1))
    scene = Scene({"input": Tokens(ids)}, lambda given: model(given["input"]), unknown=0)
    return model, scene, faithfulness(model, scene, row=2, word=1)


def test_every_column_has_a_number_for_every_key(told):
    _, _, found = told
    names = [one.name for one in found.columns]
    assert {"attention", "value norm", "ALTI", "rollout", "flow", "value zeroing"} <= set(names)
    assert {"gradient × attention", "relevance", "cut link", "knocked out", "dropped"} <= set(names)
    assert all(len(one.values) == LENGTH for one in found.columns)
    assert "here: τ = " in found.verdict
    assert found.to_json()["verdict"] == found.verdict


def test_cutting_a_link_is_what_its_gradient_says_where_the_output_is_linear(told):
    model, scene, found = told
    assert float(found["rollout"].sum()) == pytest.approx(1)
    assert float(found["value zeroing"].sum()) == pytest.approx(1)
    with torch.no_grad():
        before = scene.run()[0, 2].log_softmax(-1)[1]
        ids = scene.ids["input"].clone()
        ids[0, 4] = 0
        after = model(ids)[0, 2].log_softmax(-1)[1]
    assert float(found["left out"][4]) == pytest.approx(float(before - after), abs=1e-6)


def test_the_model_is_left_as_it_was(told):
    model, scene, found = told
    again = faithfulness(model.train(), scene, row=2, word=1)
    assert model.training
    model.eval()
    torch.testing.assert_close(found["attention"], again["attention"])


def test_a_token_that_is_looked_at_and_has_no_value_is_no_explanation():
    weights = torch.tensor([[[0.7, 0.1, 0.2]]])
    value = torch.tensor([[[0.0, 0.0], [1.0, 0.5], [0.2, -0.3]]])
    from regard.lens.faithfulness import agreement, value_norms

    norms = value_norms(weights, value, torch.eye(2))[0]
    assert int(weights[0, 0].argmax()) == 0
    assert float(norms[0]) == 0
    assert not agreement(weights[0, 0], norms).agrees


def test_of_a_decoder_that_takes_steps_the_row_is_the_step_that_is_asked_about():
    torch.manual_seed(0)
    model = build("bahdanau-small", source_vocab=11, target_vocab=12, **SIZES).eval()
    source, target = torch.tensor([[4, 5, 6, 7, 3]]), torch.tensor([[2, 8, 9, 10]])

    def forward(ids):
        lengths = torch.tensor([ids["input"].shape[1]])
        return model.output(model.decode_parallel(ids["input"], lengths, ids["target"]).features)

    scene = Scene({"input": Tokens(source), "target": Tokens(target)}, forward, unknown=1)
    with torch.no_grad():
        told = model.decode_parallel(source, torch.tensor([5]), target, aligned=True).weights[0]
    for row in (0, 2):
        found = faithfulness(model, scene, row=row, word=5)
        torch.testing.assert_close(found["attention"], told[row].double())
        assert found["cut link"].abs().max() > 1e-6
        (untouched,) = (one for one in found.columns if one.name == "dropped")
        assert untouched.values.abs().min() > 0
