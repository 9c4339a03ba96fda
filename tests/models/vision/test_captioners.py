"""Captioners: their equations, step by step in plain loops, and the contract of all of them."""

import pytest
import torch
from pydantic import ValidationError
from torch.testing import assert_close

from reference import looking as reference
from regard.decoding import Beam, Limits, StepDecoder, decode
from regard.errors import ShapeError
from regard.models.vision import (
    AttendTell,
    AttendTellConfig,
    CNNConfig,
    ConvGrid,
    EncodedGrid,
    StoredGrid,
    TransformerCaptioner,
    TransformerCaptionerConfig,
    ViTConfig,
)
from regard.models.vision.looking import Everywhere, Hard, Soft
from regard.tasks.seeing.prompts import PicturePrompts

GRID = StoredGrid(features=5, height=2, width=3)
SIZES = {"vocab": 11, "grid": GRID, "dropout": 0.0}


def attend_tell(**changes) -> AttendTell:
    fields = {
        **SIZES,
        "annotation_dim": 6,
        "embedding_dim": 4,
        "hidden_dim": 7,
        "attention": Soft(attention_dim=3),
    }
    return AttendTell(AttendTellConfig(**fields | changes))


def transformer(**changes) -> TransformerCaptioner:
    fields = {**SIZES, "model_dim": 8, "num_heads": 2, "decoder_layers": 2, "hidden_dim": 12}
    return TransformerCaptioner(TransformerCaptionerConfig(**fields | changes))


MODELS = {
    "soft": attend_tell,
    "not gated": lambda: attend_tell(gated=False),
    "sparse": lambda: attend_tell(attention=Soft(attention_dim=3, normalise="sparsemax")),
    "hard": lambda: attend_tell(attention=Hard(attention_dim=3)),
    "none": lambda: attend_tell(attention=Everywhere()),
    "transformer": transformer,
    "transformer with an encoder": lambda: transformer(encoder_layers=1),
}
MAPS = torch.rand(2, 5, 2, 3, generator=torch.Generator().manual_seed(1))
TOKENS = torch.tensor([[2, 7, 4, 9], [2, 5, 10, 3]])


@pytest.fixture(params=MODELS, scope="module")
def model(request):
    torch.manual_seed(3)
    return MODELS[request.param]().eval()


def pair(layer):
    bias = layer.bias
    rows = layer.weight.tolist()
    return rows, [0.0] * len(rows) if bias is None else bias.tolist()


def parameters(model: AttendTell):
    looking = model.looking.attention
    sides = {
        "v": looking.v.tolist(),
        "query": pair(looking.query_proj),
        "key": pair(looking.key_proj),
    }
    scaled = model.embedding.weight * model.config.embedding_dim**0.5
    return {
        **sides,
        "embedding": scaled.tolist(),
        "first_hidden": pair(model.first_hidden),
        "first_memory": pair(model.first_memory),
        "gate": pair(model.gate) if model.gate is not None else None,
        "input": pair(model.cell.input_proj),
        "hidden": (model.cell.hidden_proj.weight.tolist(), [0.0] * 4 * model.config.hidden_dim),
        "from_hidden": pair(model.from_hidden),
        "from_context": pair(model.from_context),
        "output": pair(model.output.proj),
    }


@pytest.mark.parametrize("name", ["soft", "not gated", "hard"])
def test_show_attend_and_tell_is_that_of_a_plain_loop(name):
    torch.manual_seed(5)
    model = MODELS[name]().double().eval()
    torch.nn.init.normal_(model.output.proj.bias)
    places = model.read(MAPS).double().detach()
    decoded = model.decode(places, TOKENS, aligned=True)
    logits = model.output(decoded.features)
    for row in range(2):
        expected, looks = reference.attend_and_tell(
            parameters(model),
            places[row].tolist(),
            TOKENS[row].tolist(),
            gated=name != "not gated",
            hard=name == "hard",
        )
        assert_close(logits[row], torch.tensor(expected, dtype=torch.float64))
        assert_close(decoded.weights[row], torch.tensor(looks, dtype=torch.float64))


def test_step_by_step_is_all_at_once(model):
    decoded = model.decode_parallel(MAPS, TOKENS, aligned=True)
    state = model.start(MAPS)
    assert isinstance(model, StepDecoder)
    for step in range(4):
        logits, state = model.step(TOKENS[:, step], state)
        assert_close(logits, model.output(decoded.features)[:, step], atol=1e-5, rtol=1e-5)
        weights = model.last_weights(state)
        if decoded.weights is None:
            assert weights is None
        else:
            assert_close(weights, decoded.weights[:, step], atol=1e-5, rtol=1e-5)
            assert_close(weights.sum(-1), torch.ones(2))


def test_a_later_word_changes_nothing_before_it(model):
    other = TOKENS.clone()
    other[:, 2] = 6
    first, second = model(MAPS, TOKENS), model(MAPS, other)
    assert_close(first[:, :2], second[:, :2])
    assert not torch.allclose(first[:, 2:], second[:, 2:])


