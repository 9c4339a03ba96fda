from typing import Any

import pytest
import torch
from torch.testing import assert_close

from models.transformer.sentences import PAD, SOURCE_VOCAB, TARGET_VOCAB, real, sentences
from regard.lens import capture
from regard.models.conv import ConvS2S, ConvS2SConfig
from regard.testing import check_seq2seq

STEPS = 80


def tiny(**changes: Any) -> ConvS2S:
    """A model for which every size is another one, in float64 and without dropout."""
    sizes = {
        "source_vocab": SOURCE_VOCAB,
        "target_vocab": TARGET_VOCAB,
        "pad": PAD,
        "dropout": 0.0,
        "embedding_dim": 6,
        "hidden_dim": 8,
        "encoder_layers": 2,
        "decoder_layers": 3,
        "max_length": 20,
    }
    torch.manual_seed(1)
    return ConvS2S(ConvS2SConfig(**{**sizes, **changes})).double().eval()


CHOICES = [
    {},
    {"encoder_kernel": 1, "decoder_kernel": 1},
    {"encoder_kernel": 5, "decoder_kernel": 4, "alignment_layer": 1},
    {"shared": True, "source_vocab": TARGET_VOCAB, "tied": True, "alignment_layer": -1},
]
every_choice = pytest.mark.parametrize("choice", CHOICES, ids=str)


@every_choice
def test_shapes_are_those_of_the_signatures(choice):
    """Checked on the way, in a full pass and a step."""
    model, batch = tiny(**choice), sentences()
    assert model(*batch).shape == (3, 6, TARGET_VOCAB)
    logits, _ = model.step(batch.target[:, 0], model.start(batch.source, batch.source_lengths))
    assert logits.shape == (3, TARGET_VOCAB)


@every_choice
@pytest.mark.usefixtures("without_shape_checks")
def test_a_model_keeps_the_promises_of_its_kind(choice):
    check_seq2seq(tiny(**choice), tolerance=1e-7)


def test_a_token_is_seen_as_far_as_the_kernels_reach_and_no_farther():
    model, batch = tiny(decoder_layers=2), sentences(target=(9, 9, 9))
    changed = batch.target.clone()
    changed[:, 1] = changed[:, 1] % (TARGET_VOCAB - 1) + 1
    moved = (model(*batch) - model(*batch._replace(target=changed))).abs().amax(dim=(0, 2)) > 1e-12
    assert moved.tolist() == [False] + [True] * 5 + [False] * 3


def test_gradients_of_a_tiny_model_are_right():
    model, batch = tiny(encoder_gradient=1.0, encoder_layers=1, decoder_layers=2), sentences()
    names = [
        *("encoder.layers.0.convolution.weight", "encoder.output_proj.bias"),
        *("decoder.0.convolution.convolution.weight", "decoder.1.query_proj.weight"),
        *("source_embedding.weight", "target_position.table", "output.proj.bias"),
    ]
    chosen = dict(model.named_parameters())

    def loss(*values):
        replaced = dict(zip(names, values, strict=True))
        logits = torch.func.functional_call(model, replaced, tuple(batch))
        return logits.log_softmax(-1)[real(batch)].square().mean()

    values = tuple(value.detach().requires_grad_() for value in map(chosen.get, names))
    assert torch.autograd.gradcheck(loss, values, fast_mode=True)


def test_the_gradient_into_the_encoder_is_divided_by_the_number_of_attentions():
    full, shared = tiny(encoder_gradient=1.0), tiny()
    for model in (full, shared):
        model(*sentences()).square().mean().backward()
    for name, parameter in full.encoder.named_parameters():
        assert_close(dict(shared.encoder.named_parameters())[name].grad * 3, parameter.grad)
    assert_close(shared.decoder[0].query_proj.weight.grad, full.decoder[0].query_proj.weight.grad)


@pytest.mark.parametrize("layer", [0, 2, "mean"])
def test_alignment_is_where_the_layers_were_seen_to_look(layer):
    model, batch = tiny(alignment_layer=layer), sentences()
    with capture(model) as record:
        weights = model.decode_parallel(*batch, aligned=True).weights
    seen = torch.stack([record[f"decoder.{number}.cross"].weights for number in range(3)])
    assert_close(weights, seen.mean(dim=0) if layer == "mean" else seen[layer])
    assert weights.requires_grad
    assert model.decode_parallel(*batch).weights is None


def test_beams_that_stay_with_their_sentence_share_its_memory():
    model, batch = tiny(), sentences()
    state = model.start(batch.source, batch.source_lengths).reorder(torch.tensor([0, 0, 1, 1]))
    assert state.reorder(torch.tensor([1, 1, 3, 2])).memory is state.memory
    assert state.reorder(torch.tensor([2, 1, 3, 2])).memory is not state.memory


def test_a_copying_model_is_learned_to_perfection():
    model = tiny(embedding_dim=32, hidden_dim=32, encoder_layers=1, decoder_layers=2).float()
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    cooling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, STEPS)
    generator = torch.Generator().manual_seed(3)
    lengths = torch.full((64,), 5)
    for _ in range(STEPS):
        source = torch.randint(2, 11, (64, 5), generator=generator)
        target = torch.cat([torch.ones(64, 1, dtype=torch.long), source[:, :-1]], dim=1)
        logits = model(source, lengths, target)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), source.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        cooling.step()
    model.eval()
    source = torch.randint(2, 11, (100, 5), generator=generator)
    state, said = model.start(source, torch.full((100,), 5)), torch.ones(100, dtype=torch.long)
    with torch.no_grad():
        for place in range(5):
            logits, state = model.step(said, state)
            said = logits.argmax(-1)
            assert torch.equal(said, source[:, place])
