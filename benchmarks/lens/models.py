"""Random models of the usual sizes; what is measured does not depend on what they learned."""

from typing import Any

import torch

VOCAB = 30_522
POSITIONS = 2_048
"""Of all of them, that long texts fit."""


def bert(*, quick: bool, implementation: str = "sdpa") -> Any:
    """A BERT of the base size, or of a quarter of its layers."""
    from transformers import BertConfig, BertModel

    layers = 3 if quick else 12
    config: Any = BertConfig(num_hidden_layers=layers, max_position_embeddings=POSITIONS)
    return _made(BertModel, config, implementation)


def gpt2(*, quick: bool, implementation: str = "sdpa") -> Any:
    """A GPT-2 of the small size, or of a quarter of its layers."""
    from transformers import GPT2Config, GPT2LMHeadModel

    layers = 3 if quick else 12
    config: Any = GPT2Config(n_layer=layers, n_positions=POSITIONS, vocab_size=VOCAB)
    return _made(GPT2LMHeadModel, config, implementation)


def _made(kind: Any, config: Any, implementation: str) -> Any:
    config._attn_implementation = implementation
    config.architectures = [kind.__name__]
    torch.manual_seed(0)
    return kind(config).eval()


def tokens(rows: int, length: int) -> torch.Tensor:
    """Random tokens."""
    return torch.randint(5, VOCAB, (rows, length), generator=torch.Generator().manual_seed(1))


def words() -> Any:
    """A tokeniser with a word for every token, for tools that ask for one."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    names = ["[PAD]", "[UNK]", "[END]", *(f"w{number}" for number in range(3, VOCAB))]
    made = Tokenizer(models.WordLevel({name: n for n, name in enumerate(names)}, "[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "eos_token": "[END]"}
    tokeniser: Any = PreTrainedTokenizerFast
    return tokeniser(tokenizer_object=made, **special)
