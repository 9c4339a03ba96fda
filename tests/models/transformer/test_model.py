import pytest
import torch
from torch.testing import assert_close

from models.transformer.sentences import TARGET_VOCAB, real, sentences, tiny
from regard.functional import normalisers, scores
from regard.lens import capture
from regard.testing import check_seq2seq

CHOICES = [
    {},
    {"norm": "pre", "position": "learned"},
    {"norm": "pre", "position": "linear", "activation": "gelu"},
    {"position": "rotary", "activation": "swiglu"},
    {"position": "alibi", "num_heads": 4, "num_key_heads": 2},
    {"position": "relative"},
    {"position": "shaw", "alignment_head": 1},
    {"position": "t5", "norm": "pre"},
    {"position": "none", "num_heads": 4, "num_key_heads": 1, "alignment_head": 3},
    {"score": "additive", "normalise": "sparsemax"},
    {"score": "general", "normalise": normalisers.TopK(2)},
    {"score": scores.Cosine(scale=3.0), "normalise": "entmax15", "position": "rotary"},
    {"shared": True, "source_vocab": TARGET_VOCAB, "tied": True},
]
LABELS = [", ".join(f"{what}={value}" for what, value in choice.items()) for choice in CHOICES]
STEPS = 130
every_choice = pytest.mark.parametrize("choice", CHOICES, ids=LABELS)


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


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_gradients_of_a_tiny_model_are_right(norm):
    model, batch = tiny(norm=norm, encoder_layers=1, decoder_layers=1, tied=True), sentences()
    names = [
        *("encoder.0.attention.in_proj.weight", "encoder.0.feed_forward.input_proj.bias"),
        *("decoder.0.cross.in_proj.weight", "decoder.0.around_cross.norm.weight"),
        *("target_embedding.weight", "output.proj.bias"),
    ]
    chosen = dict(model.named_parameters())

    def loss(*values):
        replaced = dict(zip(names, values, strict=True))
        logits = torch.func.functional_call(model, replaced, tuple(batch))
        return logits.log_softmax(-1)[real(batch)].square().mean()

    values = tuple(value.detach().requires_grad_() for value in map(chosen.get, names))
    assert torch.autograd.gradcheck(loss, values, fast_mode=True)


def test_beams_that_stay_with_their_sentence_share_its_memory():
    model, batch = tiny(), sentences()
    state = model.start(batch.source, batch.source_lengths)
    doubled = state.reorder(torch.tensor([0, 0, 1, 1, 2, 2]))
    _, after = model.step(torch.tensor([1, 2, 3, 4, 5, 6]), doubled)
    swapped = after.reorder(torch.tensor([1, 0, 3, 2, 5, 5]))
    assert swapped.memories is after.memories
    crossed = after.reorder(torch.tensor([2, 0, 3, 2, 5, 5]))
    assert crossed.memories is not after.memories


@pytest.mark.parametrize("head", [0, 1, "mean"])
@pytest.mark.parametrize("layer", [0, 2, -2])
def test_alignment_is_what_the_chosen_head_was_seen_to_look_at(head, layer):
    model, batch = tiny(alignment_layer=layer, alignment_head=head), sentences()
    with capture(model) as record:
        weights = model.decode_parallel(*batch, aligned=True).weights
    seen = record[f"decoder.{layer % 3}.cross"].weights
    expected = seen.mean(dim=1) if head == "mean" else seen[:, head]
    assert_close(weights, expected)
    assert_close(weights.sum(-1)[real(batch)], torch.ones(11, dtype=torch.float64))
    assert weights.requires_grad


def test_the_last_layer_but_one_says_where_a_model_looked():
    assert tiny().config.chosen_alignment_layer == 1
    assert tiny(decoder_layers=1).config.chosen_alignment_layer == 0


def test_guided_attention_reaches_the_queries_and_keys_of_its_head_alone():
    model, batch = tiny(alignment_layer=2, alignment_head=1), sentences()
    model.decode_parallel(*batch, aligned=True).weights.square().sum().backward()
    cross = model.decoder[2].cross
    moved = cross.in_proj.weight.grad.abs().sum(dim=1) > 0  # rows: queries, keys, values of 2 heads
    assert moved.tolist() == ([False] * 4 + [True] * 4) * 2 + [False] * 8
    assert model.decoder[2].feed_forward.input_proj.weight.grad is None
    assert model.encoder[0].attention.in_proj.weight.grad.any()


def test_without_alignment_no_weights_are_made():
    assert tiny().decode_parallel(*sentences()).weights is None


def test_embeddings_enter_at_a_scale_of_one_and_matrices_are_xavier():
    model = tiny(model_dim=64, num_heads=4, hidden_dim=96, source_vocab=400)
    batch = sentences()
    vectors = model.embed_source(batch.source)
    position = model.source_position(torch.zeros(1, 7, 64, dtype=torch.float64))
    table = model.source_embedding.weight
    assert_close(vectors, table[batch.source] * 8 + position)
    assert table[1:].detach().std().item() * 8 == pytest.approx(1, rel=0.05)
    layer = model.decoder[0]
    for weight in (layer.feed_forward.input_proj.weight, layer.cross.output_proj.weight):
        bound = (6 / sum(weight.shape)) ** 0.5
        assert weight.abs().max() <= bound
        assert weight.detach().std().item() == pytest.approx(bound / 3**0.5, rel=0.05)
    assert not layer.feed_forward.input_proj.bias.any()


def test_tied_and_shared_embeddings_are_one_matrix():
    model = tiny(shared=True, tied=True, source_vocab=TARGET_VOCAB)
    matrix = model.source_embedding.weight
    assert model.target_embedding.weight is matrix
    assert model.output.proj.weight is matrix
    assert tiny().output.proj.weight is not tiny().target_embedding.weight


def test_each_kind_of_dropout_makes_training_random():
    for kind in ("dropout", "embedding_dropout", "attention_dropout", "activation_dropout"):
        model, batch = tiny(**{kind: 0.4}, encoder_layers=1, decoder_layers=1), sentences()
        assert torch.equal(model(*batch), model(*batch))
        model.train()
        assert not torch.allclose(model(*batch), model(*batch)), kind


def test_a_copying_model_is_learned_to_perfection():
    model = tiny(
        norm="pre", model_dim=64, num_heads=2, hidden_dim=64, encoder_layers=1, decoder_layers=1
    ).float()
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
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
