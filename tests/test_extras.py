"""Without any extra, attention computes; what needs one names it in a sentence."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from forks import forks
from regard.extras import EXTRAS

ROOT = Path(__file__).parent.parent
# None in sys.modules is how Python spells a module that is not there.
ABSENT = """
import logging, sys
logging.basicConfig(stream=sys.stdout, format="%(name)s: %(message)s")
for name in {names!r}:
    sys.modules[name] = None
"""
OTHERS = ("llvmlite", "torch.utils.tensorboard", "keras", "entmax", "local_attention",
          "x_transformers", "transformers", "mkdocs", "beartype", "pytest")  # fmt: skip
EVERY = (*EXTRAS, *OTHERS)
"""All that is no dependency of the package itself."""
IMPORT = """
import pkgutil
from importlib import import_module
import regard
# The command line and drawings of rich are for those who have it.
OF_RICH = ("regard.cli", "regard.listing", "regard.training.view", "regard.lens.explain.table",
           "regard.lens.alignments.bands", "regard.lens.alignments.drawing",
           "regard.lens.pictures.drawing")
ENDS = (".tables", ".terminal", "translation.views")
of_task = lambda name: name.startswith("regard.tasks.") and name.endswith(ENDS)
compiled = lambda name: name.endswith(("_numba", "__main__"))
left_out = lambda name: compiled(name) or name.startswith(OF_RICH) or of_task(name)
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
CORE = """
import torch
from regard import cells, explain, lens, models, nn, positions, testing
from regard.lens.alignments import AlignmentView, html
x = torch.randn(2, 3, 8)
attention = nn.MultiHeadAttention(8, 2, position=positions.Rotary(4))
with lens.capture(attention) as record:
    attention(x)
print(tuple(record[""].weights.shape), cells.GRU(3, 5).hidden_dim)
print(testing.check_attention(attention, only=["dtype"]))
print(str(explain(x[0], x[0], x[0]))[:5].strip())
print(html([AlignmentView(("a",), ("b",), [[1.0]])])[:9])
print(models.build("bahdanau-small", source_vocab=7, target_vocab=7).config.kind)
"""
LIBRARY = {
    "matplotlib": "from regard.lens.plots import heatmap; heatmap(torch.eye(2))",
    "rich": "from regard.lens.alignments import terminal",
    "sacrebleu": "from regard.measures import bleu; bleu(['a'], [['a']])",
    "safetensors": "from regard.storage.tensors import to_bytes; to_bytes({})",
    "sentencepiece": "from regard.data.vocabulary import learn; learn('bpe', ['a b'], size=300)",
    "tensorboard": "from regard.training.tensorboard import TensorBoard; TensorBoard('x')",
    "regard_zoo": "import regard; regard.load('en-fr-transformer')",
}
"""A line that takes each of them."""
COMMANDS = {
    "cyclopts": "--help",
    "matplotlib": "figure nadaraya-watson --out x.png",
    "rich": "list mechanisms",
    "sacrebleu": "evaluate en-fr-transformer --grammar --sentences 1",
    "safetensors": "translate x",
    "sentencepiece": "translate x",
    "regard_zoo": "zoo list",
}
"""A command that takes each of them."""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Runs a program where packages are hidden: what it says. Torch needs none of them."""
    with forks(tmp_path_factory.mktemp("said"), "torch") as children:

        def said_by(program: str, hidden: tuple[str, ...] = EVERY) -> str:
            done = children.run(ABSENT.format(names=hidden) + program)
            assert done.code == 0, done.error
            return done.output + done.error

        yield said_by


def absent(package: str) -> tuple[str, ...]:
    """What is hidden where a package is not installed."""
    return (package, "torch.utils.tensorboard") if package == "tensorboard" else (package,)


def test_every_module_imports_and_attention_computes_without_any_extra(run):
    said = run(IMPORT + COMPUTE)
    assert int(said.split()[0]) > 300
    assert said.count("finite True") == 6


def test_modules_models_and_their_pages_need_no_extra(run):
    assert run(CORE).splitlines() == [
        "(2, 2, 3, 3) 5",
        "MultiHeadAttention",
        "dtype  passed",
        "1 passed",
        "score",
        "<!doctype",
        "bahdanau",
    ]


def test_attention_computes_where_numba_must_not_compile_and_says_so_once():
    child = subprocess.run(
        [sys.executable, "-c", ABSENT.format(names=()) + COMPUTE],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    said = child.stdout + child.stderr
    assert said.count("finite True") == 6
    assert said.count("NUMBA_DISABLE_JIT keeps numba from compiling") == 1


@pytest.mark.parametrize("package", LIBRARY)
def test_the_library_names_what_is_missing_in_one_sentence(run, package):
    program = f"""
import torch
from regard.errors import MissingExtraError
try:
    {LIBRARY[package]}
except MissingExtraError as error:
    print(error)
"""
    [said] = run(program, absent(package)).splitlines()
    assert said.endswith(f"needs an extra that is not installed: pip install "
                         f"'regard[{EXTRAS[package]}]'")  # fmt: skip


@pytest.mark.parametrize("package", COMMANDS)
def test_the_command_line_names_what_is_missing_in_one_line_and_ends_with_2(run, package):
    program = f"""
from regard.cli.entry import main
print("ended with", main({COMMANDS[package].split()!r}))
"""
    ended, said = run(program, absent(package)).splitlines()
    assert ended == "ended with 2"
    assert said.startswith("regard: ")
    assert said.endswith(f"pip install 'regard[{EXTRAS[package]}]'")


def test_every_extra_of_the_table_is_one_of_the_project_that_brings_its_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    called = {"PIL": "pillow", "sklearn": "scikit-learn"}
    for package, extra in EXTRAS.items():
        name = called.get(package, package.replace("_", "-"))
        assert any(one.startswith(name) for one in extras[extra]), package
        assert extra in extras["all"][0].partition("[")[2], extra
    assert not {*EXTRAS} & {one.partition(">")[0] for one in project["dependencies"]}
