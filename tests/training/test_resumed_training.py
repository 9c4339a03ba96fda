"""Stopping and going on through bytes is the same, bit for bit, as never stopping."""

import json

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.optim import lr_scheduler

from regard.storage.tensors import Packed, from_bytes, pack, to_bytes, unpack
from regard.training.schedules import Cosine, Exponential, noam

OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "adam": lambda p: torch.optim.Adam(p, lr=0.01, betas=(0.8, 0.95)),
    "amsgrad": lambda p: torch.optim.AdamW(p, lr=0.01, amsgrad=True, weight_decay=0.1),
    "tensor rate": lambda p: torch.optim.Adam(p, lr=torch.tensor(0.02)),
    "adagrad": lambda p: torch.optim.Adagrad(p, lr=0.1),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.01, momentum=0.5, centered=True),
    "adadelta": lambda p: torch.optim.Adadelta(p),
    "adamax": lambda p: torch.optim.Adamax(p),
    "rprop": lambda p: torch.optim.Rprop(p),
    "adafactor": lambda p: torch.optim.Adafactor(p),
}
SCHEDULERS = {
    "none": lambda _: None,
    "noam": lambda o: lr_scheduler.LambdaLR(o, noam(64, warmup=3)),
    "ours": lambda o: lr_scheduler.LambdaLR(o, Cosine(steps=9, warmup=2)),
    "multi-step": lambda o: lr_scheduler.MultiStepLR(o, milestones=[2, 4, 4], gamma=0.5),
    "plateau": lambda o: lr_scheduler.ReduceLROnPlateau(o, patience=0),
    "cosine": lambda o: lr_scheduler.CosineAnnealingLR(o, T_max=6),
    "restarts": lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, T_0=2, T_mult=2),
    "chained": lambda o: lr_scheduler.SequentialLR(
        o,
        [lr_scheduler.LambdaLR(o, Exponential(every=2)), lr_scheduler.StepLR(o, step_size=2)],
        milestones=[3],
    ),
}


class Trainer:
    def __init__(self, optimizer, scheduler, dtype):
        torch.manual_seed(2)
        self.model = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5), nn.Linear(5, 2)).to(dtype)
        parts = [
            {"params": list(self.model[0].parameters())},
            {"params": list(self.model[1:].parameters())},
        ]
        self.optimizer = OPTIMIZERS[optimizer](parts)
        self.scheduler = SCHEDULERS[scheduler](self.optimizer)
        self.dtype = dtype

    def train(self, steps):
        for step in steps:
            source = torch.Generator().manual_seed(step)
            batch = torch.randn(7, 3, generator=source).to(self.dtype)
            loss = self.model(batch).square().mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if isinstance(self.scheduler, lr_scheduler.ReduceLROnPlateau):
                self.scheduler.step(float(step % 2))
            elif self.scheduler:
                self.scheduler.step()
        return self

    def state(self):
        return {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scheduler": self.scheduler.state_dict() if self.scheduler else None,
        }

    def put_back(self, state):
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        if self.scheduler:
            self.scheduler.load_state_dict(state["scheduler"])
        return self


def through_bytes(state):
    packed = pack(state)
    text = json.dumps(packed.data, allow_nan=False)
    tensors = from_bytes(to_bytes(packed.tensors), source="here")
    return unpack(Packed(json.loads(text), tensors), source="here")


def assert_same(left, right):
    """Equal structure, types, dtypes and bits."""
    left, right = pack(left), pack(right)
    assert left.data == right.data
    assert left.tensors.keys() == right.tensors.keys()
    for name, tensor in left.tensors.items():
        other = right.tensors[name]
        assert (tensor.dtype, tensor.shape) == (other.dtype, other.shape), name
        assert torch.equal(
            tensor.reshape(-1).view(torch.uint8), other.reshape(-1).view(torch.uint8)
        )


def bits(tensor):
    return tensor.reshape(-1).view(torch.uint8)


@settings(max_examples=25)
@given(
    st.sampled_from(sorted(OPTIMIZERS)),
    st.sampled_from(sorted(SCHEDULERS)),
    st.sampled_from([torch.float32, torch.float64, torch.bfloat16]),
    st.integers(0, 5),
    st.integers(1, 4),
)
def test_training_that_stops_and_goes_on_is_training(optimizer, scheduler, dtype, before, after):
    whole = Trainer(optimizer, scheduler, dtype).train(range(before + after))
    first = Trainer(optimizer, scheduler, dtype).train(range(before))
    stored = through_bytes(first.state())
    assert_same(stored, first.state())
    second = Trainer(optimizer, scheduler, dtype).put_back(stored)
    assert_same(second.train(range(before, before + after)).state(), whole.state())


@pytest.mark.parametrize("optimizer", sorted(OPTIMIZERS))
def test_every_optimizer_goes_on_bit_for_bit(optimizer):
    whole = Trainer(optimizer, "cosine", torch.float32).train(range(5))
    first = Trainer(optimizer, "cosine", torch.float32).train(range(3))
    second = Trainer(optimizer, "cosine", torch.float32).put_back(through_bytes(first.state()))
    assert_same(second.train(range(3, 5)).state(), whole.state())


@pytest.mark.parametrize("scheduler", sorted(SCHEDULERS))
def test_every_scheduler_goes_on_bit_for_bit(scheduler):
    whole = Trainer("adam", scheduler, torch.float32).train(range(6))
    first = Trainer("adam", scheduler, torch.float32).train(range(3))
    second = Trainer("adam", scheduler, torch.float32).put_back(through_bytes(first.state()))
    assert_same(second.train(range(3, 6)).state(), whole.state())
