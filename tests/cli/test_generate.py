"""``regard generate``: prompts from everywhere, text as it comes."""

import io
import json

import pytest
import torch

from regard.cli.app import main
from regard.models import GPTConfig
from regard.training import Budget, Settings, launch

SIZES = GPTConfig(vocab=8, context=16, model_dim=16, hidden_dim=32, num_layers=1)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("generate")
    (folder / "text.txt").write_text("abcdefg\n" * 60)
    task = {"kind": "text-generation", "data": {"train": str(folder / "text.txt")}}
    torch.manual_seed(0)
    rates = {"rate": 0.02}
    launch(
        Settings(task=task, budget=Budget(steps=60), batch={"max_tokens": 128}, optimisation=rates),
        SIZES,
        folder / "run",
    )
    return folder / "run"


def test_a_prompt_is_printed_with_what_comes_behind_it(run, capsys):
    assert (
        main(["generate", "abc", "--model", str(run), "--temperature", "0", "--max-tokens", "9"])
        == 0
    )
    assert capsys.readouterr().out == "abcdefg\nabcd\n"


def test_json_has_tokens_and_log_probabilities(run, capsys):
    words = ["generate", "abc", "b", "--model", str(run), "--seed", "3", "--json"]
    assert main([*words, "--max-tokens", "4"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["prompt"] for one in told] == ["abc", "b"]
    assert all(len(one["log_probs"]) == len(one["tokens"]) == 4 for one in told)


def test_prompts_come_from_a_file_or_the_standard_input(run, capsys, monkeypatch, tmp_path):
    (tmp_path / "prompt.txt").write_text("ab\n")
    words = ["generate", "--model", str(run), "--temperature", "0", "--max-tokens", "2"]
    assert main([*words, "--file", str(tmp_path / "prompt.txt")]) == 0
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"ab\n")))
    assert main(words) == 0
    assert capsys.readouterr().out == "abcd\nabcd\n"


def test_heads_are_drawn_on_stderr(run, capsys):
    assert main(["generate", "abc", "--model", str(run), "--max-tokens", "2", "--show"]) == 0
    assert "mean of all heads" in capsys.readouterr().err


def told(run, capsys, *words):
    assert main(["generate", "abc", "--model", str(run), *words]) == 0
    return capsys.readouterr().out


def test_a_prompt_that_is_longer_than_the_context_is_read_from_its_end(run, capsys):
    long = "abcdefg\n" * 3
    for more in ((), ("--json",)):
        assert main(["generate", long, "--model", str(run), "--max-tokens", "2", *more]) == 0
        said = " ".join(capsys.readouterr().err.split())
        assert "longer than the model's context: its first 8 tokens were not read" in said


def test_words_are_banned_or_must_come(run, capsys):
    likeliest = "--temperature", "0", "--max-tokens", "12"
    assert "e" not in told(run, capsys, *likeliest, "--ban", "e", "fe")
    ended = told(run, capsys, *likeliest, "--end", "\\n")
    assert ended == "abcdefg\n"
    assert told(run, capsys, *likeliest, "--end", "\\n", "--include", "fg") == ended
    later = told(run, capsys, *likeliest, "--end", "\\n", "--include", "ab")
    assert later.startswith("abcdefg") and len(later) > len(ended)
    assert len(told(run, capsys, *likeliest, "--end", "\\n", "--min-tokens", "7")) > len(ended)


def test_an_end_can_be_forced_at_the_limit_alone(run, capsys):
    likeliest = "--temperature", "0", "--end", "\\n", "--forced-end"
    assert told(run, capsys, *likeliest, "--max-tokens", "3") == "abcde\n"
    assert told(run, capsys, *likeliest, "--max-tokens", "30") == "abcdefg\n"
    # Past the context, which ends after 16 tokens, an end is not forced before the limit.
    far = "--min-tokens", "29", "--max-tokens", "30", "--json"
    found = json.loads(told(run, capsys, *likeliest, *far))
    assert found["finished"] and len(found["tokens"]) == 29


def test_a_beam_finds_at_least_as_likely_a_text_as_the_likeliest_steps(run, capsys):
    found = [
        json.loads(told(run, capsys, "--json", "--max-tokens", "6", *words))["log_prob"]
        for words in (("--temperature", "0"), ("--beam", "3"))
    ]
    assert found[1] >= found[0] - 1e-5


def test_several_texts_are_drawn_with_seeds_that_follow(run, capsys):
    drawn = "--temperature", "3", "--max-tokens", "8", "--json"
    both = told(run, capsys, *drawn, "--seed", "5", "--number", "2").splitlines()
    alone = told(run, capsys, *drawn, "--seed", "6").splitlines()
    assert len(both) == 2 and both[1] == alone[0]


def test_a_model_with_itself_writes_what_it_writes_alone(run, capsys):
    words = "--temperature", "0", "--max-tokens", "20"
    assert told(run, capsys, *words, "--with", str(run)) == told(run, capsys, *words)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--forced-end"], "needs --end"),
        (["--include", "a"], "needs a text that may end"),
        (["--ban", "é"], "no tokens to write 'é' with"),
        (["--beam", "2", "--top-k", "3"], "leave out --top-k"),
        (["--length-penalty", "1"], "no use for --length-penalty"),
        (["--number", "2", "--temperature", "0"], "texts that are drawn"),
        (["--max-tokens", "0"], "at least 1"),
        (["--top-p", "2"], "--top-p"),
        (["--end", "abc"], "one token"),
    ],
)
def test_a_mistake_is_one_sentence(run, words, told, capsys):
    assert main(["generate", "abc", "--model", str(run), *words]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("count", ["0", "1000001", "99999999999999999999"])
def test_as_many_tokens_as_nobody_waits_for_are_refused(run, capsys, count):
    assert main(["generate", "abc", "--model", str(run), "--max-tokens", count]) == 2
    said = capsys.readouterr().err
    assert count in said
    assert "Traceback" not in said
