"""The list of commands: what ``regard --help`` shows before any of them is imported.

To add a command, write ``cli/<name>.py`` with a typed function ``<name>``, or one that is made
anew for the words behind it, and give it a line here.
The file must not import torch at its top: ``regard <name> --help`` reads it.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from ..registry import Registry

if TYPE_CHECKING:
    from cyclopts import App


class Command(NamedTuple):
    """One command of the shell."""

    name: str
    summary: str
    examples: tuple[str, str]
    made: bool = False
    """Whether its module makes it for the words that follow, by ``command(words)``: flags depend on
    them, or it has commands of its own."""
    renamed: Mapping[str, str] = {}
    """Earlier spellings of its flags."""

    @property
    def target(self) -> str:
        """Where the function is, as ``module:function``."""
        return f"regard.cli.{self.name}:{self.name}"

    def function(self, words: Sequence[str]) -> "str | Callable[..., int | None] | App":
        """The command for these words, or where it is."""
        if not self.made:
            return self.target
        found: Callable[..., int] | App = import_module(f"regard.cli.{self.name}").command(words)
        return found

    def today(self, words: Sequence[str]) -> list[str]:
        """The words, with flags as they are spelled today."""
        parts = [(word, *word.partition("=")) for word in words]
        return [
            self.renamed[name] + sign + value if name in self.renamed else word
            for word, name, sign, value in parts
        ]


def epilogue(examples: tuple[str, str]) -> str:
    """The end of every help page: two command lines which work as they stand."""
    return "Examples:\n" + "\n".join(f"  $ {example}" for example in examples)


COMMANDS: Registry[Command] = Registry("command")
for _command in (
    Command(
        "explain",
        "Show every step of one small attention, number by number.",
        (
            'regard explain --query "10,5,10" --score dot \\\n'
            '      --keys "0,1,1; 5,0,1; 1,1,0; 0,5,1"',
            'regard explain --query "1,2" --keys "1,0; 0,1" --normalise sparsemax',
        ),
    ),
    Command(
        "figure",
        "Draw a figure of the literature, or how runs went.",
        (
            "regard figure nadaraya-watson --out nadaraya-watson.png",
            "regard figure curves runs/bahdanau-small --out curves.png",
        ),
    ),
    Command(
        "list",
        "List mechanisms, models, tasks, or trained models.",
        ("regard list models", "regard list mechanisms --family scores --json"),
    ),
    Command(
        "data",
        "Fetch a public dataset, checked, with its licence.",
        ("regard data get tatoeba-en-fr", "regard data grammar --pairs 1000 --max-words 7"),
        made=True,
    ),
    Command(
        "train",
        "Train a model on your data, or on our grammar.",
        (
            "regard train --model bahdanau-small --out run/",
            "regard train --model transformer-small --data pairs.tsv --minutes 60",
        ),
        made=True,
        renamed={
            "--from": "--init-from",
            "--word-rate": "--embedding-rate-factor",
            "--spread": "--parallel",
            "--linked-words": "--link-tokens",
        },
    ),
    Command(
        "evaluate",
        "Measure trained models on examples held out, beside each other.",
        (
            "regard evaluate run/ --data test.tsv --alignments test.gold --heads",
            "regard evaluate run/ other/ --data test.tsv --figure lengths.png",
        ),
        made=True,
        renamed={"--above": "--threshold", "--linked-words": "--link-tokens"},
    ),
    Command(
        "pack",
        "Pack a trained model into a small folder to be passed on.",
        (
            "regard pack run/ --out en-fr/",
            "regard pack run/ --out en-fr/ --precision float16 --licence 'CC BY 4.0'",
        ),
    ),
    Command(
        "convert",
        "Turn models of transformers into ours, or ours into theirs.",
        (
            "regard convert --from-hf all-MiniLM-L6-v2/ --out minilm/",
            "regard convert run/ --to-hf folder/",
        ),
    ),
    Command(
        "zoo",
        "List the trained models of regard[zoo], or print a card.",
        ("regard zoo list", "regard zoo card en-fr-transformer"),
    ),
    Command(
        "translate",
        "Translate text, a file or stdin, line by line.",
        (
            'regard translate "The black cat ate the mouse." --show',
            "regard translate --file sentences.txt --model run/ --alignments",
        ),
    ),
    Command(
        "fill",
        "Fill the holes of text with the likeliest words.",
        (
            'regard fill "The cat ___ on the mat." --top 5 --show',
            "regard fill --file sentences.txt --model run/ --json",
        ),
    ),
    Command(
        "embed",
        "Compare words by their vectors: nearest, similar, analogous.",
        (
            "regard embed --nearest cat",
            'regard embed --contextual bank "He put money in the bank." \\\n'
            '      "They sat on the bank of the river."',
        ),
    ),
    Command(
        "generate",
        "Go on with a text, which appears as it is written.",
        (
            'regard generate "Once upon" --model run/ --temperature 0.8',
            'regard generate "Once upon" --model run/ --top-k 40 --seed 1 --json',
        ),
    ),
    Command(
        "tag",
        "Tag the words of text, a file or stdin, line by line.",
        (
            'regard tag "The black cat ate the mouse." --show',
            "regard tag --file sentences.txt --model run/ --json",
        ),
    ),
    Command(
        "classify",
        "Find the label of texts, line by line, or of pictures.",
        (
            'regard classify "A warm, funny, engaging film." --show',
            "regard classify picture.jpg --model run/ --out looked.html",
        ),
    ),
    Command(
        "caption",
        "Say what is in pictures, and where each word looked.",
        (
            "regard caption picture.png --show",
            "regard caption picture.png --model run/ --out words.png --json",
        ),
    ),
    Command(
        "answer",
        "Answer questions about a passage, a story or a picture.",
        (
            'regard answer "Who came?" --passage "Anna came in 1987." --show',
            "regard answer --file questions.txt --passage passage.txt --json",
        ),
    ),
    Command(
        "detect",
        "Find objects in pictures: boxes, labels, how sure.",
        (
            "regard detect blood.png --show",
            "regard detect *.jpg --model run/ --out found.html --json",
        ),
    ),
    Command(
        "segment",
        "Tell the pixels of pictures apart: a class for each.",
        (
            "regard segment cat.jpg --model run/ --mask mask.png",
            "regard segment *.jpg --model run/ --out masks.html --json",
        ),
    ),
    Command(
        "reconstruct",
        "Take texts or pictures through a few numbers, and back.",
        (
            'regard reconstruct "The black cat ate the mouse." --model run/ --show',
            "regard reconstruct digits --model run/ --first 16 --out digits.png",
        ),
    ),
    Command(
        "show",
        "Draw where a model looks, as map, heads, text or picture.",
        (
            'regard show "The black cat ate the mouse." --view heads',
            'regard show "red dress" --translation "robe rouge" \\\n'
            "      --head all --out heads.png",
        ),
    ),
    Command(
        "census",
        "Say what every head of a model does, over a corpus.",
        (
            "regard census en-fr-transformer",
            "regard census run/ --data pairs.tsv --other test.tsv --important --json",
        ),
    ),
    Command(
        "doctor",
        "Find out why attention is uniform, stuck or leaking.",
        (
            "regard doctor en-fr-transformer",
            "regard doctor run/ --data valid.tsv --strict --json",
        ),
    ),
    Command(
        "faithful",
        "Say whether attention explains one word of an answer.",
        (
            'regard faithful en-fr-transformer "The black cat ate the mouse." --word 5',
            'regard faithful run/ "I love you." --word 1 --json',
        ),
    ),
    Command(
        "bench",
        "Measure regard beside its peers, interleaved in one run.",
        ("regard bench kernels --quick", "regard bench modules --quick"),
    ),
):
    COMMANDS.add(_command.name, _command)

ROOT_EXAMPLES = (COMMANDS["explain"].examples[0], "regard figure --help")
