"""Every system computes what its race says: compared with plain Python, head by head."""

import math
from functools import partial
from itertools import product

import pytest
import torch

from benchmarks.case import Case
from benchmarks.inputs import Inputs, make_inputs
from benchmarks.peers import SYSTEMS
from benchmarks.step import disagreement, prepare
from reference import attention, masks, normalisers, scores

HEADS, WIDTH = 2, 4
N = 9  # a multiple of the window: local-attention sees its own padding otherwise
SHAPE = (5, HEADS, N, WIDTH)

PAIRS = {
    **dict.fromkeys(("softmax", "window", "sparsemax", "entmax15", "layer"), scores.scaled_dot),
    "cosine": scores.cosine,
    "euclidean": scores.euclidean,
    "gaussian": partial(scores.gaussian, 8.0),
}

CASES = [
    *(Case("softmax", SHAPE, mask=mask) for mask in ("plain", "causal", "padded")),
    *(Case("window", SHAPE, mask=mask, window=3) for mask in ("back", "around")),
    *(
        Case(mechanism, SHAPE)
        for mechanism in (
            "additive",
            "sparsemax",
            "entmax15",
            "general",
            "cosine",
            "euclidean",
            "gaussian",
            "layer",
        )
    ),
    Case("alibi", SHAPE, mask="causal"),
]

CONTESTS = [
    pytest.param(case, name, id=f"{case.title}-{name}")
    for case, (name, system) in product(CASES, SYSTEMS.items())
    if system.can(case) and system.same_answer and name != "flex"
]


def table_of_scores(case: Case, inputs: Inputs, head: int, query, key):
    if case.mechanism == "additive":
        eye = torch.eye(WIDTH).tolist()
        pair = partial(scores.additive, inputs.parameters["v"].tolist(), eye, eye)
    elif case.mechanism == "general":
        pair = partial(scores.general, inputs.parameters["weight"].tolist())
    elif case.mechanism == "alibi":
        slope = scores.alibi_slopes(HEADS)[head]
        bias = [[scores.alibi(slope, i, j) for j in range(N)] for i in range(N)]
        return scores.added(scores.table(scores.scaled_dot, query, key), bias)
    else:
        pair = PAIRS[case.mechanism]
    return scores.table(pair, query, key)


def allowed_pairs(case: Case, length: int):
    condition = {
        "plain": masks.everything(),
        "causal": masks.causal(),
        "padded": masks.padding(length),
        "back": masks.window(3, 0),
        "around": masks.window(3, 3),
    }[case.mask]
    return masks.table(condition, N, N)


def normaliser_of(case: Case):
    if case.mechanism == "entmax15":
        return normalisers.entmax(1.5)
    name = {"sparsemax": "sparsemax", "gaussian": "proportional"}.get(case.mechanism, "softmax")
    return getattr(normalisers, name)


def expected(case: Case, inputs: Inputs) -> torch.Tensor:
    """The context in plain Python; projections of a layer in float64."""
    query, key, value = (x.double() for x in (inputs.query, inputs.key, inputs.value))
    if case.mechanism == "layer":
        projected = query @ inputs.parameters["in_weight"].double().t()
        query, key, value = projected.view(5, N, 3, HEADS, WIDTH).permute(2, 0, 3, 1, 4)
    context = torch.empty(SHAPE, dtype=torch.float64)
    for batch, head in product(range(5), range(HEADS)):
        q, k, v = (x[batch, head].tolist() for x in (query, key, value))
        allowed = allowed_pairs(case, int(inputs.lengths[batch]))
        table = table_of_scores(case, inputs, head, q, k)
        weights = attention.weights(table, allowed, normaliser_of(case))
        context[batch, head] = torch.tensor(attention.pool(weights, v, WIDTH))
    if case.mechanism == "layer":
        joined = context.transpose(1, 2).flatten(2)
        return joined @ inputs.parameters["out_weight"].double().t()
    return context


@pytest.mark.filterwarnings("ignore")  # of the peers, on import
@pytest.mark.parametrize(("case", "name"), CONTESTS)
def test_a_system_computes_its_case(case, name):
    system = SYSTEMS[name]
    if not system.available():
        pytest.skip(f"{name} is not installed")
    inputs = make_inputs(case)
    context = prepare(system, case, inputs)()
    torch.testing.assert_close(context.double(), expected(case, inputs), atol=2e-5, rtol=1e-4)


def test_a_module_that_is_not_there_makes_a_system_unavailable():
    assert SYSTEMS["eager"].available()
    gone = SYSTEMS["eager"].__class__("gone", "", {}, module="no_such_module_anywhere")
    assert not gone.available()


def test_asking_whether_a_peer_is_there_imports_nothing(forks):
    code = (
        "import sys; from benchmarks.peers import SYSTEMS; "
        "[system.available() for system in SYSTEMS.values()]; "
        "print([m for m in ('keras', 'entmax', 'local_attention', 'x_transformers') "
        "if m in sys.modules])"
    )
    done = forks.run(code)
    assert done.output == "[]\n", done.error


def test_disagreement_is_relative_to_the_largest_number_of_each_tensor():
    ours = (torch.tensor([1.0, -4.0]), torch.tensor([10.0]))
    theirs = (torch.tensor([1.5, -4.0]), torch.tensor([9.0]))
    assert disagreement(ours, theirs) == 0.125


def test_answers_of_different_shape_disagree_without_end():
    assert disagreement((torch.ones(2),), (torch.ones(3),)) == math.inf
    assert disagreement((torch.ones(2),), (torch.ones(2), torch.ones(2))) == math.inf
