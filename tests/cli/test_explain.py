"""``regard explain``: what is typed comes out right, or is answered in one sentence."""

import json
import math

import pytest

from regard.cli.app import main

KEYS = "0,1,1; 5,0,1; 1,1,0; 0,5,1"


@pytest.fixture
def run(capsys, monkeypatch):
    """Runs ``regard explain`` and returns exit code, stdout and stderr."""
    monkeypatch.setenv("COLUMNS", "120")

    def explain(*words):
        code = main(["explain", *words])
        out, err = capsys.readouterr()
        return code, out, err

    return explain


@pytest.fixture
def steps(run):
    """Runs ``regard explain --json`` and returns the numbers of each step."""

    def explain(*words):
        code, out, _ = run(*words, "--json")
        assert code == 0
        return {step["name"]: step["values"] for step in json.loads(out)["steps"]}

    return explain


# --- what comes out -------------------------------------------------------------------------------


def test_the_first_example_is_a_table(run):
    code, out, err = run("--query", "10,5,10", "--keys", KEYS, "--score", "dot")
    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines() if line.startswith(" k")] == [
        ["k₁", "0", "1", "1", "15", "2.9e-20", "0", "2.9e-20", "2.9e-20"],
        ["k₂", "5", "0", "1", "60", "1.0000", "█" * 12, "5.0000", "0", "1.0000"],
        ["k₃", "1", "1", "0", "15", "2.9e-20", "2.9e-20", "2.9e-20", "0"],
        ["k₄", "0", "5", "1", "35", "1.4e-11", "0", "6.9e-11", "1.4e-11"],
    ]
    assert "c₁ = [5.0000, 6.9e-11, 1.0000]" in out


def test_the_default_score_is_scaled(steps):
    found = steps("--query", "10,5,10", "--keys", KEYS)
    assert found["dot_products"] == [[15.0, 60.0, 15.0, 35.0]]
    assert found["scores"] == [[pytest.approx(x / math.sqrt(3)) for x in (15, 60, 15, 35)]]


def test_several_queries_and_values_of_another_width(steps):
    found = steps("--query", "0,0; 1e3,0", "--keys", "1,0; 0,1", "--values", "2; 4")
    assert found["context"] == [[3.0], [2.0]]


def test_precision_is_chosen(run):
    _, out, _ = run("--query", "1", "--keys", "0; 1", "--score", "dot", "--precision", "7")
    assert f"{1 / (1 + math.e):.7f}" in out


def test_numbers_may_be_negative_and_in_any_usual_form(steps):
    found = steps("--query", "-1, +2.5,1e-1", "--keys", " -.5,0,10 ;0,1,0", "--score", "dot")
    assert found["scores"] == [[1.5, 2.5]]


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (["cosine"], [1 / math.sqrt(5), 2 / math.sqrt(5)]),
        (["cosine:2"], [2 / math.sqrt(5), 4 / math.sqrt(5)]),
        (["scaled_dot:0.5"], [0.5, 1.0]),
        (["euclidean"], [-4.0, -2.0]),
        (["gaussian:0.5"], [math.exp(-8), math.exp(-4)]),
        (["general", "--weight", "-1,0; 0,3"], [-1.0, 6.0]),
        (["location", "--weight", "1,1; 2,-1; 9,9"], [3.0, 0.0]),
        (
            ["additive", "--v", "-1,2"],
            [-math.tanh(2) + 2 * math.tanh(2), -math.tanh(1) + 2 * math.tanh(3)],
        ),
        (
            ["additive", "--v", "1", "--query-weight", "1,0", "--key-weight", "0,1"],
            [math.tanh(1), math.tanh(2)],
        ),
        (["concat", "--v", "1", "--weight", "1,0,0,1"], [math.tanh(1), math.tanh(2)]),
    ],
)
def test_scores_by_name_with_their_parameters(steps, score, expected):
    found = steps("--query", "1,2", "--keys", "1,0; 0,1", "--score", *score)
    assert found["scores"] == [pytest.approx(expected)]


@pytest.mark.parametrize(
    ("normalise", "expected"),
    [
        (
            "softmax",
            [
                1 / (1 + math.e**1 + math.e**2),
                *[math.e**x / (1 + math.e + math.e**2) for x in (1, 2)],
            ],
        ),
        ("sparsemax", [0.0, 0.0, 1.0]),
        ("top_k:2", [0.0, 1 / (1 + math.e), math.e / (1 + math.e)]),
        ("hard", [0.0, 0.0, 1.0]),
        ("entmax:2", [0.0, 0.0, 1.0]),
        ("proportional", [0.0, 1 / 3, 2 / 3]),
    ],
)
def test_normalisers_by_name_with_their_numbers(steps, normalise, expected):
    found = steps("--query", "1", "--keys", "0; 1; 2", "--score", "dot", "--normalise", normalise)
    assert found["weights"] == [pytest.approx(expected)]


@pytest.mark.parametrize(
    ("mask", "allowed"),
    [
        ("causal", [[True, False, False], [True, True, False]]),
        ("causal:1", [[True, True, False], [True, True, True]]),
        ("window:0", [[True, False, False], [False, True, False]]),
        ("window:1,0", [[True, False, False], [True, True, False]]),
        ("prefix:2", [[True, True, False], [True, True, False]]),
        ("strided:2", [[True, False, True], [False, True, False]]),
        ("1,0,1", [[True, False, True], [True, False, True]]),
        ("1,0,1; 0,0,1", [[True, False, True], [False, False, True]]),
    ],
)
def test_masks_by_name_or_written_out(steps, mask, allowed):
    found = steps("--query", "1;2", "--keys", "0; 1; 2", "--mask", mask)
    assert found["allowed"] == allowed


