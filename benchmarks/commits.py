"""``python -m benchmarks.commits OLD [NEW]``: two commits of regard, raced in one interleaved run.

Each commit is checked out into a folder of its own and runs in a process of its own; one sleeps
while the other works, and the order changes from round to round. A ratio is seconds of OLD over
seconds of NEW, the median over rounds: above 1 the new one is faster. The JSON goes to
``bench-results/commits.json``.
"""

import json
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import NamedTuple

from .commits_driver import CASES
from .files import results_folder, write_json
from .machine import here
from .places import ROOT
from .processes import variables

SAMPLE_SECONDS = 0.5
"""How long a sample lasts, about."""


class Tree:
    """A commit that answers how long its cases take.

    Args:
        commit: what git calls it; ``.`` is the working tree as it stands.
        folder: where it is checked out.
        threads: of torch.
        models: where trained models lie, for both the same.
    """

    def __init__(self, commit: str, folder: Path, threads: int, models: Path) -> None:
        if commit == ".":
            folder = ROOT
        else:
            command = ["git", "worktree", "add", "--quiet", "--force", "--detach"]
            subprocess.run([*command, str(folder), commit], cwd=ROOT, check=True)
        self.name, self.folder = commit, folder
        driver = Path(__file__).with_name("commits_driver.py")
        environment = {**variables(threads), "PYTHONPATH": str(folder / "src")}
        self._process = subprocess.Popen(
            [sys.executable, str(driver), str(threads), str(models)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds(self, case: str, calls: int) -> float:
        """Seconds per call."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{case}\t{calls}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"{self.name} ended in {case!r}; what it said stands above")
        return float(json.loads(answer))

    def close(self) -> None:
        """End the process, and give the folder back."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        if self.folder != ROOT:
            command = ["git", "worktree", "remove", "--force", str(self.folder)]
            subprocess.run(command, cwd=ROOT, check=True)


class Outcome(NamedTuple):
    """Seconds per call, round by round."""

    old: list[float]
    new: list[float]

    @property
    def ratio(self) -> float:
        """How many times as fast the new one is."""
        return median(old / new for old, new in zip(self.old, self.new, strict=True))


def race(old: Tree, new: Tree, case: str, rounds: int) -> Outcome:
    """Both in turn, each first in every other round."""
    for tree in (old, new):
        tree.seconds(case, 1)  # compiles, fills caches
    calls = max(1, int(SAMPLE_SECONDS / old.seconds(case, 1)))
    outcome = Outcome([], [])
    for number in range(rounds):
        pairs = [(old, outcome.old), (new, outcome.new)]
        for tree, seconds in pairs if number % 2 else reversed(pairs):
            seconds.append(tree.seconds(case, calls))
    return outcome


def main() -> None:
    """Race two commits, print a line a case."""
    parser = ArgumentParser(prog="python -m benchmarks.commits", description=__doc__)
    parser.add_argument("old", help="a commit")
    parser.add_argument(
        "new", nargs="?", default=".", help="another; the working tree if not given"
    )
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="a part of the names of cases")
    said = parser.parse_args()
    results: dict[str, dict[str, object]] = {}
    with tempfile.TemporaryDirectory() as folder:
        models = ROOT / "zoo" / "regard_zoo"
        trees = [
            Tree(commit, Path(folder) / side, said.threads, models)
            for side, commit in (("old", said.old), ("new", said.new))
        ]
        try:
            for case in CASES:
                if said.only in case:
                    outcome = race(trees[0], trees[1], case, said.rounds)
                    results[case] = {**outcome._asdict(), "ratio": outcome.ratio}
                    print(f"{outcome.ratio:6.2f}×  {1e3 * median(outcome.new):9.2f} ms  {case}")
        finally:
            for tree in trees:
                tree.close()
    words = ["python -m benchmarks.commits", *sys.argv[1:]]
    machine = asdict(here(said.threads, " ".join(words)))
    write_json(
        results_folder(Path("bench-results")) / "commits.json",
        {"machine": machine, "cases": results},
    )


if __name__ == "__main__":
    main()
