"""Translators named on the command line, measured one after the other."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from regard.data.pairs import Links
from regard.errors import ChoiceError, InputError
from regard.measures import (
    AlignmentScore,
    Head,
    alignment_heads,
    alignment_score,
    grow_diag,
    grow_diag_final,
    intersection,
    union,
)
from regard.measures.alignment_heads import best_rule
from regard.tasks.translation.predictor import Translator

from ...evaluation import Models
from .alignments import LinkedPair, alignments, flipped, linked_by, weights_of
from .config import LinkConfig, TranslationEvaluation
from .evaluate import Evaluation, compare, evaluate, evaluate_texts
from .exam import Exam, gold_of, grammar_exam, links_of, read_exam
from .report import Report

SENTENCES, MAX_WORDS = 1000, 20
JOINED: Mapping[str, Callable[[Links, Links], Links]] = {
    "intersection": intersection,
    "union": union,
    "grow-diag": grow_diag,
    "grow-diag-final": grow_diag_final,
}
"""Links of two directions made one, by name."""
GRAMMAR_ONLY = ("sentences", "max_words")


def exam_from(said: TranslationEvaluation, models: Models) -> Exam:
    """The files that were named, or else the grammar.

    Raises:
        ChoiceError: neither was named and a model was not trained on the grammar, or words that do
            not go together.
        InputError: bad data, named by file and line.
    """
    _check(said)
    if said.data:
        return read_exam(
            *said.data,
            columns=said.columns,
            gold=said.alignments,
            counted_from=said.counted_from,
            linked_words=said.link_tokens,
        )
    trained = [_trained_on_grammar(models.settings(name)) for name in models.names]
    if not said.grammar and (not trained or None in trained):
        raise ChoiceError(
            "a test needs --data with sentences and their references, or --grammar for our own"
        )
    known = max((most for most in trained if most is not None), default=MAX_WORDS)
    sentences = SENTENCES if said.sentences is None else said.sentences
    return grammar_exam(sentences=sentences, max_words=said.max_words or known)


def _check(said: TranslationEvaluation) -> None:
    """Refuse words that would not be heard."""
    if said.data:
        if said.grammar:
            raise ChoiceError("--data and --grammar are two tests, got both; name one")
        for name in GRAMMAR_ONLY:
            if name in said.given:
                raise ChoiceError(
                    f"--{name.replace('_', '-')} belongs to the grammar, got it with --data"
                )
        return
    if "columns" in said.given:
        raise ChoiceError("--columns needs --data, which was not given")
    if said.alignments is not None:
        raise ChoiceError("--alignments needs --data, the pairs that it links, or --links")


def _trained_on_grammar(task: dict[str, Any]) -> int | None:
    """The longest sentence of the grammar in a model's training; ``None`` if it had none."""
    data = task.get("data")
    if not isinstance(data, dict) or data.get("kind") != "grammar":
        return None
    longest = data.get("max_words")
    return longest if isinstance(longest, int) else MAX_WORDS


Scored = tuple[str, AlignmentScore]
"""Links with their name."""


