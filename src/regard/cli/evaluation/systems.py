"""Systems by what the command line calls them, measured one after the other."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from regard.data.pairs import Links
from regard.measures import AlignmentScore, alignment_score
from regard.tasks.translation.evaluation import (
    Evaluation,
    Exam,
    against,
    alignments,
    evaluate,
    evaluate_texts,
    flipped,
    linked_by,
)
from regard.tasks.translation.evaluation.gold import gold_of, links_of
from regard.tasks.translation.predictor import Translator

from ...errors import ChoiceError, InputError
from ..models import translator
from ..translation.options import SearchOptions
from .options import ExamOptions, LinkOptions
from .report import Report

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
    of_texts = partial(evaluate_texts, edges=edges, resampling=resampling)
    texts = [(name, exam.read_texts(name)) for name in said.exam.hypotheses]
    others = tuple(scored_links(linking))
    systems: list[Evaluation] = []
    both: list[Scored] = []
    for name, place in zip(short(said.models), said.models, strict=True):
        model = translator(place, said.device)
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
