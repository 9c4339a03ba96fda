"""Checks of runs of a task: killed, damaged, in two processes, used and packed."""

import shutil
import signal
from pathlib import Path
from typing import Any

import torch

from regard.errors import RegardError
from regard.storage import checkpoint as checkpoints
from regard.storage import manifest
from regard.storage.run_folder import read_best
from regard.storage.stored_model import CODEC, read_model

from ..task_subject import STEPS, TaskSubject, curve, in_processes, killed, last, launched
from .task_data import same, shown
from .verdict import fail, number

NONSENSE = (b"", b"null", b"[]", b"{}", b"[" * 100_000)
"""Files that no codec wrote."""


def resumption(subject: TaskSubject) -> None:
    """A run killed by ``kill -9`` and resumed ends with the same bits."""
    from regard.training import relaunch

    folder, whole = subject.folder / "killed", last(subject.run)
    codes = in_processes(1, killed, subject.short(), subject.config, folder, STEPS - 1)
    if codes != [-signal.SIGKILL]:
        fail(f"the run that was to be killed ended with {codes[0]}; see what it printed")
    relaunch(folder, device="cpu")
    resumed = last(folder)
    if not same(resumed.model, whole.model):
        fail("killed and resumed, it ends with other weights")
    if not same(_timeless(resumed.resume), _timeless(whole.resume)):
        fail("killed and resumed, it has the same weights, and would go on otherwise")


def damage(subject: TaskSubject) -> None:
    """A byte that is flipped in any file of a checkpoint is refused; nonsense in a file of
    the codec, whose sum is right, raises nothing but our errors: whoever sends a model can write
    what they like."""
    whole = last(subject.run).folder
    for path in sorted(part for part in whole.rglob("*") if part.is_file()):
        copy = subject.folder / "damaged"
        shutil.copytree(whole, copy)
        place = copy / path.relative_to(whole)
        content = bytearray(place.read_bytes())
        content[len(content) // 2] ^= 1
        place.write_bytes(content)
        _require_refused(copy, f"a flipped byte in {path.name}")
        shutil.rmtree(copy)
    copy = subject.folder / "nonsense"
    shutil.copytree(whole, copy)
    for place in sorted(part for part in (copy / CODEC).rglob("*") if part.is_file()):
        original = place.read_bytes()
        for nonsense in NONSENSE:
            _seal(copy, place, nonsense)
            _require_refused(copy, f"{nonsense[:9]!r} as {place.name}", needed=False)
        _seal(copy, place, original)


def processes(subject: TaskSubject) -> None:
    """Two processes make the run of one whose batches are twice as large."""
    folder, alone = subject.folder / "two", subject.folder / "one"
    codes = in_processes(2, launched, subject.short(), subject.config, folder)
    if any(codes):
        fail(f"two processes ended with {codes[0]} and {codes[1]}; see what they printed")
    launched(subject.short(times=2), subject.config, alone)
    found, expected = curve(folder), curve(alone)
    if found.shape != expected.shape:
        fail(f"two processes logged {len(found)} steps, and one {len(expected)}")
    if not torch.allclose(found, expected, rtol=subject.tolerance, atol=subject.tolerance):
        off = number((found - expected).abs().max())
        fail(f"loss or gradient of two processes and of one with the doubled batch differ by {off}")


def prediction(subject: TaskSubject) -> None:
    """A sample for every input, in their order, in JSON and in a terminal."""
    predictor = read_best(subject.run, read_model).predictor()
    if list(predictor.predict([])):
        fail("no input needs no sample")
    for looks in (False, True):
        found = list(predictor.predict(iter(subject.inputs), looks=looks))
        if len(found) != len(subject.inputs):
            fail(f"{len(subject.inputs)} inputs have {len(found)} samples")
        for sample in found:
            shown(sample)


def packing(subject: TaskSubject) -> None:
    """The predictor of a packed model answers like that of the run."""
    from regard.zoo.packing import pack

    made = pack(subject.run, subject.folder / "packed", precision="float32", sentences=0)
    if _answers(subject, made.folder) != _answers(subject, subject.run):
        fail("the packed model gives other answers than the run")
    compared = pack(subject.run, subject.folder / "small", precision="int8", sentences=2).comparison
    if compared is not None and not 0 <= compared.changed <= compared.examples:
        fail(f"compared() counts {compared.changed} of {compared.examples} answers as changed")


def _answers(subject: TaskSubject, folder: Path) -> list[str]:
    """In JSON; what is drawn is drawn alike."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return [*map(shown, read_best(folder, read_model).predictor().predict(subject.inputs))]


def _timeless(state: dict[str, Any]) -> dict[str, Any]:
    return {**state, "progress": {**state["progress"], "seconds": None}}


def _seal(folder: Path, place: Path, content: bytes) -> None:
    place.write_bytes(content)
    (folder / manifest.NAME).unlink()
    manifest.seal(folder)


def _require_refused(folder: Path, what: str, *, needed: bool = True) -> None:
    from regard.training.config import RunConfig

    try:
        checkpoints.load_to_resume(folder, RunConfig)
        read_model(folder)
    except RegardError:
        return
    except Exception as error:
        fail(f"{what} raised {type(error).__name__}: {error}")
    if needed:
        fail(f"{what} was not noticed")
