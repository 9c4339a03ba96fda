"""The same jobs by several tools: lines, seconds, memory, and what comes of it.

Every measurement has a process of its own. Tools that regard's own environment does not have are
looked for in ``.bench-lens``, which :func:`set_up` makes: their packages, and a path to ours.
"""

import ast
import inspect
import json
import subprocess
import sys
import sysconfig
import textwrap
import venv
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Any

import torch

from benchmarks.memory import child_environment, forget_peak, give_back, resident_bytes
from benchmarks.places import ROOT

from .published import PUBLISHED
from .tools import JOBS, Tool, Way, prepared

ENVIRONMENT = ROOT / ".bench-lens"
REQUIREMENTS = Path(__file__).with_name("peers.txt")
SHORT = 16
"""Tokens of a first run, which loads what needs to be loaded."""
TOOLS = ("transformers", "bertviz", "transformer-lens", "inseq", "captum")
WEIGHTS = "all weights of a text"


def set_up() -> None:
    """Make the environment, by ``pip install`` from whatever index is configured."""
    venv.create(ENVIRONMENT, with_pip=True, clear=True)
    home = next((ENVIRONMENT / "lib").glob("python*")) / "site-packages"
    (home / "regard.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    pip = [str(python()), "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    subprocess.run([*pip, "--no-deps", "-r", str(REQUIREMENTS)], check=True)


def python() -> Path:
    """The interpreter that has other tools; our own where there is no environment of theirs."""
    theirs = ENVIRONMENT / "bin" / "python"
    return theirs if theirs.exists() else Path(sys.executable)


def versions_of_tools() -> dict[str, str]:
    """The versions of all tools, where they are installed."""
    ask = "import json; from benchmarks.machine import versions"
    code = f"{ask}; print(json.dumps(versions({TOOLS})))"
    done = subprocess.run(
        [str(python()), "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=child_environment("time"),
    )
    return {name: one for name, one in json.loads(done.stdout).items() if one[0].isdigit()}


def side_by_side(*, quick: bool) -> Iterator[dict[str, Any]]:
    """What every tool does for every job."""
    for job, (lengths, tools) in JOBS.items():
        for name, tool in tools.items():
            for length in lengths[:1] if quick else lengths:
                told = {"job": job, "tool": name, "tokens": length, "lines": lines(tool.way)}
                yield told | _in_child(job, name, length, quick=quick)


def lines(way: Way) -> int:
    """Lines of code that a user writes: those of the body, without its docstring."""
    [function] = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(way)))).body
    assert isinstance(function, ast.FunctionDef)
    return len(ast.unparse(ast.Module(function.body[1:], [])).replace("\n\n", "\n").splitlines())


def published() -> Iterator[dict[str, Any]]:
    """What was asked of published weights."""
    for name in PUBLISHED:
        yield {"job": name, **_child("--alone", name)}


def _in_child(job: str, name: str, length: int, *, quick: bool) -> dict[str, Any]:
    words = ["--job", job, "--tool", name, "--tokens", str(length)]
    return _child(*words, *(["--quick"] if quick else []))


def _child(*words: str) -> dict[str, Any]:
    """What a process of its own tells, in the environment of the tools."""
    done = subprocess.run(
        [str(python()), "-m", "benchmarks.lens", *words],
        capture_output=True,
        text=True,
        check=False,
        env=child_environment("peak"),
    )
    told = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if told:
        found: dict[str, Any] = json.loads(told[-1])
        return found
    return {"failed": (done.stderr.strip().splitlines() or ["no word"])[-1]}


def measured(job: str, name: str, length: int, *, quick: bool) -> dict[str, Any]:
    """Seconds of the processor and the most memory of a job; why not, where it cannot be done."""
    tool = JOBS[job][1][name]
    if find_spec(tool.package) is None:
        return {"failed": f"not installed: {tool.package}"}
    try:
        tool.way(*prepared(tool, SHORT, quick=quick))
        model, ids = prepared(tool, length, quick=quick)
        give_back()
        forget_peak()
        before, begun = resident_bytes("VmRSS"), process_time()
        found = tool.way(model, ids)
        seconds = process_time() - begun
        used = (resident_bytes("VmHWM") - before) / 2**20
        ran = model.config._attn_implementation
        told = {"seconds": seconds, "MB": used, "attention": ran}
        return told | _came(job, tool, found, ids, quick=quick)
    except Exception as error:  # tools raise what they like, and that is what is told
        return {"failed": f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"}


def _came(job: str, tool: Tool, found: Any, ids: torch.Tensor, *, quick: bool) -> dict[str, Any]:
    """What came of it: how far weights are from an eager run, how large a page is, a number."""
    if isinstance(found, str):
        return {"megabytes": len(found.encode()) / 2**20}
    if isinstance(found, float):
        return {"number": found}
    if job != WEIGHTS:
        return {}
    if not found or any(one is None for one in found):
        return {"failed": "no weights came"}
    eager = tool.model(quick=quick, implementation="eager")
    with torch.inference_mode():
        wanted = eager(input_ids=ids, output_attentions=True).attentions
    pairs = zip(found, wanted, strict=True)
    return {
        "error": max(float((one - own[..., : one.shape[-2], :]).abs().max()) for one, own in pairs)
    }
