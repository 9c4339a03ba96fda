"""Random models of the usual sizes; what is measured does not depend on what they learned."""

from typing import Any

import torch

VOCAB = 30_522


def bert(*, quick: bool, implementation: str = "sdpa") -> Any:
    """A BERT of the base size, or of a quarter of its layers."""
    from transformers import BertConfig, BertModel

    config: Any = BertConfig(num_hidden_layers=3 if quick else 12)
    config._attn_implementation = implementation
    torch.manual_seed(0)
    model: Any = BertModel(config)  # type: ignore[no-untyped-call]
    return model.eval()


def gpt2(*, quick: bool, implementation: str = "eager") -> Any:
    """A GPT-2 of the small size, or of a quarter of its layers."""
    from transformers import GPT2Config, GPT2LMHeadModel

    config: Any = GPT2Config(n_layer=3 if quick else 12)
    config._attn_implementation = implementation
    torch.manual_seed(0)
    make: Any = GPT2LMHeadModel
    return make(config).eval()


def tokens(rows: int, length: int) -> torch.Tensor:
    """Random tokens."""
    return torch.randint(5, VOCAB, (rows, length), generator=torch.Generator().manual_seed(1))
