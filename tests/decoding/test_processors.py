"""What changes logits: against plain loops, and against the processors of Hugging Face."""

import pytest
import torch
from transformers import (
    MinPLogitsWarper,
    NoBadWordsLogitsProcessor,
    NoRepeatNGramLogitsProcessor,
    RepetitionPenaltyLogitsProcessor,
    TypicalLogitsWarper,
)

from decoding.table_model import drawn
from reference import processors as reference
from regard.decoding import (
    Banned,
    Beam,
    Ensemble,
    Forced,
    Greedy,
    Included,
    Limits,
    NoRepeatNGram,
    RepetitionPenalty,
    Sample,
    Seen,
    decode,
    stream,
)
from regard.errors import ChoiceError

BOS, EOS, VOCAB = 2, 3, 11
TOKENS = torch.tensor([[5, 7, 5, 7, 9], [4, 4, 4, 4, 4], [-1, -1, 6, 8, 6]])
LOGITS = torch.randn(3, VOCAB, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
PROCESSORS = [
    RepetitionPenalty(penalty=1.7),
    NoRepeatNGram(size=1),
    NoRepeatNGram(size=2),
    NoRepeatNGram(size=3),
    Banned(words=((5,), (7, 9, 10), (6, 1))),
    Forced(words=((9, 8), (4, 4, 1))),
]


def processed(processor, tokens=TOKENS, begun=0):
    return processor(LOGITS.clone(), Seen(tokens, begun))


@pytest.mark.parametrize("processor", PROCESSORS, ids=repr)
def test_a_processor_gives_what_a_plain_loop_gives(processor):
    rule = getattr(reference, type(processor).__name__)(**processor.model_dump())
    rows = [[token for token in row if token >= 0] for row in TOKENS.tolist()]
    wanted = [rule(logits, row) for logits, row in zip(LOGITS.tolist(), rows, strict=True)]
    torch.testing.assert_close(processed(processor), torch.tensor(wanted, dtype=torch.float64))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (RepetitionPenalty(penalty=1.3), RepetitionPenaltyLogitsProcessor(1.3)),
        (NoRepeatNGram(size=2), NoRepeatNGramLogitsProcessor(2)),
        (Banned(words=((5,), (7, 9, 1))), NoBadWordsLogitsProcessor([[5], [7, 9, 1]])),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_processor_gives_what_that_of_hugging_face_gives(ours, theirs):
    whole = TOKENS[:2]
    wanted = theirs(whole, LOGITS[:2].clone())
    torch.testing.assert_close(ours(LOGITS[:2].clone(), Seen(whole, 0)), wanted)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Sample(min_p=0.2), MinPLogitsWarper(0.2)),
        (Sample(typical_p=0.6), TypicalLogitsWarper(0.6)),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_can_be_drawn_is_what_their_warper_leaves(ours, theirs):
    weights, _ = ours.likely(LOGITS.clone())
    left = theirs(TOKENS, LOGITS.clone()).softmax(dim=-1)
    torch.testing.assert_close(weights / weights.sum(dim=-1, keepdim=True), left)


def answers(**said):
    model = drawn(VOCAB, seed=3, ending=-1.0)
    limits = said.pop("limits", Limits(max_length=9))
    return decode(model, [[4, EOS], [9, 8, EOS]], limits=limits, **said)


@pytest.mark.parametrize("strategy", [Greedy(), Beam(size=3), Sample(seed=2)])
def test_every_strategy_keeps_to_the_processors(strategy):
    said = (Forced(prefix=(6, 9)), NoRepeatNGram(size=1))
    for [best, *_] in answers(strategy=strategy, processors=said):
        assert best.tokens[:2] == (6, 9)
        assert len(set(best.tokens)) == len(best.tokens)


def test_an_answer_does_not_end_before_the_words_it_must_include():
    word, model = (8, 5), drawn(VOCAB, seed=3, ending=3.0)
    said = {"limits": Limits(max_length=30, offset=30), "strategy": Sample(seed=4)}
    [[free]] = decode(model, [[4, EOS]], **said)
    [[bound]] = decode(model, [[4, EOS]], processors=(Included(words=(word,)),), **said)
    pairs = list(zip(bound.tokens, bound.tokens[1:], strict=False))
    assert len(free.tokens) < len(bound.tokens)
    assert not bound.finished or word in pairs


def test_several_tokens_end_an_answer_and_none_leaves_it_to_the_limit():
    [[one], _] = answers(eos=())
    assert not one.finished and len(one.tokens) == 9
    ends = (EOS, one.tokens[4])
    [[cut], _] = answers(eos=ends)
    first = next(place for place, token in enumerate(one.tokens) if token in ends)
    assert cut.finished and cut.tokens == one.tokens[:first]
    [[beam], _] = answers(eos=ends, strategy=Beam(size=1))
    assert beam.tokens == cut.tokens


@pytest.mark.parametrize("strategy", [Greedy(), Beam(size=2)])
def test_a_forced_end_finishes_what_the_limit_would_cut(strategy):
    limits = Limits(max_length=4, min_length=3)
    for [best, *_] in answers(strategy=strategy, limits=limits):
        assert len(best.tokens) in (3, 4)
    forced = limits.model_copy(update={"forced_end": True})
    for [best, *_] in answers(strategy=strategy, limits=forced):
        assert best.finished and len(best.tokens) == 3


@pytest.mark.parametrize("strategy", [Greedy(), Beam(size=3, n_best=2), Sample(seed=1, n=2)])
def test_log_probabilities_of_tokens_are_the_tables_and_add_up(strategy):
    model = drawn(VOCAB, seed=3, ending=1.0)
    for found in decode(model, [[4, EOS], [9, EOS]], strategy=strategy):
        for one in found:
            written = [*one.tokens, *([EOS] if one.finished else [])]
            logs = model.table.log_softmax(dim=-1)
            wanted = [
                logs[before, after].item()
                for before, after in zip([BOS, *written], written, strict=False)
            ]
            assert one.log_probs == pytest.approx(wanted)
            assert sum(one.log_probs) == pytest.approx(one.log_prob)


def test_scores_may_be_divided_by_a_power_of_the_length():
    for [best, *_] in answers(
        strategy=Beam(size=3, length_penalty=0.7, length_normalisation="length")
    ):
        length = len(best.tokens) + best.finished
        assert best.score == pytest.approx(best.log_prob / length**0.7)


@pytest.mark.parametrize("strategy", [Greedy(), Sample(seed=6)])
def test_a_stream_is_the_answer_token_by_token(strategy):
    model = drawn(VOCAB, seed=3)
    [[whole]] = decode(model, [[4, EOS]], strategy=strategy)
    assert tuple(stream(model, [4, EOS], strategy=strategy)) == whole.tokens


def test_a_stream_of_a_beam_is_refused():
    with pytest.raises(ChoiceError, match="token by token"):
        next(stream(drawn(VOCAB, seed=3), [4, EOS], strategy=Beam(size=2)))


def test_an_ensemble_says_the_mean_of_the_probabilities():
    models = [drawn(VOCAB, seed=seed) for seed in (1, 2)]
    both = Ensemble(models, [3.0, 1.0])
    state = both.start(torch.tensor([[4, EOS]]), torch.tensor([2]))
    logits, _ = both.step(torch.tensor([BOS]), state)
    shares = [model.table[BOS].softmax(dim=-1) for model in models]
    torch.testing.assert_close(logits[0].exp(), 0.75 * shares[0] + 0.25 * shares[1])
    [[best]] = decode(both, [[4, EOS]], strategy=Beam(size=2))
    assert best.tokens
