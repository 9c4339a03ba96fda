"""Without any extra, everything imports and computes; what needs one names it in a sentence."""

import os
import subprocess
import sys

# None in sys.modules is how Python spells a module that is not there.
ABSENT = """
import logging, sys
logging.basicConfig(stream=sys.stdout, format="%(name)s: %(message)s")
for name in ("numba", "llvmlite", "matplotlib", "tensorboard", "torch.utils.tensorboard", "keras",
             "entmax", "local_attention", "x_transformers", "transformers", "mkdocs", "beartype"):
    sys.modules[name] = None
"""
IMPORT = """
import pkgutil
from importlib import import_module
import regard
# The outside is for environments of their own.
left_out = lambda name: name.endswith(("_numba", "__main__")) or ".outside" in name
names = [m.name for m in pkgutil.walk_packages(regard.__path__, "regard.") if not left_out(m.name)]
for name in names:
    import_module(name)
print(len(names), "modules")
"""
COMPUTE = """
import torch
from regard import attend, scores
q, k, v = (torch.randn(2, 300, 8, requires_grad=True) for _ in range(3))
for normalise in ("softmax", "sparsemax", "entmax15"):
    for score in (scores.Dot(), scores.Additive(torch.ones(8))):
        context = attend(q, k, v, score=score, normalise=normalise)
        context.sum().backward()
        print("finite", bool(context.isfinite().all() and q.grad.isfinite().all()))
"""


def run(program: str, *, hidden: bool = True, **environment: str) -> str:
    child = subprocess.run(
        [sys.executable, "-c", ABSENT * hidden + program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    return child.stdout + child.stderr


def test_every_module_imports_and_attention_computes_without_any_extra():
    said = run(IMPORT + COMPUTE)
    assert int(said.split()[0]) > 300
    assert said.count("finite True") == 6


def test_attention_computes_where_numba_must_not_compile_and_says_so_once():
    said = run(COMPUTE, hidden=False, NUMBA_DISABLE_JIT="1")
    assert said.count("finite True") == 6
    assert said.count("NUMBA_DISABLE_JIT keeps numba from compiling") == 1
