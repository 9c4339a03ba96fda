"""What compiled code says is what the model says."""

import pytest
import torch
from torch.testing import assert_close

from models.transformer.fast.test_paged import said
from models.transformer.sentences import sentences, tiny
from regard.decoding import BatchLimit, Beam, decode
from regard.kernels import threads as teams
from regard.kernels.available import without_numba
from regard.models.transformer.fast import compiled_decoder, plan
from regard.models.transformer.fast.compiled import CompiledDecoder, compiled_backend
from regard.models.transformer.fast.compiled_decoder import WORTH_PACKING
from regard.models.transformer.fast.eager import EagerDecoder, eager_backend
from regard.models.transformer.padding import trimmed

pytestmark = pytest.mark.usefixtures("without_shape_checks")


def small(**changes):
    """As the tests of this folder have it, in the numbers that are compiled."""
    return tiny(**changes).float()


def assert_same(found, expected):
    assert_close(found, expected, rtol=1e-4, atol=1e-5)


class Laid:
    """A model whose steps are compiled."""

    def __init__(self, model):
        self.backend = compiled_backend(model)
        self.model, self.step, self.last_weights = model, model.step, model.last_weights

    def start(self, source, lengths):
        return self.model.start(source, lengths, backend=self.backend)


@torch.no_grad()
def planned(model):
    """How steps would be computed by a model whose parameters last."""
    batch = sentences()
    return plan(model, trimmed(batch.source, batch.source_lengths), lasting=True).name


@pytest.fixture(params=[1, 2], ids=["one thread", "two threads"])
def threads(request):
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("position", ["sinusoidal", "none"])
@pytest.mark.parametrize("heads", [(2, 2), (4, 2)])
@torch.no_grad()
def test_compiled_steps_are_the_models_steps(threads, norm, position, heads):
    sizes = {"num_heads": heads[0], "num_key_heads": heads[1]}
    model, batch = small(norm=norm, position=position, **sizes), sentences()
    for expected, found in zip(said(model, batch), said(Laid(model), batch), strict=True):
        assert_same(found, expected)


@torch.no_grad()
def test_without_a_team_one_thread_does_it_all(monkeypatch):
    model, batch = small(), sentences()
    expected = list(said(model, batch))
    monkeypatch.setattr(teams, "_BORN", -1)
    assert teams.openmp_team() is None
    assert_same(list(said(Laid(model), batch)), expected)


@pytest.mark.parametrize(
    "choice", [{"activation": "gelu"}, {"position": "rotary"}, {"normalise": "sparsemax"}]
)
def test_what_cannot_be_compiled_is_not(choice):
    assert planned(small(**choice)) != "compiled"


def test_other_numbers_and_no_numba_are_not_compiled():
    assert planned(small()) == "compiled"
    assert planned(tiny()) == "eager"
    with without_numba():
        assert planned(small()) == "eager"


@torch.no_grad()
def test_a_first_sentence_is_not_worth_packing_and_the_next_is():
    model, batch = small(), sentences()
    steady, start = model.steady(), (batch.source, batch.source_lengths)
    assert isinstance(steady.start(*start).decoder, EagerDecoder)
    assert isinstance(steady.start(*start).decoder, CompiledDecoder)
    many = [each.repeat(WORTH_PACKING, *[1] * (each.dim() - 1)) for each in start]
    assert isinstance(model.steady().start(*many).decoder, CompiledDecoder)


@pytest.mark.parametrize("size", [1, 3])
def test_decoding_is_the_same_with_and_without(size, monkeypatch):
    model = small()
    generator = torch.Generator().manual_seed(1)
    sources = [torch.randint(4, 11, (n,), generator=generator).tolist() for n in (5, 2, 7, 3)]

    def answers():
        found = decode(model, sources, strategy=Beam(size=3), batch=BatchLimit(sentences=size))
        return [(best.tokens, best.score) for best, *_ in found]

    compiled = answers()
    monkeypatch.setattr(compiled_decoder, "compiled_backend", eager_backend)
    plain = answers()
    assert [tokens for tokens, _ in compiled] == [tokens for tokens, _ in plain]
    assert [score for _, score in compiled] == pytest.approx([score for _, score in plain])


def test_parameters_that_changed_between_two_calls_are_heeded():
    model, sources = small(), [[5, 6, 3]] * WORTH_PACKING
    before = decode(model, sources)[0][0].score
    with torch.no_grad():
        model.output.proj.weight.data.mul_(3)
    after = decode(model, sources)[0][0].score
    with without_numba():
        assert after == pytest.approx(decode(model, sources)[0][0].score)
    assert after != pytest.approx(before)