def measured(
    said: TranslationEvaluation,
    exam: Exam,
    opened: Iterable[tuple[str, Translator]],
    models: Models,
) -> Report:
    """Everything about the models and the files of translations and links.

    Args:
        said: how to measure.
        exam: on what.
        opened: translators with their names, read one after the other.
        models: where the one of the other direction is.

    Raises:
        ChoiceError: no such model, or words that do not go together.
        InputError: a file that does not fit the test.
    """
    chosen = said.chosen_heads()
    if (said.heads or said.reverse or chosen or said.best_heads) and not exam.linked:
        raise ChoiceError(
            "--heads, --best-heads, --by-heads and --reverse need gold links: name them by "
            "--alignments"
        )
    of_texts = partial(
        evaluate_texts,
        edges=said.edges or None,
        measures=said.measure,
        resampling=said.resampling,
    )
    texts = [(name, exam.read_texts(name)) for name in said.hypotheses]
    others = tuple(scored_links(said))
    systems: list[Evaluation] = []
    both: list[Scored] = []
    for name, model in opened:
        if not said.typed:
            model.typing = None  # tests are clean, and it is the model that is measured
        models.tell(f"{name}: translating {len(exam.held_out):,} sentences")
        systems.append(_evaluated(model, name, said, exam))
        both += by_heads(model, name, said, exam.linked)
        if said.reverse is not None:
            back = models.predictor(said.reverse)
            sign = "∩" if said.symmetrise == "intersection" else said.symmetrise
            both.append(_both_ways(model, back, f"{name} {sign} {said.reverse}", said, exam))
    systems += [of_texts(lines, exam.held_out, name=name) for name, lines in texts]
    models.tell("comparing")
    versus = compare(systems, exam.held_out, resampling=said.resampling) if said.resampling else ()
    return Report(exam, tuple(systems), versus, (*both, *others))


def short(models: Sequence[str]) -> list[str]:
    """Paths without the folder that they all lie in; one alone as it is."""
    folders = [model.rpartition("/")[0] for model in models]
    if len(set(models)) < 2 or len(set(folders)) > 1 or not folders[0]:
        return list(models)
    return [model.rpartition("/")[2] for model in models]


def scored_links(linking: LinkConfig) -> Iterator[Scored]:
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


def _evaluated(model: Translator, name: str, said: TranslationEvaluation, exam: Exam) -> Evaluation:
    return evaluate(
        model,
        exam.held_out,
        name=name,
        strategy=said.strategy(),
        limits=said.limits(),
        linked=exam.linked,
        rule=said.chosen_rule(),
        heads="every" if said.heads else "alignment",
        link_scores=said.link_scores,
        edges=said.edges or None,
        measures=said.measure,
        resampling=said.resampling,
    )


def by_heads(
    model: Translator, name: str, said: LinkConfig, pairs: Sequence[LinkedPair]
) -> Iterator[Scored]:
    """The mean of the heads that were named, and of those that are found to link best.

    Heads that are found have seen the gold that they are held against: name them for another test.

    Raises:
        ChoiceError: no such head.
    """
    chosen = said.chosen_heads()
    if not chosen and said.best_heads is None:
        return
    read, rule = weights_of(model, pairs, by=said.link_scores), said.chosen_rule()
    if chosen:
        layers, heads = read[0].weights.shape[:2]
        if any(one.layer >= layers or one.head >= heads for one in chosen):
            raise ChoiceError(
                f"{name} has layers 0 to {layers - 1} of heads 0 to {heads - 1}, got --by-heads "
                f"{' '.join(said.by_heads)}"
            )
        yield f"{name}, {_called(chosen, said)}", best_rule(read, {"": rule}, chosen)[""]
    if said.best_heads is not None:
        found = alignment_heads(read, said.best_heads, rule=rule)
        for count, score in enumerate(found.scores, 1):
            yield f"{name}, best: {_called(found.heads[:count], said)}", score


def _called(heads: Sequence[Head], said: LinkConfig) -> str:
    """Heads as they are typed, and what they are read by."""
    names = [f"{one.layer}.{one.head}" + f"+{one.shift}" * bool(one.shift) for one in heads]
    return f"{' '.join(names)} by {said.link_scores}"


def _both_ways(
    model: Translator, reverse: Translator, name: str, said: LinkConfig, exam: Exam
) -> Scored:
    """What a model and one of the other direction find together."""
    rule = said.chosen_rule()
    there = linked_by(model, exam.linked, rule=rule)
    back = linked_by(reverse, [flipped(pair) for pair in exam.linked], rule=rule)
    join = JOINED[said.symmetrise]
    agreed = [join(one, _turned(other)) for one, other in zip(there, back, strict=True)]
    return name, alignments(agreed, exam.linked)


def _turned(links: Links) -> Links:
    return frozenset((j, i) for i, j in links)
