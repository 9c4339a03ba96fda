"""Text generation: what is read, learned, validated, written, and taken up again."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch

import regard
from regard.data.batches import BatchConfig, Batches
from regard.decoding import Beam, Greedy, RepetitionPenalty
from regard.errors import ChoiceError, InputError
from regard.models import GPTConfig, RecurrentLMConfig, build
from regard.tasks.text_generation.codec import VocabularyConfig, codec_from
from regard.tasks.text_generation.evaluation import evaluate
from regard.tasks.text_generation.objective import LanguageObjective
from regard.tasks.text_generation.predictor import Generator
from regard.tasks.text_generation.recipe import recipe
from regard.tasks.text_generation.scoring import surprise
from regard.tasks.text_generation.task import TextGenerationTask
from regard.tasks.text_generation.windows import StreamPools, WindowPools
from regard.training import Budget, Settings, launch, relaunch
from training.small import everything, same

TEXT = "Anna saw the sea.\n\nBob – né Robert – saw it too; it was wide.\n" * 5
PERIOD = "abcdefg\n"
SMALL = GPTConfig(vocab=8, context=16, model_dim=32, hidden_dim=64, num_layers=2, position="rotary")
RECURRENT = RecurrentLMConfig(vocab=8, embedding_dim=24, hidden_dim=24, num_layers=1)


@pytest.fixture
def periodic(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(PERIOD * 150)
    return path


def settings(path, *, steps=60, **changes):
    task = {"kind": "text-generation", "data": {"train": str(path)}, "context": 16}
    task |= changes.pop("task", {})
    rates = {"rate": 0.01, "betas": (0.9, 0.95)}
    usual = {"optimisation": rates, "batch": {"max_tokens": 128}, "validate_every": 1000}
    return Settings(task=task, budget=Budget(steps=steps), save_every=15, **usual | changes)


@pytest.mark.parametrize("level", ["characters", "bytes", "bpe", "unigram"])
def test_text_comes_back_to_the_character(level):
    codec = VocabularyConfig(level=level, size=300).learn(TEXT)
    ids = codec.encode(TEXT).tolist()
    assert codec.decode(ids) == TEXT
    assert max(ids) < codec.sizes()["vocab"]
    again = codec_from(codec.files(), Path("run"))
    assert again.encode(TEXT).tolist() == ids
    assert codec.decode([codec.newline]) == "\n"


def test_a_character_that_was_never_seen_is_unknown():
    codec = VocabularyConfig().learn("abc")
    assert codec.encode("aЖ𝄞b").tolist()[1:3] == [codec.tokeniser.unk] * 2


def test_windows_hold_every_token_once_per_epoch_and_other_ones_next_time():
    text = np.arange(200) % 7
    pools = WindowPools(text, length=5, size=11)
    batches = Batches(pools, BatchConfig(max_tokens=20))
    epochs = [[batch for batch in batches] for _ in range(2)]
    for epoch in epochs:
        starts = torch.cat([batch.indices for batch in epoch])
        assert len(set(starts.tolist())) == len(starts) == (200 - 1) // 5 - 1
        assert len(set((starts % 5).tolist())) == 1
        for batch in epoch:
            assert batch.tokens.shape == batch.targets.shape
            for start, row, wanted in zip(batch.indices, batch.tokens, batch.targets, strict=True):
                assert row.tolist() == text[start : start + 5].tolist()
                assert wanted.tolist() == text[start + 1 : start + 6].tolist()
    assert epochs[0][0].indices.tolist() != epochs[1][0].indices.tolist()


def test_streams_go_on_where_they_were():
    text = np.arange(100)
    found = list(Batches(StreamPools(text, length=4, streams=3), BatchConfig(max_tokens=12)))
    assert [batch.first for batch in found] == [True, *[False] * (len(found) - 1)]
    for stream in range(3):
        whole = torch.cat([batch.tokens[stream] for batch in found])
        assert whole.tolist() == list(range(33 * stream, 33 * stream + 32))


def test_text_that_is_too_short_is_told():
    with pytest.raises(InputError, match="at least two tokens"):
        WindowPools(np.zeros(1, dtype=np.int64), length=4)


@pytest.mark.parametrize("model", [SMALL, RECURRENT], ids=["gpt", "lstm"])
def test_a_periodic_text_is_learned_to_almost_nothing_and_written_on(model, periodic, tmp_path):
    streams = {} if model is SMALL else {"task": {"streams": 8}}
    launch(settings(periodic, steps=120, **streams), model, tmp_path / "run")
    generator = regard.load(tmp_path / "run")
    found = generator("abc", max_tokens=40, strategy=Greedy())
    assert found.text == (PERIOD * 6)[:43]
    assert evaluate(generator, PERIOD * 20).nats_per_token.value < (0.35 if streams else 0.2)


@pytest.mark.parametrize("model", [SMALL, RECURRENT], ids=["gpt", "lstm"])
def test_a_run_that_was_interrupted_ends_with_the_same_bits(model, periodic, tmp_path):
    streams = {} if model is SMALL else {"task": {"streams": 8}}
    launch(settings(periodic, steps=40, **streams), model, tmp_path / "whole")
    launch(settings(periodic, steps=25, **streams), model, tmp_path / "parts")
    relaunch(tmp_path / "parts", budget=Budget(steps=40))
    whole, parts = everything(tmp_path / "whole"), everything(tmp_path / "parts")
    assert same(whole["model"], parts["model"])  # a run that ends is validated, and says so


def test_a_state_is_carried_from_batch_to_batch_and_dropped_at_the_beginning():
    model = build(RECURRENT).double()
    objective = LanguageObjective(model, streams=2)
    text = np.arange(41) % 8
    first, second, *_ = Batches(StreamPools(text, length=5, streams=2), BatchConfig(max_tokens=10))
    apart = [objective(batch).total.item() for batch in (first, second)]
    both = torch.cat([first.tokens, second.tokens], dim=1)
    logits = model(both).log_softmax(dim=-1)
    targets = torch.cat([first.targets, second.targets], dim=1)
    wanted = -logits.gather(-1, targets.unsqueeze(-1)).sum().item()
    assert sum(apart) == pytest.approx(wanted)
    assert objective(first).total.item() == pytest.approx(apart[0])


def test_a_model_whose_state_grows_carries_none():
    with pytest.raises(ChoiceError, match="leave streams at 0"):
        LanguageObjective(build(SMALL), streams=2)


def test_surprise_is_that_of_every_token_but_the_first():
    model, text = build(SMALL).double().eval(), np.arange(30) * 3 % 8
    found = surprise(model, text, length=7, max_tokens=14)
    wanted = 0.0
    with torch.no_grad():
        for start in range(0, 29, 7):
            window = torch.from_numpy(text[start : start + 8])
            logs = model(window[None, :-1])[0].log_softmax(dim=-1)
            wanted -= sum(logs[t, token].item() for t, token in enumerate(window[1:]))
    assert found.nats.sum() == pytest.approx(wanted, rel=1e-6)
    assert found.tokens.tolist() == [7, 7, 7, 7, 1]


def generator(level="characters", config=SMALL):
    codec = VocabularyConfig(level=level, size=280).learn(TEXT)
    return Generator(build(config.model_copy(update=codec.sizes())).eval(), codec)


def test_scores_of_a_text_have_intervals_and_count_characters():
    found = evaluate(generator("bpe"), TEXT)
    assert found.bits_per_character.interval.low < found.bits_per_character.value
    assert found.bits_per_character.value < found.bits_per_character.interval.high
    bits = found.nats_per_token.value * found.tokens / math.log(2) / found.characters
    assert found.bits_per_character.value == pytest.approx(bits)
    assert json.dumps(found.to_json())


@pytest.mark.parametrize("level", ["characters", "bytes", "bpe"])
def test_a_stream_is_the_text_piece_by_piece_beyond_the_context_too(level):
    writes = generator(level)
    whole = writes("Anna – ", max_tokens=50)
    pieces = list(writes.stream("Anna – ", max_tokens=50))
    assert len(whole.tokens) == 50 > SMALL.context
    assert whole.continuation.startswith("".join(pieces).rstrip("\ufffd"))
    assert len(pieces) > 10


def test_a_prompt_alone_and_among_others_has_the_same_text():
    writes = generator()
    prompts = ["Anna", "", "Bob saw the sea and it was wide", "saw"]
    assert [one.text for one in writes(prompts)] == [writes(one).text for one in prompts]


def test_a_prompt_longer_than_the_context_is_read_from_its_end():
    writes = generator()
    long = "Anna saw the sea. Bob saw it too."
    found = writes(long, max_tokens=5)
    assert found.cut == len(long) - SMALL.context
    assert found.continuation == writes(long[-SMALL.context :], max_tokens=5).continuation


def test_a_text_ends_with_the_token_that_was_named():
    writes = generator()
    free = writes("Anna", max_tokens=30)
    bound = writes("Anna", max_tokens=30, ends=(free.continuation[3],))
    assert bound.finished and len(bound.continuation) <= 3
    with pytest.raises(ChoiceError, match="one token"):
        writes("Anna", ends=("sea",))


@pytest.mark.parametrize("level", ["bpe", "unigram"])
def test_a_mark_that_ends_a_text_is_the_one_behind_a_word(level):
    codec = VocabularyConfig(level=level, size=280).learn("an ox. a cow; an ant. " * 9)
    dot = codec.encode("ox.").tolist()[-1]
    assert codec.pieces([dot]) == ["."] and dot in codec.tokens_of(".")
    assert codec.tokens_of("q zq z") == ()


def test_beams_and_processors_write_too():
    writes = generator()
    assert len(writes("Anna", max_tokens=30, strategy=Beam(size=3)).tokens) == 30
    again = writes("Anna", max_tokens=12, processors=(RepetitionPenalty(penalty=100.0),))
    assert len(set(again.continuation)) > 6


def test_a_sample_tells_where_all_heads_looked_in_the_prompt():
    found = generator()("Anna", max_tokens=3, looks=True)
    assert found.looks.weights.shape == (2, 4, 4, 4)
    torch.testing.assert_close(found.looks.weights.sum(dim=-1), torch.ones(2, 4, 4))
    assert len(found.views()) == 8
    assert json.loads(json.dumps(found.to_json()))["text"] == found.text


def test_the_recipe_follows_model_and_budget():
    task = TextGenerationTask()
    found = recipe("gpt-tiny", task, Budget(steps=500)).settings
    assert found.optimisation.schedule.kind == "cosine"
    assert found.optimisation.betas == (0.9, 0.95)
    assert found.batch.max_tokens % 64 == 0
    streams = recipe("lstm-lm-small", TextGenerationTask(streams=6), Budget(minutes=1)).settings
    assert streams.batch.max_tokens == 6 * 128


def test_the_grammar_is_what_is_learned_from_without_data():
    data = TextGenerationTask(data={"sentences": 40}).data
    train, valid = data.train_text().split("\n"), data.valid_text().split("\n")
    assert len(train) == 41 and not set(train) & set(valid) - {""}
