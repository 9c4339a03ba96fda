"""Values written outside the package reach every path: the engine asks what they can, not who."""

import ast
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

import regard
from regard import attend, masks, plan, weigh
from regard.functional.forms import Form, Inner
from regard.functional.masks import PARTIAL, Mask, Padding, Reach
from regard.functional.normalisers import Normaliser
from regard.functional.scores import Score

SIZES = {"batch": 2, "heads": 3, "queries": 130, "keys": 130, "width": 5, "value": 7}


class Half(Normaliser):
    """Half of a softmax is none: nothing is told, so nothing is fused."""

    name = "half"

    def __call__(self, scores, allowed=None, at=None):
        return regard.normalisers.softmax(scores, allowed) / 2


class Boltzmann(Normaliser):
    """A softmax, written once more."""

    name = "boltzmann"
    is_softmax = True

    def __call__(self, scores, allowed=None, at=None):
        if allowed is None:
            allowed = torch.ones_like(scores, dtype=torch.bool)
        highest = scores.masked_fill(~allowed, -1e30).amax(-1, keepdim=True)
        heights = (scores - highest).exp() * allowed
        return heights / heights.sum(-1, keepdim=True).clamp(min=1e-30)


class Sparse(Normaliser):
    """A sparsemax by sorting, Martins and Astudillo 2016, algorithm 1."""

    name = "sorted_sparsemax"
    support_alpha = 2.0

    def __call__(self, scores, allowed=None, at=None):
        if allowed is not None:
            scores = scores.masked_fill(~allowed, -1e9)
        high = scores.sort(dim=-1, descending=True).values
        count = torch.arange(1, scores.shape[-1] + 1)
        inside = 1 + count * high > high.cumsum(-1)
        size = inside.sum(-1, keepdim=True)
        threshold = ((high * inside).sum(-1, keepdim=True) - 1) / size
        return (scores - threshold).clamp(min=0)


class Share(Normaliser):
    """Scores over their sum."""

    name = "share"
    shift_invariant = False
    is_proportion = True

    def __call__(self, scores, allowed=None, at=None):
        scores = scores if allowed is None else scores * allowed
        return scores / scores.sum(-1, keepdim=True)


class Told(Mask):
    """A mask with tiles that nothing is known of."""

    def tiles(self, rows, columns):
        return torch.full((len(rows.starts), len(columns.starts)), PARTIAL)


class NoFuture(Told):
    """Causal."""

    name = "no_future"
    is_causal = True

    def allowed(self, at, axes):
        return at.offsets <= 0


@dataclass(frozen=True, eq=False)
class Near(Told):
    """A window."""

    name = "near"
    left: int = 11
    right: int = 3

    def allowed(self, at, axes):
        return (at.offsets >= -self.left) & (at.offsets <= self.right)

    def reach(self):
        return Reach(self.left, self.right)


@dataclass(frozen=True, eq=False)
class Ended(Told):
    """The first keys of each sequence, as many as its text has characters."""

    texts: tuple[str, ...]
    name = "ended"
    padding: Padding = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "padding", masks.padding([len(text) for text in self.texts]))

    def allowed(self, at, axes):
        ends = torch.tensor([len(text) for text in self.texts])
        return at.columns < ends.view(-1, *[1] * (axes - 1))

    def key_lengths(self):
        return self.padding


class Checkers(Told):
    """A table of pairs, all at hand."""

    name = "checkers"
    is_stored = True

    def allowed(self, at, axes):
        return at.offsets.remainder(2) == 0


class Both(Told):
    """A conjunction of its own kind."""

    name = "both"

    def __init__(self, *conditions):
        object.__setattr__(self, "own", conditions)

    @property
    def conditions(self):
        return self.own

    def allowed(self, at, axes):
        first, second = (part.allowed(at, axes) for part in self.own)
        return first & second


class Silent(Told):
    """A window that does not tell."""

    name = "silent"

    def allowed(self, at, axes):
        return (at.offsets >= -11) & (at.offsets <= 3)


class Mirror(Score):
    """Minus the dot product, as a form of its own that says it is an inner product."""

    name = "mirror"

    def form(self, query, key):
        return Mirrored(query, key)

    def is_inner(self, mask=None):
        return True


class Mirrored(Form):
    def __init__(self, query, key):
        self.query, self.key = query, key

    @property
    def rows(self):
        return (self.query,)

    @property
    def columns(self):
        return (self.key,)

    def of_heads(self, heads):
        raise NotImplementedError

    def as_inner(self):
        return Inner(-self.query, self.key)

    def tile(self, rows, columns, shared, at):
        return -(rows[0] @ columns[0].mT)


def vectors():
    generator = torch.Generator().manual_seed(0)
    leading = SIZES["batch"], SIZES["heads"]
    shapes = [
        (*leading, SIZES["queries"], SIZES["width"]),
        (*leading, SIZES["keys"], SIZES["width"]),
        (*leading, SIZES["keys"], SIZES["value"]),
    ]
    return [torch.randn(shape, generator=generator, requires_grad=True) for shape in shapes]


