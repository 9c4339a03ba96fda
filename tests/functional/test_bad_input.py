"""Every mistake is answered by one sentence of ours, and nothing is broadcast into nonsense."""

import re
import warnings

import pytest
import torch

from regard import attend, explain, masks, normalisers, plan, scores, statistics, top_weights, weigh
from regard.errors import (
    ChoiceError,
    DeviceError,
    DtypeError,
    RangeError,
    RegardError,
    ShapeError,
)

pytestmark = pytest.mark.usefixtures("without_shape_checks")

PATHS = ("auto", "reference", "stream", "lower")


def zeros(*shape, **options):
    return torch.zeros(shape, **options)


def vectors(num_queries=5, num_keys=7, width=4, value_dim=6, leading=(2, 3)):
    return (
        zeros(*leading, num_queries, width),
        zeros(*leading, num_keys, width),
        zeros(*leading, num_keys, value_dim),
    )


def refuse(error, match, function, *args, **kwargs):
    """Raises this error, with this text, in one line that ends without a stop-gap."""
    with pytest.raises(error, match=match) as caught:
        function(*args, **kwargs)
    message = str(caught.value)
    assert isinstance(caught.value, RegardError)
    assert "\n" not in message
    assert len(message) < 450


# --- shapes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("score", ["dot", "scaled_dot", "cosine", "euclidean", "gaussian"])
def test_query_and_key_of_different_widths(score):
    query, _, value = vectors()
    refuse(
        ShapeError,
        rf"{score} needs query and key of one width, got query \(2, 3, 5, 4\) and key "
        r"\(2, 3, 7, 8\); project one of them, or use General",
        attend,
        query,
        zeros(2, 3, 7, 8),
        value,
        score=score,
    )


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_tensor_of_too_few_axes(which):
    tensors = list(vectors())
    tensors[which] = zeros(4)
    match = "query, key and value of at least two axes, .* got query .*unsqueeze"
    refuse(ShapeError, match, attend, *tensors)


def test_a_value_that_is_missing():
    query, key, _ = vectors()
    match = "one value per key, got 7 keys and 6 values"
    refuse(ShapeError, match, attend, query, key, zeros(2, 3, 6, 4))


@pytest.mark.parametrize("which", [0, 1, 2])
def test_leading_axes_that_do_not_broadcast(which):
    tensors = list(vectors())
    tensors[which] = zeros(5, 3, *tensors[which].shape[-2:])
    refuse(ShapeError, "leading axes that broadcast, got query", attend, *tensors)


@pytest.mark.parametrize(
    ("score", "match"),
    [
        (scores.General(zeros(4, 9)), r"general needs weight .* = \(4, 4\), got \(4, 9\)"),
        (scores.General(zeros(9, 4)), r"general needs weight .* = \(4, 4\), got \(9, 4\)"),
        (scores.Additive(zeros(9)), "additive needs a query of width 9 to fit v, got"),
        (
            scores.Additive(zeros(9), zeros(9, 5), zeros(9, 4)),
            "additive needs a query of width 5 to fit query_weight, got",
        ),
        (
            scores.Additive(zeros(9), zeros(9, 4), zeros(9, 5)),
            "additive needs a key of width 5 to fit key_weight, got",
        ),
        (scores.Concat(zeros(9), zeros(9, 7)), "concat needs query and key of 7 columns together"),
        (scores.GatedAdditive(zeros(3)), "gated_additive needs a query of width 6, twice that of"),
        (scores.Location(zeros(7, 5)), "location needs weight as wide as the query, 4, got 5"),
        (scores.Location(zeros(6, 4)), "location needs a row of weight for each of 7 keys, got 6"),
        (scores.Alibi(2), r"alibi needs 2 heads on the axis before the positions, got query"),
        (scores.ScaledDot() + scores.Alibi(6), "alibi needs 6 heads"),
        (scores.Relative(zeros(2, 5)), "relative needs 2 heads on the axis before the positions"),
        (scores.RelativeKeys(zeros(5, 3)), "relative_keys needs table as wide as the query, 4"),
        (
            scores.GaussianAround(zeros(2, 3, 4), 1.0),
            r"gaussian_around needs one centre for each of 5 queries, got centres \(2, 3, 4\)",
        ),
    ],
    ids=repr,
)
def test_a_score_whose_parameters_do_not_fit(score, match):
    for function in (attend, plan):
        refuse(ShapeError, match, function, *vectors(), score=score)
    for function in (weigh, statistics):
        refuse(ShapeError, match, function, *vectors()[:2], score=score)


