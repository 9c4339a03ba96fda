"""Systems by what the command line calls them, measured one after the other."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from regard.data.pairs import Links
from regard.measures import AlignmentScore, alignment_score
from regard.tasks.translation.evaluation import (
    Evaluation,
    Exam,
    Report,
    against,
    alignments,
    evaluate,
    evaluate_texts,
    flipped,
    linked_by,
)
from regard.tasks.translation.evaluation.exam import gold_of, links_of
from regard.tasks.translation.predictor import Translator

from ...errors import ChoiceError, InputError
from ..models import folder_of, translator
from ..translation.options import SearchOptions
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


Tell = Callable[[str], object]
"""Says what is being done."""
Scored = tuple[str, AlignmentScore]
"""Links with their name."""


class EvaluateArguments(NamedTuple):
    """All that was said on the command line."""

    models: Sequence[str]
    exam: ExamOptions
    linking: LinkOptions
    search: SearchOptions
    device: str


def measured(said: EvaluateArguments, exam: Exam, tell: Tell) -> Report:
    """Everything about the models and the files of translations and links.

    Raises:
        ChoiceError: no such model, or words that do not go together.
        InputError: a file that does not fit the test.
    """
    linking = said.linking
    if (linking.heads or linking.reverse) and not exam.linked:
        raise ChoiceError("--heads and --reverse need gold links: name them by --alignments")
    edges, resampling = said.exam.edges or None, said.exam.resampling()
    of_texts = partial(
        evaluate_texts, edges=edges, measures=said.exam.measure, resampling=resampling
    )
    texts = [(name, exam.read_texts(name)) for name in said.exam.hypotheses]
    others = tuple(scored_links(linking))
    systems: list[Evaluation] = []
    both: list[Scored] = []
    for name, place in zip(short(said.models), said.models, strict=True):
        model = translator(place, said.device)
        if not said.exam.typed:
            model.typing = None  # tests are clean, and it is the model that is measured
        tell(f"{name}: translating {len(exam.held_out):,} sentences")
        systems.append(_evaluated(model, name, said, exam))
        if linking.reverse is not None:
            both.append(_both_ways(model, name, said, exam))
    systems += [of_texts(lines, exam.held_out, name=name) for name, lines in texts]
    tell("comparing")
    versus = against(systems, exam.held_out, resampling=resampling) if resampling else ()
    return Report(exam, tuple(systems), versus, (*both, *others))


def short(models: Sequence[str]) -> list[str]:
    """Paths without the folder that they all lie in; one alone as it is."""
    folders = [model.rpartition("/")[0] for model in models]
    if len(set(models)) < 2 or len(set(folders)) > 1 or not folders[0]:
        return list(models)
    return [model.rpartition("/")[2] for model in models]


def scored_links(linking: LinkOptions) -> Iterator[Scored]:
    """The files of links against gold.

    Raises:
        ChoiceError: there is no gold.
        InputError: something that is no link, or another number of lines.
    """
    if not linking.links:
        return
    if linking.alignments is None:
        raise ChoiceError("--links needs --alignments, the gold that they are held against")
    gold = gold_of(linking.alignments, linking.counted_from)
    for path in linking.links:
        found = links_of(path, linking.links_counted_from)
        if len(found) != len(gold):
            raise InputError(
                f"{path}: needs a line for each of the {len(gold)} lines of {linking.alignments}, "
                f"got {len(found)}"
            )
        yield path, alignment_score(found, gold)


def _evaluated(model: Translator, name: str, said: EvaluateArguments, exam: Exam) -> Evaluation:
    return evaluate(
        model,
        exam.held_out,
        name=name,
        strategy=said.search.strategy(),
        limits=said.search.limits(),
        linked=exam.linked,
        rule=said.linking.chosen_rule(),
        heads="every" if said.linking.heads else "alignment",
        edges=said.exam.edges or None,
        measures=said.exam.measure,
        resampling=said.exam.resampling(),
    )


def _both_ways(model: Translator, name: str, said: EvaluateArguments, exam: Exam) -> Scored:
    """Where a model and one of the other direction agree."""
    rule, reverse = said.linking.chosen_rule(), said.linking.reverse
    there = linked_by(model, exam.linked, rule=rule)
    back = linked_by(
        translator(reverse, said.device), [flipped(pair) for pair in exam.linked], rule=rule
    )
    agreed = [one & _turned(other) for one, other in zip(there, back, strict=True)]
    return f"{name} ∩ {reverse}", alignments(agreed, exam.linked)


def _turned(links: Links) -> Links:
    return frozenset((j, i) for i, j in links)
