"""Chance that depends on seed, step and process alone: a resumed run needs no memory of it."""

from hashlib import sha256

import torch


def seed_step(*, seed: int, step: int, rank: int = 0) -> None:
    """Seed torch's generators for what is drawn in one step.

    Seeding every step makes the draws of step n the same whether the run came there in one go or
    was resumed on the way, and different in every process.

    Args:
        seed: of the run.
        step: which step, 0 for what is drawn before the first.
        rank: which process.
    """
    digest = sha256(f"{seed} {step} {rank}".encode()).digest()
    torch.manual_seed(int.from_bytes(digest[:8], "little") >> 1)