def test_a_score_does_not_enlarge_the_batch():
    """Centres of a batch of four do not turn two sentences into four."""
    score = scores.ScaledDot() + scores.GaussianAround(zeros(4, 1, 1, 5), 1.0)
    refuse(ShapeError, "gaussian_around needs", attend, *vectors(), score=score)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: scores.Additive(zeros(9, 1)), r"additive needs v of shape \(A,\), got \(9, 1\)"),
        (
            lambda: scores.Additive(zeros(9), zeros(8, 4)),
            "additive needs query_weight with one row",
        ),
        (
            lambda: scores.Additive(zeros(9), None, zeros(8, 4)),
            "additive needs key_weight with one",
        ),
        (lambda: scores.Concat(zeros(9), zeros(8, 8)), "concat needs weight with one row per"),
        (lambda: scores.General(zeros(4)), r"general needs weight of shape \(Dq, Dk\), got \(4,\)"),
        (lambda: scores.Location(zeros(4)), r"location needs weight of shape \(K, Dq\)"),
        (lambda: scores.Relative(zeros(4)), r"relative needs table of shape \(2R \+ 1,\) or .*odd"),
        (lambda: scores.Relative(zeros(1, 2, 5)), "relative needs table of shape"),
        (lambda: scores.RelativeKeys(zeros(4, 3)), r"relative_keys needs table .*odd number"),
        (lambda: scores.RelativeKeys(zeros(5)), "relative_keys needs table of shape"),
        (lambda: scores.Gaussian(zeros(2) + 1), "gaussian needs width as one number"),
    ],
)
def test_parameters_of_the_wrong_shape(make, match):
    refuse(ShapeError, match, make)


# --- dtypes and devices ---------------------------------------------------------------------------


def test_tensors_of_different_dtypes():
    query, key, value = vectors()
    match = "of one floating-point dtype, got torch.float32, torch.float64, torch.float32; convert"
    refuse(DtypeError, match, attend, query, key.double(), value)
    refuse(DtypeError, "of one floating-point dtype", attend, query, key, value.half())


def test_tensors_that_are_not_floating_point():
    query, key, value = (x.long() for x in vectors())
    refuse(DtypeError, "floating-point dtype, got torch.int64", attend, query, key, value)
    complexes = (x.to(torch.complex64) for x in (query, key, value))
    refuse(DtypeError, "floating-point dtype, got torch.complex64", attend, *complexes)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_something_that_is_no_tensor(which):
    tensors = list(vectors())
    tensors[which] = tensors[which].tolist()
    refuse(DtypeError, "query, key and value .*tensors?.*got", attend, *tensors)


def test_tensors_on_different_devices():
    query, key, value = vectors()
    match = "on one device, got cpu, meta, cpu; move"
    refuse(DeviceError, match, attend, query, key.to("meta"), value)
    refuse(DeviceError, "on one device, got meta, cpu, cpu", attend, query.to("meta"), key, value)


@pytest.mark.parametrize(
    "score",
    [scores.General(zeros(4, 4, device="meta")), scores.Additive(zeros(4, device="meta"))],
    ids=repr,
)
def test_a_score_on_another_device(score):
    refuse(DeviceError, f"{score.name} .*(on|device).*meta", attend, *vectors(), score=score)


