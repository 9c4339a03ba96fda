import json
import os
import sys
import time

import pytest

from benchmarks import processes as module
from benchmarks.processes import Child, Contender, DriverError, variables, with_this_package
from benchmarks.processes import start as start_contender


@pytest.fixture
def start(tmp_path):
    """A child that runs a few lines of Python; all are ended after the test."""
    children = []

    def started(script):
        log = tmp_path / f"{len(children)}.log"
        children.append(Child([sys.executable, "-c", script], os.environ, log))
        return children[-1]

    yield started
    for child in children:
        child.close()


ECHO = """
import sys
print('{"about": 1}', flush=True)
for line in sys.stdin:
    print('{"heard": "%s"}' % line.strip(), flush=True)
"""


def test_it_says_what_it_is_and_answers_every_order(start):
    child = start(ECHO)
    assert child.ready() == {"about": 1}
    assert child.ask("go 2.5") == {"heard": "go 2.5"}
    assert child.ask("go 0.5") == {"heard": "go 0.5"}


def test_an_answer_may_come_in_parts_and_two_at_once(start):
    child = start(
        "import os, time\n"
        "os.write(1, b'{\"a\"'); time.sleep(0.05); os.write(1, b': 1}\\n{\"b\": 2}\\n')\n"
        "input()"
    )
    assert child.ready() == {"a": 1}
    assert child.ask("go 1.0") == {"b": 2}


def test_why_it_could_not_be_loaded_is_the_last_line_it_printed(start):
    child = start("import sys; print('warned', file=sys.stderr); raise ValueError('no such thing')")
    with pytest.raises(DriverError, match=r"ended with 1: ValueError: no such thing"):
        child.ready()


def test_one_that_ends_in_a_turn_is_noticed(start):
    child = start("import sys; print('{}', flush=True); input(); sys.exit(3)")
    child.ready()
    with pytest.raises(DriverError, match="ended with 3: no message"):
        child.ask("go 1.0")
    with pytest.raises(DriverError, match="ended with 3"):
        child.ask("go 1.0")


def test_silence_has_an_end(start, monkeypatch):
    monkeypatch.setattr(module, "LOAD_SECONDS", 0.1)
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    child = start("import time; time.sleep(60)")
    with pytest.raises(DriverError, match="no answer within 0 s"):
        child.ready()
    child.close()


def test_closing_ends_it_even_while_it_works(start, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    child = start("import time; print('{}', flush=True); time.sleep(60)")
    child.ready()
    before = time.monotonic()
    child.close()
    assert time.monotonic() - before < 30
    child.close()


def test_everybody_gets_as_many_threads_and_finds_the_drivers(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    given = variables(3)
    assert given["OMP_NUM_THREADS"] == given["NUMBA_NUM_THREADS"] == "3"
    outside, rest = given["PYTHONPATH"].split(os.pathsep)
    assert (module.Path(outside) / "benchmarks" / "pipe.py").is_file()
    assert rest == "elsewhere"
    ours = with_this_package(given)["PYTHONPATH"].split(os.pathsep)
    assert (module.Path(ours[-1]) / "regard" / "__init__.py").is_file()


def test_a_peer_runs_in_its_own_environment_and_we_in_ours(tmp_path, monkeypatch):
    began = []
    monkeypatch.setattr(module, "Child", lambda *words: began.append(words))
    python = tmp_path / "peer" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("")
    job = {"folder": str(tmp_path), "threads": 3}
    for environment in ("peer", None):
        start_contender(Contender("x", "some.driver", "", environment), tmp_path, job)
    (theirs, foreign, _), (ours, own, log) = began
    assert theirs == [str(python), "-m", "some.driver", json.dumps(job)]
    assert ours[0] == sys.executable and log == tmp_path / "some.driver.log"
    assert own["PYTHONPATH"].startswith(foreign["PYTHONPATH"]) and own != foreign
