"""Nothing is left to be compiled when the clock of a comparison starts."""

import subprocess
import sys

import pytest
import torch

from benchmarks.mechanisms.warmth import made_up, warm_up
from regard.data.batches import BatchConfig

CHILD = """
import sys, torch
from importlib import import_module
from pathlib import Path
from benchmarks.mechanisms.work import Cell, trained, Watch
from benchmarks.mechanisms.warmth import warm_up
from regard import kernels
from regard.tasks.translation import grammar

FILES = [path.stem for path in Path(kernels.__file__).parent.glob("*_numba.py")]

def ready():
    modules = [import_module(f"{kernels.__name__}.{name}") for name in FILES]
    found = [(m, n, f) for m in modules for n, f in vars(m).items() if hasattr(f, "signatures")]
    return {(m.__name__, n, str(s)) for m, n, f in found for s in f.signatures}

grammar.POOL = 16
torch.set_num_threads(1)
cold = ready()
folder = Path(sys.argv[1])
cell = Cell.model_validate_json((folder / "cell.json").read_text())
warm_up(cell.run)
warm = ready()
trained(cell, folder / "run", Watch(folder / "spent.json"))
print(len(warm - cold), sorted(ready() - warm))
"""


def test_a_made_up_batch_is_as_large_as_a_real_one_and_of_tokens_there_are(cell):
    batch = made_up(cell.run)
    assert batch.source.shape == batch.target_in.shape == batch.target_out.shape == (3, 20)
    assert int(batch.source.max()) < cell.run.model.source_vocab
    assert int(batch.target_out.max()) < cell.run.model.target_vocab
    assert batch.num_targets == 60


def test_warming_up_draws_no_random_number(cell):
    torch.manual_seed(3)
    expected = torch.randn(2)
    torch.manual_seed(3)
    warm_up(cell.run)
    assert torch.equal(torch.randn(2), expected)


def test_nothing_is_compiled_for_a_run_that_was_warmed_up(cell, tmp_path):
    pytest.importorskip("numba")
    model = cell.run.model.model_copy(update={"attention_dim": 64})  # small scores are not compiled
    run = cell.run.model_copy(update={"model": model, "batch": BatchConfig(max_tokens=4096)})
    (tmp_path / "cell.json").write_text(cell.model_copy(update={"run": run}).model_dump_json())
    words = [sys.executable, "-c", CHILD, str(tmp_path)]
    child = subprocess.run(words, capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stderr
    before, after = child.stdout.split(maxsplit=1)
    assert int(before) > 3
    assert after.strip() == "[]"