def test_a_mask_on_another_device():
    pairs = torch.ones(5, 7, dtype=torch.bool, device="meta")
    refuse(DeviceError, "mask .*device.*meta", attend, *vectors(), mask=pairs)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (
            lambda: scores.General(zeros(4, 4).long()),
            "general needs weight .*floating-point tensor",
        ),
        (lambda: scores.General([[1.0]]), "general needs weight .*floating-point tensor, got list"),
        (lambda: scores.Additive(zeros(4).long()), "additive needs v .*floating-point tensor"),
        (
            lambda: scores.Relative(zeros(5).long()),
            "relative needs table as a floating-point tensor",
        ),
        (lambda: scores.GaussianAround(zeros(5).long(), 1.0), "gaussian_around needs centres"),
        (lambda: scores.Gaussian("wide"), "gaussian needs .*width.*number"),
        (lambda: masks.window(1.5, 2), "window needs a whole number as left, got float"),
        (lambda: masks.window(1, "2"), "window needs a whole number as right, got str"),
        (lambda: masks.causal(0.5), "causal needs a whole number as offset, got float"),
        (lambda: masks.causal(True), "causal needs a whole number as offset, got bool"),
        (lambda: masks.padding(torch.tensor([1.0, 2.0])), "padding needs whole numbers as lengths"),
        (
            lambda: masks.padding(torch.tensor([True, False])),
            "padding needs lengths, got a boolean",
        ),
        (lambda: masks.document(zeros(5)), "document needs ids as a tensor of whole numbers"),
        (lambda: masks.document([0, 1]), "document needs ids as a tensor of whole numbers"),
        (lambda: masks.dense(zeros(5, 7)), "mask needs a boolean tensor, True = may attend, got"),
        (lambda: masks.dense([[True]]), "mask needs a boolean tensor, True = may attend, got list"),
        (lambda: masks.blocks(2, zeros(3, 4)), "blocks need a boolean layout of two axes, got"),
        (lambda: masks.blocks(2, zeros(3).bool()), "blocks need a boolean layout of two axes, got"),
        (lambda: masks.blocks(1.5), "blocks needs a whole number"),
        (lambda: masks.strided(1.5), "strided needs a whole number"),
        (lambda: masks.prefix(1.5), "prefix needs whole numbers as lengths"),
        (lambda: masks.global_tokens([0.5]), "global_tokens needs positions as a list of whole"),
        (
            lambda: masks.causal() & [[True]],
            "mask needs a boolean tensor or a value of regard.masks",
        ),
        (lambda: normalisers.TopK(1.5), "top_k needs a whole number"),
        (lambda: scores.Alibi(2.5), "alibi needs a whole number"),
    ],
)
def test_parameters_of_the_wrong_kind(make, match):
    refuse(DtypeError, match, make)


def test_an_additive_mask_is_told_how_to_become_boolean():
    additive = zeros(5, 7)
    match = "mask needs a boolean tensor, True = may attend, got torch.float32; .*`mask == 0`"
    refuse(DtypeError, match, attend, *vectors(), mask=additive)
    refuse(DtypeError, match, attend, *vectors(), mask=additive.fill_(float("nan")))
    refuse(DtypeError, "got torch.int64", attend, *vectors(), mask=additive.long())


@pytest.mark.parametrize("family", ["score", "mask", "normalise"])
def test_a_choice_that_is_neither_a_name_nor_a_value(family):
    refuse(DtypeError, "needs .* value of regard.*, got int", attend, *vectors(), **{family: 3})


@pytest.mark.parametrize("function", [attend, weigh, statistics, plan, explain])
@pytest.mark.parametrize("how", ["jagged", "nested", "sparse", "float8"])
def test_tensors_that_are_no_block_of_numbers(function, how):
    dense = torch.ones(2, 5, 4)
    with warnings.catch_warnings(action="ignore"):  # torch says that nested tensors are new
        x = {
            "jagged": lambda: torch.nested.nested_tensor(
                [dense[0], dense[1, :3]], layout=torch.jagged
            ),
            "nested": lambda: torch.nested.nested_tensor([dense[0], dense[1, :3]]),
            "sparse": dense.to_sparse,
            "float8": lambda: dense.to(torch.float8_e4m3fn),
        }[how]()
    match = {
        "sparse": r"needs dense tensors, got torch.sparse_coo; convert with .to_dense\(\)",
        "float8": "computed in float64, float32, bfloat16 or float16, got torch.float8_e4m3fn",
    }.get(how, r"got a nested one; pad it by .to_padded_tensor\(0.0\), .*masks.padding\(lengths\)")
    count = 2 if function in (weigh, statistics) else 3
    function(*(dense,) * count)  # a call of these sizes that is remembered changes nothing
    refuse(DtypeError, match, function, *(x,) * count)
    refuse(DtypeError, "needs|computed|of one", function, dense, *(x,) * (count - 1))


def test_parameters_and_masks_that_are_sparse():
    refuse(DtypeError, "additive needs dense tensors", scores.Additive, torch.ones(4).to_sparse())
    pairs = torch.ones(5, 7, dtype=torch.bool).to_sparse()
    refuse(DtypeError, "mask needs dense tensors", attend, *vectors(), mask=pairs)


def test_a_generator_that_is_none():
    match = "needs a torch.Generator as generator, got int; make one by"
    for dropout in (0.0, 0.1):
        refuse(DtypeError, match, attend, *vectors(), generator=3, dropout=dropout)
    refuse(DtypeError, match, normalisers.Sample, 3)


