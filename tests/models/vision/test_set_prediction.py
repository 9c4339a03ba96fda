"""Set prediction: its shapes, what queries may know, and parity with Hugging Face's DETR."""

import torch
from torch.testing import assert_close

from regard.lens import capture
from regard.models.vision import Found, FoundSets, PyramidConfig, SetPrediction, SetPredictionConfig
from regard.models.vision.set_prediction import DecoderLayer

TINY = PyramidConfig(stem=5, channels=(7, 8), blocks=(1, 1))


def tiny(**changes):
    fields = {
        "classes": 3,
        "height": 32,
        "width": 48,
        "pyramid": TINY,
        "model_dim": 16,
        "num_heads": 2,
        "hidden_dim": 20,
        "num_encoder_layers": 1,
        "num_decoder_layers": 2,
        "num_queries": 5,
    }
    return SetPrediction(SetPredictionConfig(**{**fields, **changes}))


def test_every_layer_says_classes_and_boxes_of_every_query():
    found = tiny().eval()(torch.zeros(2, 3, 32, 48, dtype=torch.uint8))
    assert len(found.layers) == 2
    assert found.last.logits.shape == (2, 5, 4)
    assert found.last.boxes.shape == (2, 5, 4)
    low, high = found.last.boxes[..., :2], found.last.boxes[..., 2:]
    assert bool((low < high).all())


def test_queries_in_another_order_find_the_same():
    model = tiny().eval()
    pixels = torch.randint(0, 256, (1, 3, 32, 48), dtype=torch.uint8)
    before = model(pixels).last
    order = torch.tensor([3, 0, 4, 1, 2])
    with torch.no_grad():
        model.queries.copy_(model.queries[order])
        model.points.copy_(model.points[order])
    after = model(pixels).last
    assert_close(after.logits, before.logits[:, order], atol=1e-5, rtol=1e-4)
    assert_close(after.boxes, before.boxes[:, order], atol=1e-5, rtol=1e-4)


def test_candidates_leave_out_that_there_is_nothing_and_are_in_pixels():
    logits = torch.tensor([[[0.0, 2.0, 5.0], [3.0, 0.0, 0.0]]])
    boxes = torch.tensor([[[0.0, 0.0, 0.5, 1.0], [0.25, 0.5, 0.75, 1.0]]])
    sets = FoundSets((Found(logits, boxes),), height=20, width=40)
    found = tiny(classes=2).candidates(sets)
    assert found.labels[0].tolist() == [0, 1]
    assert_close(
        found.scores[0], torch.stack([logits[0, 1].softmax(0)[0], logits[0, 0].softmax(0)[1]])
    )
    assert found.boxes[0].tolist() == [[10, 10, 30, 20], [0, 0, 20, 20]]


def test_a_capture_shows_which_places_a_query_looked_at():
    model = tiny().eval()
    with capture(model) as record:
        model(torch.zeros(2, 3, 32, 48, dtype=torch.uint8))
    weights = record["decoder.1.cross"].weights
    assert weights.shape == (2, 2, 5, 4 * 6)
    assert_close(weights.sum(dim=-1), torch.ones(2, 2, 5))


def test_a_decoder_layer_equals_loops_over_torch_attention():
    """The same sublayers from torch's own attention, by copied weights."""
    config = tiny().config
    layer = DecoderLayer(config).double().eval()
    x, queries = torch.randn(2, 5, 16).double(), torch.randn(2, 5, 16).double()
    memory, places = torch.randn(2, 7, 16).double(), torch.randn(7, 16).double()

    def attend(ours, query, key, value):
        theirs = torch.nn.MultiheadAttention(16, 2, batch_first=True).double()
        state = ours.state_dict()
        theirs.in_proj_weight.data = state["in_proj.weight"]
        theirs.in_proj_bias.data = state["in_proj.bias"]
        theirs.out_proj.weight.data = state["output_proj.weight"]
        theirs.out_proj.bias.data = state["output_proj.bias"]
        return theirs(query, key, value)[0]

    norm = layer.attention_norm(x)
    expected = x + attend(layer.attention, norm + queries, norm + queries, norm)
    asked = layer.cross_norm(expected) + queries
    expected = expected + attend(layer.cross, asked, memory + places, memory)
    hidden = torch.relu(layer.feed_forward.input_proj(layer.norm(expected)))
    expected = expected + layer.feed_forward.output_proj(hidden)
    assert_close(layer(x, queries, memory, places), expected)
