"""Processes that die while they checkpoint, made quickly: one process imports torch, and forks.

Reads commands, one per line: ``train FOLDER``, ``die FOLDER MOMENT``, ``limit FOLDER BYTES``,
``fit FOLDER STEPS MILLISECONDS``. For each it prints the child's number when the child is at work
and, once it has ended, how it ended.
"""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

TESTS = Path(__file__).parent.parent
PATHS = os.pathsep.join(map(str, (TESTS, TESTS.parent / "src")))
"""Where children find our tests, and the very package that is tested."""
PATIENCE = 300
"""Seconds that a child may take; then it ends, and the test that waits for it fails."""
CHANGES = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir"}


class Nursery:
    """The process that forks, seen from the test."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": PATHS, "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
            start_new_session=True,
        )
        assert self.read() == "ready"

    def read(self) -> str:
        return self.process.stdout.readline().strip()

    def start(self, *command: object) -> int:
        print(*command, file=self.process.stdin, flush=True)
        return int(self.read())

    def end(self) -> int:
        """How the child ended, as ``os.waitstatus_to_exitcode`` counts it."""
        return int(self.read())

    def run(self, *command: object) -> int:
        self.start(*command)
        return self.end()

    def close(self) -> None:
        """End the nursery and any child that a failed test left alive."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@contextmanager
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    try:
        yield made
    finally:
        made.close()


def train(folder: str, moment: int | None = None) -> None:
    """Go on with the run, checkpoint every step, and never end; or die at a change of the disk."""
    from regard.storage import run_folder
    from training.tiny_run import TinyConfig, TinyRun

    run = TinyRun()
    with run_folder.opened(Path(folder)) as place:
        if place.steps:
            run.restore(place.resume(TinyConfig))
        if moment is not None:
            die_at(folder, moment)
        while True:
            run.update()
            place.save(run.checkpoint())
            if moment is not None:
                return
            if run.step % 3 == 0:
                place.save_best(run.checkpoint())


def die_at(folder: str, moment: int) -> None:
    """From now on, end this process at the ``moment``-th change it makes under ``folder``."""
    count = 0

    def hook(event: str, arguments: tuple) -> None:
        nonlocal count
        deletes = event in ("os.remove", "os.rmdir")  # with a name relative to an open folder
        if event in CHANGES and (deletes or str(arguments[0]).startswith(folder)):
            count += 1
            if count > moment:
                os._exit(9)

    sys.addaudithook(hook)


def limited(folder: str, limit: int) -> None:
    """Checkpoint once with files limited to some bytes; ends with 3 if that was refused."""
    from regard.errors import StorageError
    from regard.storage import run_folder
    from training.tiny_run import TinyConfig, TinyRun

    run = TinyRun()
    with run_folder.opened(Path(folder)) as place:
        run.restore(place.resume(TinyConfig))
        run.update()
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        try:
            place.save(run.checkpoint())
        except StorageError:
            os._exit(3)


def fit(folder: str, steps: int, pause: int) -> None:
    """Begin a whole run, or go on with it; waits in every step, and ends with 5 to 7 if told to.

    The files of the corpus are beside the folder.
    """
    from regard.storage import run_folder
    from regard.training.run import Observer
    from training import small

    class Slow(Observer):
        def updated(self, run, update):
            path.with_name("asleep").touch()
            time.sleep(pause / 1000)

    path = Path(folder)
    if run_folder.places(path, "step") or run_folder.places(path, "best"):
        ending = small.go_on(path, observer=Slow())
    else:
        chosen = {"budget": small.Budget(steps=steps), "save_every": 1, "validate_every": 7}
        ending = small.start(path, small.files(path.parent), observer=Slow(), **chosen)
    os._exit({"steps": 0, "interrupted": 5, "terminated": 6, "hung up": 7}[ending])


def serve() -> None:
    """Answer commands until there are no more."""
    from hearing import hearing
    from training.tiny_run import advanced, torch

    torch.set_num_threads(1)
    advanced(1)  # torch imports some of its parts when they are first used: before the fork
    work = {"train": train, "die": train, "limit": limited, "fit": fit}
    print("ready", flush=True)
    for line in sys.stdin:
        name, folder, *amounts = line.split()
        if name == "fit":
            import_module("training.small")  # before the fork, and only if it is needed
        child = os.fork()
        if child == 0:
            signal.alarm(PATIENCE)
            try:
                with hearing():
                    work[name](folder, *map(int, amounts))
            except BaseException as error:
                print(repr(error), file=sys.stderr, flush=True)
                os._exit(1)
            os._exit(0)
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