ENDS = "x" * 57, "x" * 121
MASKS = {
    "causal": (NoFuture(), "lower"),
    "lengths": (Ended(ENDS), "lower"),
    "causal and lengths": (NoFuture() & Ended(ENDS), "lower"),
    "with ours": (masks.causal() & Ended(ENDS), "lower"),
    "own conjunction": (Both(NoFuture(), Ended(ENDS)), "lower"),
    "stored": (Checkers(), "lower"),
    "window": (Near(), "window"),
    "window and causal": (Near() & masks.causal(), "window"),
    "silent": (Silent(), "stream"),
}


@pytest.mark.parametrize("normalise", [Boltzmann(), "softmax"])
@pytest.mark.parametrize("name", MASKS)
def test_a_mask_and_a_normaliser_of_ones_own_run_fused(name, normalise):
    mask, path = MASKS[name]
    query, key, value = vectors()
    assert plan(query, key, value, mask=mask, normalise=normalise).path == path
    expected = attend(query, key, value, mask=mask, normalise=Boltzmann(), path="reference")
    found = attend(query, key, value, mask=mask, normalise=normalise)
    assert_close(found, expected)
    wanted = torch.autograd.grad(expected.sin().sum(), (query, key, value))
    assert_close(torch.autograd.grad(found.sin().sum(), (query, key, value)), wanted)


def test_a_path_is_asked_for_and_a_normaliser_that_tells_nothing_does_not_get_it():
    query, key, value = vectors()
    with pytest.raises(regard.errors.ChoiceError, match="half is no softmax"):
        attend(query, key, value, normalise=Half(), path="lower")
    assert plan(query, key, value, normalise=Half()).why.startswith("half is no softmax")
    for path in ("lower", "window"):
        with pytest.raises(regard.errors.ChoiceError, match="Silent"):
            attend(query, key, value, mask=Silent(), path=path)


def test_the_kernel_itself_is_called(monkeypatch):
    from regard.functional.engine import kernel as kernel_module

    calls = []

    def kernel(*args, **options):
        calls.append(options["is_causal"])
        return torch.nn.functional.scaled_dot_product_attention(*args, **options)

    monkeypatch.setattr(kernel_module, "scaled_dot_product_attention", kernel)
    query, key, value = vectors()
    attend(query, key, value, mask=NoFuture(), normalise=Boltzmann())
    attend(query, key, value, mask=Near(), normalise=Boltzmann())
    assert calls == [True, False]


def test_sparse_gradients_follow_the_support_of_a_normaliser_of_ones_own(monkeypatch, small_blocks):
    pytest.importorskip("numba")
    from regard.functional.engine import stream

    followed = []
    ours = stream.support_gradients

    def counted(*args):
        followed.append(args)
        return ours(*args)

    monkeypatch.setattr(stream, "support_gradients", counted)
    query, key, value = vectors()
    query = (3 * query).detach().requires_grad_()
    context = attend(query, key, value, normalise=Sparse(), score="dot", path="stream")
    found = torch.autograd.grad(context.sin().sum(), (query, key, value))
    assert followed
    expected = attend(query, key, value, normalise=Sparse(), score="dot", path="reference")
    wanted = torch.autograd.grad(expected.sin().sum(), (query, key, value))
    assert_close(context, expected, rtol=1e-4, atol=1e-4)
    assert_close(found, wanted, rtol=1e-4, atol=1e-4)


def test_shares_of_a_kernel_are_a_softmax():
    query, key, value = vectors()
    score = regard.scores.Gaussian(0.5)
    assert plan(query, key, value, score=score, normalise=Share()).path == "lower"
    far = query + 60  # every kernel underflows, its logarithm does not
    found = weigh(far, key, score=score, normalise=Share())
    assert_close(found.sum(-1), torch.ones(found.shape[:-1]))
    assert weigh(query, key, score="boxcar", normalise=Share()).shape == found.shape


def test_a_form_of_ones_own_that_is_an_inner_product_runs_fused(small_blocks):
    query, key, value = vectors()
    assert plan(query, key, value, score=Mirror()).path == "lower"
    expected = attend(-query, key, value, score="dot", path="reference")
    for path in ("auto", "stream", "reference"):
        assert_close(attend(query, key, value, score=Mirror(), path=path), expected)


PLAIN = {"Tensor", "str", "range", "float", "Real", "Mask"}
"""What an argument may be, whichever value it is."""


@pytest.mark.parametrize(
    "file",
    sorted(Path(regard.__path__[0], "functional", "engine").glob("*.py")),
    ids=lambda f: f.stem,
)
def test_the_engine_asks_no_value_for_its_class(file):
    calls = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if is_check(node)]
    asked = {x.id for call in calls for x in ast.walk(call.args[1]) if isinstance(x, ast.Name)}
    assert asked <= PLAIN


def is_check(node):
    named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return named and node.func.id == "isinstance"