def test_a_dropout_that_is_no_number():
    for dropout in ("0.1", None, torch.tensor(0.1)):
        refuse(DtypeError, "dropout needs a probability, got", attend, *vectors(), dropout=dropout)


@pytest.mark.parametrize("count", [2.0, "2", True])
def test_a_count_of_weights_that_is_not_whole(count):
    match = "top_weights needs a whole number as count"
    refuse(DtypeError, match, top_weights, *vectors()[:2], count)


@pytest.mark.parametrize(
    "make", [masks.window, masks.causal, masks.strided, masks.blocks, masks.prefix]
)
def test_a_number_that_no_tensor_can_hold(make):
    refuse(RangeError, "of at most 64 bits, got 99999999999999999999", make, 99999999999999999999)


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "name", "match"),
    [
        (
            "score",
            "scaled-dot",
            "unknown score 'scaled-dot'. Did you mean 'scaled_dot'. Known: .*dot",
        ),
        ("score", "Dot", "unknown score 'Dot'. Did you mean 'dot'"),
        ("score", "aditive", r"Did you mean 'additive'\? Known: additive \(needs v\), alibi"),
        ("normalise", "topk", r"Did you mean 'top_k'\? Known: entmax \(needs alpha\), .*top_k \(n"),
        ("mask", "windw", r"Did you mean 'window'\? .*causal, .*window \(needs left, right\)"),
        (
            "normalise",
            "sofmax",
            "unknown normaliser 'sofmax'. Did you mean 'softmax'. Known: .*entmax15",
        ),
        ("normalise", "sparsmax", "unknown normaliser 'sparsmax'. Did you mean 'sparsemax'"),
        ("mask", "casual", "unknown mask 'casual'. Did you mean 'causal'"),
        ("path", "strem", "unknown path 'strem'.* Known: .*auto.*lower.*reference.*stream"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_right_one(family, name, match):
    refuse(ChoiceError, match, attend, *vectors(), **{family: name})


@pytest.mark.parametrize(
    ("family", "name", "match"),
    [
        ("score", "additive", r"the score 'additive' has parameters: pass scores\.Additive\("),
        ("score", "alibi", r"the score 'alibi' has parameters: pass scores\.Alibi\(num_heads\)"),
        ("normalise", "entmax", r"'entmax' has parameters: pass normalisers\.Entmax\(alpha\)"),
        ("mask", "window", r"the mask 'window' has parameters: pass masks\.window\(left, right\)"),
    ],
)
def test_a_name_that_needs_parameters_is_answered_with_the_value_to_pass(family, name, match):
    refuse(ChoiceError, match, attend, *vectors(), **{family: name})


def test_nonsense_is_answered_with_what_is_known():
    refuse(ChoiceError, "unknown score 'zzz'. Known: .*boxcar, ", attend, *vectors(), score="zzz")


def test_an_unknown_way_to_fold_columns():
    query, key, _ = vectors()
    refuse(
        ChoiceError,
        "unknown columns 'median'. Known: mean, sum",
        weigh,
        query,
        key,
        columns="median",
    )


# --- masks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "match"),
    [
        ((5, 6), r"mask needs a shape that broadcasts to the scores \(2, 3, 5, 7\), got \(5, 6\)"),
        ((7, 5), "mask needs a shape that broadcasts to the scores"),
        ((2, 5, 7), "mask needs a shape that broadcasts to the scores"),
        ((4, 1, 1, 5, 7), "mask needs a shape that broadcasts to the scores"),
        ((7,), "mask needs at least two axes"),
        ((), "mask needs at least two axes"),
    ],
)
def test_a_mask_of_the_wrong_shape(shape, match):
    pairs = torch.ones(shape, dtype=torch.bool)
    for path in PATHS:
        refuse(ShapeError, match, attend, *vectors(), mask=pairs, path=path)
    refuse(ShapeError, match, weigh, *vectors()[:2], mask=pairs)


@pytest.mark.parametrize(
    ("leading", "shape", "advice"),
    [
        ((2, 3), (2, 7), "pass mask[:, None, None, :], or masks.padding(lengths)"),
        ((2, 3), (2, 3, 7), "pass mask[:, :, None, :], or masks.padding(lengths)"),
        ((2,), (2, 7), "pass mask[:, None, :], or masks.padding(lengths)"),
    ],
)
def test_booleans_per_key_are_told_which_axes_they_lack(leading, shape, advice):
    pairs = torch.ones(shape, dtype=torch.bool)
    refuse(ShapeError, re.escape(advice), attend, *vectors(leading=leading), mask=pairs)


@pytest.mark.parametrize(
    ("mask", "error", "match"),
    [
        (masks.padding([3, 8]), RangeError, "padding needs lengths of at most 7, .* got 8"),
        (masks.padding([1, 2, 3]), ShapeError, r"padding needs lengths that fit .*\(2, 3\), got"),
        (masks.padding(torch.ones(2, 3, 5).long()), ShapeError, "padding needs lengths that fit"),
        (masks.document(torch.zeros(5).long()), ShapeError, "one id for each of 7 key positions"),
        (masks.document(torch.zeros(6).long(), torch.zeros(7).long()), ShapeError,
         "document needs one id for each of 5 query positions, got 6"),
        (masks.document(torch.zeros(4, 5).long(), torch.zeros(4, 7).long()), ShapeError,
         "document needs ids that fit the first axes"),
        (masks.blocks(2, torch.ones(3, 3, dtype=torch.bool)), ShapeError,
         r"blocks of size 2 need a layout of at least \(3, 4\) for 5 queries and 7 keys"),
        (masks.causal() & masks.padding([9, 1]), RangeError, "padding needs lengths of at most 7"),
        (~masks.padding([9, 1]), RangeError, "padding needs lengths of at most 7"),
        (masks.window(1) | masks.padding([1] * 5), ShapeError, "padding needs lengths that fit"),
    ],
    ids=lambda x: repr(x) if isinstance(x, masks.Mask) else "",
)  # fmt: skip
def test_a_mask_that_does_not_fit_the_scores(mask, error, match):
    refuse(error, match, attend, *vectors(), mask=mask)
    refuse(error, match, weigh, *vectors()[:2], mask=mask)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: masks.window(-1, 2), "window needs left of at least 0, got -1"),
        (lambda: masks.window(1, -2), "window needs right of at least 0, got -2"),
        (lambda: masks.padding([3, -1]), "padding needs lengths of at least 0, got -1"),
        (lambda: masks.prefix(-3), "prefix needs a length of at least 0, got -3"),
        (lambda: masks.strided(0), "strided needs a stride of at least 1, got 0"),
        (lambda: masks.blocks(0), "blocks need a size of at least 1, got 0"),
        (lambda: masks.global_tokens(-1), "global_tokens needs a count of at least 0, got -1"),
        (
            lambda: masks.global_tokens([2, -4]),
            "global_tokens needs positions of at least 0, got -4",
        ),
        (lambda: scores.Gaussian(0.0), "gaussian needs a positive width, got 0.0"),
        (lambda: scores.Boxcar(-1.0), "boxcar needs a positive width, got -1.0"),
        (lambda: scores.Epanechnikov(float("nan")), "epanechnikov needs a positive width, got nan"),
        (lambda: scores.Gaussian(torch.tensor(-2.0)), "gaussian needs a positive width, got -2.0"),
        (lambda: scores.Euclidean(width=float("inf")), "euclidean needs a positive width, got inf"),
        (lambda: scores.GaussianAround(zeros(5), 0.0), "gaussian_around needs a positive sigma"),
        (lambda: scores.ScaledDot(scale=0.0), "scaled_dot needs a positive scale, got 0.0"),
        (lambda: scores.Cosine(scale=-1.0), "cosine needs a positive scale, got -1.0"),
        (lambda: scores.Alibi(0), "alibi needs num_heads of at least 1, got 0"),
        (lambda: normalisers.TopK(0), "top_k needs k of at least 1, got 0"),
        (
            lambda: normalisers.Entmax(1.0),
            "entmax needs .*alpha.*(above|greater|more than|over) 1.*got 1",
        ),
        (lambda: normalisers.Entmax(0.5), "entmax needs .*alpha.*got 0.5"),
        (lambda: normalisers.Entmax(float("nan")), "entmax needs .*alpha.*got nan"),
    ],
)
def test_numbers_out_of_range(make, match):
    refuse(RangeError, match, make)


