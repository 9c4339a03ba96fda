"""What the command line names to test on."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...errors import ChoiceError
from ..models import folder_of
from .options import ExamOptions, LinkOptions

if TYPE_CHECKING:
    from regard.tasks.translation.evaluation import Exam

SENTENCES, MAX_WORDS = 1000, 20
GRAMMAR_ONLY = ("sentences", "max_words")


def exam_from(models: Sequence[str], options: ExamOptions, linking: LinkOptions) -> "Exam":
    """The files that were named, or else the grammar.

    Raises:
        ChoiceError: neither was named and a model was not trained on the grammar, or words that do
            not go together.
        InputError: bad data, named by file and line.
    """
    from regard.tasks.translation.evaluation import grammar_exam, read_exam

    _check(options, linking)
    if options.data:
        return read_exam(
            *options.data,
            columns=options.columns,
            gold=linking.alignments,
            counted_from=linking.counted_from,
            linked_words=linking.link_tokens,
        )
    trained = [_trained_on_grammar(model) for model in models]
    if not options.grammar and (not models or None in trained):
        raise ChoiceError(
            "a test needs --data with sentences and their references, or --grammar for our own"
        )
    known = max((most for most in trained if most is not None), default=MAX_WORDS)
    sentences = SENTENCES if options.sentences is None else options.sentences
    return grammar_exam(sentences=sentences, max_words=options.max_words or known)


def _check(options: ExamOptions, linking: LinkOptions) -> None:
    """Refuse words that would not be heard."""
    given = options.given()
    if options.data:
        if options.grammar:
            raise ChoiceError("--data and --grammar are two tests, got both; name one")
        for name in GRAMMAR_ONLY:
            if name in given:
                raise ChoiceError(
                    f"--{name.replace('_', '-')} belongs to the grammar, got it with --data"
                )
        return
    if "columns" in given:
        raise ChoiceError("--columns needs --data, which was not given")
    if linking.alignments is not None:
        raise ChoiceError("--alignments needs --data, the pairs that it links, or --links")


def _trained_on_grammar(model: str) -> int | None:
    """The longest sentence of the grammar in the training of a model; ``None`` if it had none."""
    from regard.storage import checkpoint
    from regard.storage.run_folder import read_best
    from regard.storage.stored_model import ModelSettings

    settings = read_best(
        folder_of(model), lambda folder: checkpoint.load_config(folder, ModelSettings)
    )
    data = settings.task.model_dump().get("data")
    if not isinstance(data, dict) or data.get("kind") != "grammar":
        return None
    longest = data.get("max_words")
    return longest if isinstance(longest, int) else MAX_WORDS
