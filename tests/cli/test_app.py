"""The frame of the command: help, version, exit codes, one red line."""

import os
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

from regard import __version__
from regard.cli.app import complain, main
from regard.cli.commands import COMMANDS
from regard.errors import InputError


def regard(*words: str, **options) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    command = [sys.executable, "-m", "regard", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@pytest.fixture
def stub(monkeypatch):
    """Puts a function in the place of the command ``explain``."""

    def put(function):
        module = ModuleType("regard.cli.explain")
        module.explain = function
        monkeypatch.setitem(sys.modules, "regard.cli.explain", module)

    return put


@pytest.mark.parametrize("word", ["--version", "version"])
def test_version_is_printed(word, capsys):
    assert main([word]) == 0
    assert capsys.readouterr() == (f"regard {__version__}\n", "")


@pytest.mark.parametrize("name", list(COMMANDS))
def test_help_flows_into_eighty_columns_and_tells_nothing_odd(name, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    assert main([name, "--help"]) == 0
    page = capsys.readouterr().out
    assert not re.search(r"--(empty|no)-(?!repeat)|default: (\(\)|False|None)", page)
    above = page.split("╭")[0].split("\n\n")[1:]
    panels = re.findall(
        r"^│ (?:\*  |   )?(?:--\S+|[A-Z]+)(?: [A-Z]+)*(?:\.\.\.)? .*(?:\n│ {8,}.*)*", page, re.M
    )
    for paragraph in [*above, *panels]:
        lines = [line.strip("│").rstrip() for line in paragraph.strip("\n").splitlines()]
        for line, following in pairwise(lines):
            first = following.split()[0]
            assert len(line) + 1 + len(first) > 76, f"{line!r} has room for {first!r}"


def test_help_of_a_task_ends_with_what_is_typed_for_it(capsys):
    assert main(["train", "object-detection", "--help"]) == 0
    end = capsys.readouterr().out.partition("Examples:")[2]
    assert end.split("$")[1:] == [
        " regard train object-detection --out run/\n  ",
        " regard detect picture.jpg --model run/ --show\n",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bench"], "bench needs something to measure: kernels, modules, training, decoding, mech"),
        (["figure"], "figure needs a name: nadaraya-watson or gradient-flow"),
        (["figure", "gradient-flow"], "figure needs --out"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_guessed_is_told_with_its_choices(words, said, capsys):
    assert main(words) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", ["data", "zoo"])
def test_a_command_that_lists_does_so_unless_told_otherwise(name, capsys):
    assert main([name, "list"]) == 0
    listed = capsys.readouterr()
    assert listed.out
    assert main([name]) == 0
    assert capsys.readouterr() == listed


def test_help_lists_every_command_and_ends_with_two_examples(capsys):
    assert main(["--help"]) == 0
    page = capsys.readouterr().out
    for name in COMMANDS:
        assert COMMANDS[name].summary in page
    assert page.split("Examples:")[1].count("$ regard ") == 2


def test_no_word_at_all_shows_the_help(capsys):
    assert main([]) == 0
    assert "Usage: regard COMMAND" in capsys.readouterr().out


def test_help_of_a_command_shows_its_docstring_and_ends_with_two_examples(stub, capsys):
    def explain(*, query: str) -> None:
        """What the file itself says.

        Args:
            query: one vector.
        """

    stub(explain)
    assert main(["explain", "--help"]) == 0
    page = capsys.readouterr().out
    assert "What the file itself says." in page
    assert "one vector." in page
    assert page.split("Examples:")[1].count("$ regard explain ") == 2


@pytest.mark.parametrize("name", list(COMMANDS))
def test_examples_are_whole_shell_lines_and_fit_a_terminal(name):
    for example in COMMANDS[name].examples:
        assert shlex.split(example)[:2] == ["regard", name]
        assert all(len(line) <= 74 for line in example.splitlines())


def test_help_neither_imports_torch_nor_a_command():
    code = (
        "import sys; from regard.cli.app import main; main(['--help']); "
        "print([name for name in ('torch', 'numpy', 'numba', 'regard.cli.explain') "
        "if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_explains_itself_without_torch(name):
    code = (
        "import sys; from regard.cli.app import main; "
        f"code = main(['{name}', '--help']); print(code, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    page, _, last = done.stdout.strip().rpartition("\n")
    assert last == "0 False"
    assert page.split("Examples:")[-1].count(f"$ regard {name} ") == 2


def test_help_answers_within_half_a_second():
    def seconds() -> float:
        """Processor time of one call: what a clock shows when nothing else runs."""
        before = os.times()
        regard("--help")
        after = os.times()
        user = after.children_user - before.children_user
        return user + after.children_system - before.children_system

    assert min(seconds() for _ in range(3)) < 0.5


def test_an_integer_from_a_command_is_the_exit_code(stub):
    stub(lambda: 3)
    assert main(["explain"]) == 3


def test_words_reach_the_command(stub):
    seen = []

    def explain(*, query: str, keys: str) -> None:
        seen.append((query, keys))

    stub(explain)
    assert main(["explain", "--query", "10,5,10", "--keys", "0,1; 5,0"]) == 0
    assert seen == [("10,5,10", "0,1; 5,0")]


def test_a_mistake_is_one_line_on_stderr_and_exit_code_2(stub, capsys):
    def explain() -> None:
        raise InputError("--keys needs numbers,\n   got 'x' at position 2 " + "and more " * 30)

    stub(explain)
    assert main(["explain"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("regard: --keys needs numbers, got 'x' at position 2 and more")
    assert err.count("\n") == 1


def test_a_line_is_red_on_a_terminal_and_keeps_brackets(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    complain("pip install 'regard[fast]'")
    assert capsys.readouterr().err == "\x1b[31mregard: pip install 'regard[fast]'\x1b[0m\n"


@pytest.mark.parametrize("words", [["--bogus", "1"], ["surplus"], ["--size", "many"], []])
def test_bad_usage_is_one_line_and_exit_code_2(stub, capsys, words):
    def explain(*, size: int) -> None:
        raise AssertionError("must not run")

    stub(explain)
    assert main(["explain", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("regard: ")
    assert err.count("\n") == 1


def test_an_unknown_command_gets_a_suggestion():
    done = regard("explian")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "regard: unknown command 'explian'. Did you mean 'explain'? Known: "
    )
    assert done.stderr.count("\n") == 1


def test_an_interrupt_is_quiet_and_exit_code_130(stub, capsys):
    def explain() -> None:
        raise KeyboardInterrupt

    stub(explain)
    assert main(["explain"]) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("lines", [1, 100_000])
def test_a_reader_who_leaves_is_no_error(lines):
    """One line fails when it is flushed at the end, many fail while they are printed."""
    code = (
        "import sys, types; module = types.ModuleType('regard.cli.explain'); "
        f"module.explain = lambda: sys.stdin.read() or print('word\\n' * {lines}); "
        "sys.modules['regard.cli.explain'] = module; "
        "from regard.cli.app import main; sys.exit(main(['explain']))"
    )
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    buffered = os.environ | {"PYTHONUNBUFFERED": ""}
    with subprocess.Popen([sys.executable, "-c", code], env=buffered, **pipes) as child:
        child.stdout.close()
        child.stdin.close()
        assert child.stderr.read() == b""
    assert child.returncode == 141


def test_an_error_of_our_own_making_keeps_its_traceback(stub):
    def explain() -> None:
        raise ZeroDivisionError

    stub(explain)
    with pytest.raises(ZeroDivisionError):
        main(["explain"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_stdout_is_one_line():
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "regard", "data", "list"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.strip().splitlines() == ["regard: stdout: No space left on device"]


def test_a_closed_stdout_is_one_line():
    command = f'"{sys.executable}" -m regard data list >&-'
    done = subprocess.run(command, shell=True, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("regard: stdout is closed") and done.stderr.count("\n") == 1


def test_completion_knows_the_flags_that_are_generated(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    script = tmp_path / "regard.bash"
    assert main(["--install-completion", "--shell", "bash", "--output", str(script)]) == 0
    text = script.read_text()
    for word in ("--embedding-rate-factor", "--label-smoothing", "grammar", "translate"):
        assert word in text