# --- nothing to attend to -------------------------------------------------------------------------

EVERY_MASK = [
    None,
    masks.causal(),
    masks.window(1, 1),
    masks.padding([0, 0]),
    masks.prefix(0),
    masks.strided(2),
    masks.blocks(2),
    masks.global_tokens([0]),
    masks.causal() & masks.padding([0, 0]) | ~masks.window(1),
]


@pytest.mark.parametrize("path", [*PATHS, "window"])
@pytest.mark.parametrize("mask", EVERY_MASK, ids=repr)
@pytest.mark.parametrize(("num_queries", "num_keys"), [(0, 7), (5, 0), (0, 0)])
def test_no_queries_give_an_empty_context_and_no_keys_a_zero_one(num_queries, num_keys, mask, path):
    query, key, value = (x.requires_grad_() for x in vectors(num_queries, num_keys))
    try:
        context = attend(query, key, value, mask=mask, path=path)
    except ChoiceError as error:
        assert path in ("lower", "window"), str(error)
        return
    assert context.shape == (2, 3, num_queries, 6)
    assert not context.any()
    context.sum().backward()


@pytest.mark.parametrize(
    "score",
    [
        scores.Additive(zeros(4)),
        scores.Concat(zeros(3), zeros(3, 8)),
        scores.Location(zeros(9, 4)),
        scores.Gaussian(),
        scores.Euclidean(),
        scores.Alibi(3),
        scores.ScaledDot() + scores.Relative(zeros(5)),
        scores.ScaledDot() + scores.RelativeKeys(zeros(5, 4)),
    ],
    ids=repr,
)
@pytest.mark.parametrize(
    "normalise",
    ["softmax", "sparsemax", "entmax15", normalisers.Entmax(1.3), normalisers.TopK(2), "hard",
     "sample", "relu", "sigmoid", "proportional", "mean", "mean_relu"],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize(("num_queries", "num_keys"), [(0, 7), (5, 0)])
def test_an_empty_map_is_fine_with_every_choice(num_queries, num_keys, normalise, score):
    query, key, value = vectors(num_queries, num_keys)
    for path in ("auto", "reference", "stream"):
        context = attend(query, key, value, score=score, normalise=normalise, path=path)
        assert context.shape == (2, 3, num_queries, 6)
        assert not context.any()
    assert weigh(query, key, score=score, normalise=normalise).shape == (
        2,
        3,
        num_queries,
        num_keys,
    )


def test_an_empty_map_of_documents_is_fine():
    for num_queries, num_keys in ((0, 7), (5, 0)):
        ids = (torch.zeros(2, n, dtype=torch.long) for n in (num_queries, num_keys))
        mask = masks.document(*ids)
        for path in ("auto", "reference", "stream"):
            context = attend(*vectors(num_queries, num_keys), mask=mask, path=path)
            assert context.shape == (2, 3, num_queries, 6)


def test_an_empty_batch_is_fine():
    query, key, value = vectors(leading=(0, 3))
    for mask in (None, masks.causal(), masks.window(1), masks.padding(torch.zeros(0).long())):
        for path in ("auto", "reference", "stream"):
            assert attend(query, key, value, mask=mask, path=path).shape == (0, 3, 5, 6)
    assert weigh(query, key).shape == (0, 3, 5, 7)


def test_parts_of_an_empty_map_are_empty():
    query, key, _ = vectors(num_queries=0)
    assert top_weights(query, key, 2).keys.shape == (2, 3, 0, 2)
    assert not weigh(query, key, columns="mean").any()
    assert weigh(query, key, columns="sum").shape == (2, 3, 7)


@pytest.mark.parametrize("path", PATHS)
def test_vectors_of_no_width_attend_to_all_keys_alike(path):
    value = torch.arange(14.0).reshape(7, 2)
    context = attend(zeros(5, 0), zeros(7, 0), value, path=path)
    torch.testing.assert_close(context, value.mean(0).expand(5, 2))


@pytest.mark.parametrize("path", PATHS)
def test_values_of_no_width_are_fine(path):
    query, key, _ = vectors()
    assert attend(query, key, zeros(2, 3, 7, 0), path=path).shape == (2, 3, 5, 0)


def test_a_refused_path_says_why():
    cases = [
        ({"normalise": "sparsemax"}, "path 'lower' cannot run this: sparsemax is no softmax; use"),
        (
            {"score": scores.Additive(zeros(4))},
            r"path 'lower' cannot run this: .*Additive\(.*inner",
        ),
        ({"mask": masks.window(1)}, r"path 'lower' cannot run this: .*window\(1, 1\)"),
    ]
    for choices, match in cases:
        refuse(ChoiceError, match, attend, *vectors(), path="lower", **choices)
