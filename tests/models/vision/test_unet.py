"""The U-Net: sizes, gates as one field, and the skip that a shut gate closes."""

import pytest
import torch
from torch.testing import assert_close

from regard.lens.capture import attention_modules
from regard.models import build
from regard.models.vision import UNet, UNetConfig


def tiny(**changes):
    fields = {"classes": 3, "height": 24, "width": 32, "channels": (5, 6, 8)}
    return UNet(UNetConfig(**{**fields, **changes}))


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("size", [(24, 32), (25, 31), (7, 5)])
def test_every_pixel_has_a_class_whatever_the_size(size, stride):
    model = tiny(stride=stride).eval()
    assert model(torch.zeros(2, 3, *size, dtype=torch.uint8)).shape == (2, 3, *size)


def test_gates_are_one_field():
    assert set(attention_modules(tiny())) == {"gates.0", "gates.1"}
    assert not attention_modules(tiny(attention=None))
    assert build("unet-plain-small", classes=2, height=64, width=64).config.attention is None


def test_an_open_gate_is_none_and_a_shut_one_lets_nothing_pass():
    gated, plain = tiny().eval(), tiny(attention=None).eval()
    shared = {n: w for n, w in gated.state_dict().items() if not n.startswith("gates")}
    plain.load_state_dict(shared)
    pixels = torch.randint(0, 256, (1, 3, 24, 32), dtype=torch.uint8)

    def bias(value):
        for gate in gated.gates:
            gate.score_proj.bias.data.fill_(value)
            gate.score_proj.weight.data.zero_()

    bias(50.0)
    assert_close(gated(pixels), plain(pixels))
    bias(-1e9)
    seen = []
    hook = gated.up[0].register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    gated(pixels)
    hook.remove()
    assert seen[0][:, :5].abs().max().item() == 0.0  # what would have come by the skip


def test_learns_which_half_is_bright():
    torch.manual_seed(0)
    model = tiny(classes=2, channels=(8, 8))
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    pixels = torch.zeros(4, 3, 16, 16, dtype=torch.uint8)
    masks = torch.zeros(4, 16, 16, dtype=torch.long)
    for row in range(4):
        edge = 3 * row + 3
        pixels[row, :, :, edge:] = 200
        masks[row, :, edge:] = 1
    for _ in range(30):
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(model(pixels), masks).backward()
        optimiser.step()
    assert float((model.eval()(pixels).argmax(dim=1) == masks).float().mean()) > 0.97
