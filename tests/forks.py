"""Programs in processes of their own, whose parent has imported torch for all of them and forks."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

PARENT = """
import json, os, signal, sys, traceback
from importlib import import_module
from pathlib import Path
for name in sys.argv[1:]:
    import_module(name)
for line in sys.stdin:
    program, name, *said = json.loads(line)
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    for number, path in enumerate(said, start=1):  # standard output and standard error
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    signal.alarm(300)  # a program that hangs fails
    sys.path[0] = str(Path(name).parent)
    code = 1
    try:
        exec(compile(program, name, "exec"), {"__name__": "__main__", "__file__": name})
        code = 0
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    os._exit(code)
"""


class Done(NamedTuple):
    """What came of a program."""

    code: int
    output: str
    error: str


class Forks:
    """Runs programs; see :func:`forks`."""

    def __init__(self, parent: "subprocess.Popen[str]", folder: Path) -> None:
        self._parent = parent
        self._said = [folder / name for name in ("output", "error")]

    def run(self, program: str, name: str = "program.py") -> Done:
        """A program as text, run as a script of this name."""
        order = json.dumps([program, name, *map(str, self._said)])
        print(order, file=self._parent.stdin, flush=True)
        code = int(self._parent.stdout.readline())
        return Done(code, *(path.read_text() for path in self._said))

    def found(self, test: str, script: str) -> dict[str, str]:
        """The JSON that a script prints which stands beside a test."""
        path = Path(test).with_name(script)
        done = self.run(path.read_text(), str(path))
        assert done.code == 0, done.error[-2000:]
        return json.loads(done.output)


@contextmanager
def forks(folder: Path, *imports: str) -> Iterator[Forks]:
    """A process that has imported these modules, and nothing else."""
    command = [sys.executable, "-c", PARENT, *imports]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as parent:
        yield Forks(parent, folder)
