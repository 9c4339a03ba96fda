from io import BufferedReader, BytesIO

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save

from regard.errors import DamagedError, DtypeError
from regard.storage.tensors import DTYPES, from_bytes, outlines, to_bytes


def bits(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8).tolist() if tensor.numel() else []


@given(
    st.sampled_from(sorted(DTYPES.values(), key=str)),
    st.lists(st.integers(0, 3), max_size=3),
    st.randoms(),
)
def test_every_dtype_and_shape_comes_back_bit_for_bit(dtype, shape, source):
    size = torch.empty(shape, dtype=dtype).numel() * dtype.itemsize
    top = 1 if dtype == torch.bool else 255  # any bits at all, so NaNs with a payload too
    raw = torch.tensor([source.randint(0, top) for _ in range(size)], dtype=torch.uint8)
    tensor = raw.view(dtype).reshape(shape) if size else torch.empty(shape, dtype=dtype)
    data = to_bytes({"x": tensor})
    assert outlines(BufferedReader(BytesIO(data)), source="here") == {
        "x": (tensor.shape, dtype, "x")
    }
    back = from_bytes(data, source="here")["x"]
    assert (back.dtype, back.shape) == (dtype, tensor.shape)
    assert bits(back) == bits(tensor)


def test_names_keep_their_order():
    names = ["w", "a", "z", "b"]
    tensors = {name: torch.tensor(float(i)) for i, name in enumerate(names)}
    assert list(from_bytes(to_bytes(tensors), source="here")) == names


def test_a_tied_weight_is_stored_once_and_tied_again():
    weight = torch.arange(6000.0).reshape(60, 100)
    data = to_bytes({"embedding": weight, "output": weight})
    back = from_bytes(data, source="here")
    assert len(data) < 1.2 * weight.nbytes
    assert back["output"] is back["embedding"]
    assert torch.equal(back["output"], weight)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.t(),
        lambda x: x[1:],
        lambda x: x[:, ::2],
        lambda x: x.reshape(-1),
        lambda x: x[0].expand(4, -1),
    ],
)
def test_views_into_one_memory_are_stored_apart(view):
    whole = torch.arange(15.0).reshape(3, 5)
    back = from_bytes(to_bytes({"part": view(whole), "whole": whole}), source="here")
    assert torch.equal(back["part"], view(whole))
    assert torch.equal(back["whole"], whole)


def test_a_conjugate_is_not_taken_for_its_original():
    x = torch.tensor([2 + 3j, 5 - 7j])
    back = from_bytes(to_bytes({"x": x, "conjugate": x.conj()}), source="here")
    assert back["conjugate"].tolist() == [2 - 3j, 5 + 7j]
    assert back["x"].tolist() == [2 + 3j, 5 - 7j]


def test_empty_tensors_keep_their_shapes():
    back = from_bytes(to_bytes({"a": torch.empty(0, 3), "b": torch.empty(2, 0)}), source="here")
    assert (back["a"].shape, back["b"].shape) == ((0, 3), (2, 0))


def test_a_parameter_is_stored_as_its_numbers():
    back = from_bytes(to_bytes({"p": torch.nn.Parameter(torch.ones(2))}), source="here")["p"]
    assert not back.requires_grad
    back += 1  # memory of its own, which may be written to
    assert back.tolist() == [2.0, 2.0]


def test_nothing_is_a_file_too():
    assert from_bytes(to_bytes({}), source="here") == {}


def test_files_of_others_can_be_read():
    assert from_bytes(save({"x": torch.tensor(4)}), source="here")["x"].item() == 4


@pytest.mark.parametrize(
    "tensor",
    [
        torch.zeros(2, dtype=torch.complex128),
        torch.eye(3).to_sparse(),
        torch.ones(2, device="meta"),
    ],
)
def test_what_the_format_cannot_hold_is_refused(tensor):
    with pytest.raises(DtypeError, match="holds dense tensors of numbers, got 'odd' with"):
        to_bytes({"odd": tensor})


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff" * 40, to_bytes({"x": torch.ones(3)})[:-1]])
def test_other_bytes_are_refused_with_the_name_of_the_file(data):
    with pytest.raises(DamagedError, match=r"^m\.safetensors is damaged: it is no file in"):
        from_bytes(data, source="m.safetensors")