def test_gradients_on_request(steps):
    found = steps(
        "--query", "1", "--keys", "0; 1", "--values", "3; 5", "--score", "dot", "--gradients"
    )
    assert found["gradient_weights"] == [[3.0, 5.0]]


def test_a_page_is_written_and_said_to_be(run, tmp_path):
    file = tmp_path / "page.html"
    file.write_text("an older page")
    code, out, err = run("--query", "1", "--keys", "0; 1", "--html", str(file))
    assert (code, out, err) == (0, "", f"wrote {file}\n")
    assert file.read_text().startswith("<!doctype html>")
    assert [entry.name for entry in tmp_path.iterdir()] == ["page.html"]


# --- mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--keys", "0,1,1; 5,0,x"], "--keys: row 2, number 3: 'x' is not a number"),
        (["--keys", "0,1,1; 5,,1"], "--keys: row 2, number 2: nothing between the commas"),
        (
            ["--keys", "0,1,1; 5,0"],
            "--keys: all rows need one length, row 1 has 3 numbers and row 2 has 2 numbers",
        ),
        (["--keys", "0,1,1;"], "--keys: row 2 is empty; put numbers between the semicolons"),
        (["--keys", " "], '--keys: needs numbers such as "0,1,1; 5,0,1", got nothing'),
        (["--keys", "0,1,nan"], "--keys: row 1, number 3: 'nan' is not a finite number"),
        (["--keys", "0,-inf,1"], "--keys: row 1, number 2: '-inf' is not a finite number"),
        (["--keys", "0,1e999,1"], "--keys: row 1, number 2: '1e999' is not a finite number"),
        (["--keys", "0 1 1"], "--keys: row 1, number 1: '0 1 1' is not a number"),
        (
            ["--query", "1;2,3", "--keys", "1"],
            "--query: all rows need one length, row 1 has 1 number and row 2 has 2 numbers",
        ),
        (["--values", "1,q"], "--values: row 1, number 2: 'q' is not a number"),
        (["--values", "1"], "attention needs one value per key, got 2 keys and 1 values"),
        (
            ["--keys", "1,2"],
            "scaled_dot needs query and key of one width, got query (1, 3) and key (1, 2)",
        ),
        (["--score", "scaled_dott"], "unknown score 'scaled_dott'. Did you mean 'scaled_dot'?"),
        (["--score", "aditive"], "Did you mean 'additive'? Known: additive (needs v), "),
        (["--score", "gaussian:x"], "--score gaussian: row 1, number 1: 'x' is not a number"),
        (["--score", "gaussian:-1"], "gaussian needs a positive width, got -1.0"),
        (["--score", "gaussian:1,2"], "--score: gaussian takes width after a colon, got 2 numbers"),
        (["--score", "dot:3"], "--score: dot takes nothing after a colon, got 1 numbers"),
        (["--score", "general"], "--score general needs --weight"),
        (["--score", "additive"], "--score additive needs --v"),
        (["--score", "additive", "--v", "1;2"], "--v: needs one row of numbers, got 2"),
        (["--score", "dot", "--weight", "1"], "--score dot has no use for --weight; leave it out"),
        (["--score", "general", "--weight", "1", "--v", "1"], "--score general has no use for --v"),
        (
            ["--score", "general", "--weight", "1"],
            "general needs weight of shape (query width, key width) = (3, 3), got (1, 1)",
        ),
        (["--normalise", "sofmax"], "unknown normaliser 'sofmax'. Did you mean 'softmax'?"),
        (["--normalise", "softmax:2"], "--normalise: softmax takes nothing after a colon"),
        (["--normalise", "top_k"], "--normalise: top_k takes k after a colon, got 0 numbers"),
        (["--normalise", "top_k:1.5"], "--normalise top_k: needs whole numbers, got 1.5"),
        (["--normalise", "top_k:0"], "top_k needs k of at least 1, got 0"),
        (["--normalise", "entmax:1"], "entmax needs"),
        (["--mask", "cauzal"], "unknown mask 'cauzal'. Did you mean 'causal'?"),
        (["--mask", "1,2"], "--mask: row 1, number 2: needs 1 (may attend) or 0, got 2"),
        (["--mask", "-1,0"], "--mask: row 1, number 1: needs 1 (may attend) or 0, got -1"),
        (
            ["--mask", "1,0,1"],
            "mask needs a shape that broadcasts to the scores (1, 2), got (1, 3)",
        ),
        (["--mask", "window:-1"], "window needs left of at least 0, got -1"),
        (
            ["--mask", "window:99999999999999999999,1"],
            "window needs left of at most 64 bits, got 100000000000000000000",
        ),
        (["--precision", "0"], "precision needs a number from 1 to 15, got 0"),
        (["--precision", "many"], "many"),
        (
            ["--json", "--html", "x.html"],
            "--json prints and --html writes a page; choose one of them",
        ),
        (
            ["--html", "/nowhere/at/all.html"],
            "/nowhere/at/all.html: cannot be written, No such file or directory",
        ),
        (["--quer", "1"], "--quer"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_two(run, words, message):
    usual = {"--query": "1,2,3", "--keys": "1,2,3; 4,5,6"}
    given = [
        part for option, text in usual.items() if option not in words for part in (option, text)
    ]
    code, out, err = run(*given, *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("regard: ")
    assert err.count("\n") == 1


def test_what_nobody_reads_is_refused_as_a_table_and_given_as_json(run, steps):
    many = ";".join(["1"] * 100)
    code, _, err = run("--query", many, "--keys", many)
    assert code == 2
    assert "this one has 10000 pairs" in err
    assert len(steps("--query", many, "--keys", many)["weights"]) == 100
