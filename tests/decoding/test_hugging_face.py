"""The same model through our strategies and through the generate of Hugging Face."""

from itertools import pairwise
from typing import NamedTuple

import pytest
import torch
from torch import Tensor
from transformers import MarianConfig, MarianMTModel

from regard.decoding import Beam, Greedy, Limits, decode

BOS, EOS, PAD, VOCAB, LONGEST = 2, 3, 0, 17, 9
SOURCES = [[4, 9, 5, EOS], [6, EOS], [9, 8, 7, 16, 5, 14, EOS], [15, 12, EOS]]


class Prefix(NamedTuple):
    memory: Tensor
    mask: Tensor
    tokens: Tensor

    def reorder(self, rows: Tensor) -> "Prefix":
        return Prefix(*(part.index_select(0, rows) for part in self))


class Wrapped:
    """A model of theirs behind our protocol: every step reads all of the prefix."""

    def __init__(self, model: MarianMTModel) -> None:
        self.model = model

    def start(self, source: Tensor, source_lengths: Tensor) -> Prefix:
        mask = (torch.arange(source.shape[1]) < source_lengths.unsqueeze(-1)).long()
        memory = self.model.get_encoder()(source, attention_mask=mask).last_hidden_state
        return Prefix(memory, mask, source.new_empty(len(source), 0))

    def step(self, tokens: Tensor, state: Prefix) -> tuple[Tensor, Prefix]:
        prefix = torch.cat([state.tokens, tokens.unsqueeze(-1)], dim=1)
        output = self.model(
            encoder_outputs=(state.memory,),
            attention_mask=state.mask,
            decoder_input_ids=prefix,
            use_cache=False,
        )
        return output.logits[:, -1].clone(), state._replace(tokens=prefix)

    def last_weights(self, state: Prefix) -> None:
        return None


@pytest.fixture(scope="module")
def marian() -> MarianMTModel:
    torch.manual_seed(7)
    config = MarianConfig(
        vocab_size=VOCAB,
        d_model=8,
        encoder_layers=1,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=12,
        decoder_ffn_dim=12,
        max_position_embeddings=32,
        init_std=1.0,
        pad_token_id=PAD,
        bos_token_id=BOS,
        eos_token_id=EOS,
        forced_eos_token_id=None,
        decoder_start_token_id=BOS,
    )
    model = MarianMTModel(config).double().eval()
    model.final_logits_bias[:, EOS] += 4.0
    return model


def generated(
    model: MarianMTModel, longest: int = LONGEST, **choices
) -> tuple[list[tuple[int, ...]], Tensor | None]:
    width = max(map(len, SOURCES))
    source = torch.tensor([tokens + [PAD] * (width - len(tokens)) for tokens in SOURCES])
    output = model.generate(
        source,
        attention_mask=(source != PAD).long(),
        do_sample=False,
        max_new_tokens=longest,
        suppress_tokens=[PAD, BOS],
        return_dict_in_generate=True,
        output_scores=True,
        **choices,
    )
    rows = [
        [token for token in row[1:] if token not in (PAD, EOS)] for row in output.sequences.tolist()
    ]
    return [tuple(row) for row in rows], getattr(output, "sequences_scores", None)


def test_greedy_is_theirs(marian):
    expected, _ = generated(marian, num_beams=1)
    limits = Limits(max_length=LONGEST)
    found = decode(Wrapped(marian), SOURCES, strategy=Greedy(), limits=limits)
    assert [best.tokens for (best,) in found] == expected
    assert len(set(expected)) > 1


@pytest.mark.parametrize("longest", [LONGEST, 2], ids=["ends", "cut"])
@pytest.mark.parametrize("size", [2, 4])
def test_a_beam_is_theirs_where_no_length_counts(marian, size, longest):
    choices = {"num_beams": size, "num_return_sequences": size, "early_stopping": True}
    expected, scores = generated(marian, longest, length_penalty=0.0, **choices)
    limits = Limits(max_length=longest)
    beam = Beam(size=size, n_best=size)
    found = decode(Wrapped(marian), SOURCES, strategy=beam, limits=limits)
    assert [one.tokens for each in found for one in each] == expected
    if longest < LONGEST and size > 2:  # the limit cuts, and what it cut does not stand last
        assert any(not a.finished and b.finished for each in found for a, b in pairwise(each))
    ours = torch.tensor([one.score for each in found for one in each])
    torch.testing.assert_close(ours, scores.float(), atol=1e-4, rtol=1e-4)