def test_rows_of_a_batch_do_not_know_each_other(model):
    alone = model(MAPS[1:], TOKENS[1:])
    assert_close(model(MAPS, TOKENS)[1:], alone, atol=1e-5, rtol=1e-5)


def test_beams_are_the_same_alone_and_together(model):
    prompts = PicturePrompts(6)

    def told(pictures):
        limits = Limits(max_length=5, ratio=100)
        return decode(
            model, pictures, strategy=Beam(size=3), prompts=prompts, limits=limits, aligned=True
        )

    both = told(list(MAPS))
    assert [one[0].tokens for one in both] == [told([picture])[0][0].tokens for picture in MAPS]
    if model.last_weights(model.step(TOKENS[:, 0], model.start(MAPS))[1]) is not None:
        assert both[0][0].weights.shape[1] == 6


def test_the_picture_matters(model):
    logits = model(MAPS, TOKENS[:1].expand(2, -1))
    assert not torch.allclose(logits[0], logits[1], atol=1e-4)


def test_hard_attention_tells_what_reinforce_asks_for_and_draws_in_training_alone():
    torch.manual_seed(0)
    model = attend_tell(attention=Hard(attention_dim=3, expected=0.0))
    drawn = model.train().decode_parallel(MAPS, TOKENS, aligned=True).drawn
    assert drawn.log_prob.shape == drawn.entropy.shape == (2, 4)
    assert drawn.lasting
    assert (drawn.log_prob < 0).all()
    model.eval()
    assert torch.equal(model(MAPS, TOKENS), model(MAPS, TOKENS))


def test_pictures_that_are_weighted_draw_nothing():
    torch.manual_seed(0)
    model = attend_tell(attention=Hard(attention_dim=3, expected=0.999999)).train()
    decoded = model.decode_parallel(MAPS, TOKENS)
    assert (decoded.drawn.log_prob == 0).all()
    soft = attend_tell(attention=Soft(attention_dim=3))
    soft.load_state_dict(model.state_dict())
    assert_close(decoded.features, soft.train().decode_parallel(MAPS, TOKENS).features)


@pytest.mark.parametrize("estimator", ["straight_through", "gumbel"])
def test_other_estimators_bring_their_gradient_themselves(estimator):
    torch.manual_seed(0)
    model = attend_tell(attention=Hard(attention_dim=3, estimator=estimator, expected=0.0)).train()
    decoded = model.decode_parallel(MAPS, TOKENS)
    assert decoded.drawn is None
    decoded.features.sum().backward()
    assert model.looking.attention.v.grad.abs().sum() > 0


def test_the_convolutions_see_a_neighbourhood_and_have_the_extent_they_say():
    grid = ConvGrid(size=32, channels=(4, 6, 8))
    encoder = grid.build().eval()
    pictures = torch.randint(0, 256, (1, 3, 32, 32), dtype=torch.uint8)
    features = encoder(pictures)
    assert features.shape == (1, 8, *grid.extent)
    other = pictures.clone()
    other[..., -1, -1] = 255 - other[..., -1, -1]
    changed = (encoder(other) != features).any(dim=1)[0]
    assert changed[-1, -1]
    assert not changed[:3, :3].any()


def test_any_encoder_of_pictures_makes_the_grid():
    torch.manual_seed(0)
    for encoder in (
        CNNConfig(
            height=16, width=16, widths=(4, 6), blocks=(1, 1), strides=(2, 2), attention="se"
        ),
        ViTConfig(height=16, width=16, patch_size=(4, 8), model_dim=8, num_heads=2, num_layers=1),
    ):
        grid = EncodedGrid(encoder=encoder)
        model = attend_tell(grid=grid).eval()
        pictures = torch.randint(0, 256, (2, 3, 16, 16), dtype=torch.uint8)
        decoded = model.decode_parallel(pictures, TOKENS, aligned=True)
        assert decoded.weights.shape == (2, 4, grid.extent.height * grid.extent.width)
        assert model.annotations.encoder(pictures).shape == (2, grid.features, *grid.extent)
    with pytest.raises(ValidationError, match="one height and width, got 16 and 8"):
        EncodedGrid(encoder=CNNConfig(height=16, width=8))


def test_pictures_of_another_size_are_refused():
    model = attend_tell(grid=ConvGrid(size=16, channels=(4, 5)))
    with pytest.raises(ShapeError, match=r"needs pictures \(B, 3, 16, 16\), got \(2, 3, 17, 16\)"):
        model.read(torch.zeros(2, 3, 17, 16, dtype=torch.uint8))
    with pytest.raises(ShapeError, match=r"needs maps \(B, 5, 2, 3\) of efficientnet-lite0"):
        attend_tell().read(torch.zeros(2, 5, 3, 2))


def test_positions_tell_places_apart():
    same = torch.ones(1, 5, 2, 3)
    places = attend_tell().eval().read(same)[0]
    assert len({tuple(row) for row in places.round(decimals=4).tolist()}) == 6
    blind = attend_tell(positions=False).eval().read(same)[0]
    assert_close(blind, blind[:1].expand_as(blind))
