"""Readers of passages beside plain loops; what must not matter to them."""

import pytest
import torch
from torch.testing import assert_close

from models.reading.small import MATCHINGS, passages, span_config
from reference import reading as reference
from regard.lens import capture
from regard.models import build
from regard.models.reading import Ends, Pointers, best_spans
from regard.models.reading.matching import Aligned, Flow
from regard.models.text import EmbeddingConfig, RecurrentEncoderConfig


def made(matching="flow", **changes):
    torch.manual_seed(0)
    return build(span_config(matching, **changes)).double().eval()


def doubled(read):
    return read._replace(features=read.features.double())


def test_attention_flow_is_that_of_plain_loops_and_the_lens_sees_both_ways():
    torch.manual_seed(0)
    module = Flow(5).double()
    passage, question = (torch.randn(2, n, 5, dtype=torch.double) for n in (7, 3))
    lengths, asked = torch.tensor([7, 4]), torch.tensor([2, 3])
    with capture(module) as record:
        found = module(passage, lengths, question, asked)
    w = [*module.w_passage.weight[0].tolist(), *module.w_question.weight[0].tolist()]
    w += module.w_both.tolist()
    for row, (n, j) in enumerate(zip(lengths.tolist(), asked.tolist(), strict=True)):
        g, a, b = reference.flow(passage[row, :n].tolist(), question[row, :j].tolist(), w)
        assert_close(found[row, :n], torch.tensor(g, dtype=torch.double))
        seen = record["to_question"].weights[row, :n, :j]
        assert_close(seen, torch.tensor(a, dtype=torch.double))
        told = record["to_passage"].weights[row, 0, :n]
        assert_close(told, torch.tensor(b, dtype=torch.double))


def test_the_aligned_question_is_that_of_plain_loops():
    torch.manual_seed(0)
    module = Aligned(5).double()
    passage, question = (torch.randn(1, n, 5, dtype=torch.double) for n in (4, 3))
    found = module(passage, question, torch.tensor([2]))
    p, q = (torch.relu(module.proj(x))[0].tolist() for x in (passage, question))
    for t in range(4):
        weights = reference.softmax([reference.dot(p[t], one) / 5**0.5 for one in q[:2]])
        mean = sum(w * question[0, j] for j, w in enumerate(weights))
        assert_close(found[0, t], mean)


@pytest.mark.parametrize("matching", MATCHINGS)
def test_padding_and_neighbours_do_not_matter(matching):
    model = made(matching)
    whole = doubled(passages())
    ends = model(whole)
    wide = doubled(passages())
    wide = wide._replace(
        passages=torch.nn.functional.pad(wide.passages, (0, 4)),
        features=torch.nn.functional.pad(wide.features, (0, 0, 0, 4), value=9.0),
    )
    for one, other in zip(ends, model(wide), strict=True):
        assert_close(other[:, :7], one)
        assert (other[:, 7:] == -torch.inf).all()
    alone = model(doubled(passages(questions=1)))
    for one, other in zip(ends, alone, strict=True):
        assert_close(other, one[:1])
        assert (one[2, 5:] == -torch.inf).all()


@pytest.mark.parametrize("matching", MATCHINGS)
def test_every_parameter_learns_and_the_question_matters(matching):
    model = made(matching).train()
    read = doubled(passages())
    begin, end = model(read)
    (begin[:, 1] - begin[:, 0] + end[:, 2] - end[:, 1]).sum().backward()
    missing = [name for name, one in model.named_parameters() if one.grad is None]
    assert missing == []
    other = read._replace(questions=read.questions.roll(1, dims=0))
    assert not torch.allclose(model(other).begin[0], begin[0])


def test_every_parameter_of_a_reader_has_a_right_gradient():
    tiny = RecurrentEncoderConfig(cell="rnn", hidden_dim=2, num_layers=1, dropout=0.0)
    model = made(embedding=EmbeddingConfig(dim=3, dropout=0.0), encoder=tiny, modelling=tiny)
    parameters = dict(model.named_parameters())
    sizes = [one.numel() for one in parameters.values()]
    flat = torch.cat([one.detach().flatten() for one in parameters.values()]).requires_grad_()
    read = doubled(passages(questions=2))

    def run(values):
        parts = zip(parameters.items(), values.split(sizes), strict=True)
        given = {name: part.view_as(one) for (name, one), part in parts}
        ends = torch.func.functional_call(model, given, (read,))
        return torch.stack([ends.begin[:, :5], ends.end[:, :5]])

    assert torch.autograd.gradcheck(run, (flat,), fast_mode=True)


def test_the_end_knows_where_the_answer_begins():
    torch.manual_seed(0)
    pointers = Pointers(5, 3).double()
    passage = torch.randn(1, 7, 5, dtype=torch.double)
    question = torch.randn(1, 3, dtype=torch.double)
    ends = pointers(passage, torch.tensor([6]), question)
    shares = ends.begin[0, :6].softmax(dim=-1)
    context = sum(share * one for share, one in zip(shares, passage[0], strict=False))
    after = pointers.step(context[None], question)
    expected = passage[0] @ pointers.end(after)[0]
    assert_close(ends.end[0, :6], expected[:6])
    assert ends.end[0, 6] == -torch.inf


@pytest.mark.parametrize("longest", [1, 3, 20])
def test_the_best_span_is_that_of_a_plain_loop(longest):
    generator = torch.Generator().manual_seed(1)
    begin, end = (torch.randn(4, 7, generator=generator) for _ in range(2))
    begin[0, 5:], end[0, 5:] = -torch.inf, -torch.inf
    found = best_spans(Ends(begin, end), longest=longest, count=3)
    for row in range(4):
        first, last, score = reference.best_span(begin[row].tolist(), end[row].tolist(), longest)
        assert (int(found.begins[row, 0]), int(found.ends[row, 0])) == (first, last)
        assert float(found.scores[row, 0]) == pytest.approx(score)
        assert found.scores[row].diff().max() <= 0
