"""Hugging Face's Marian in the plain loop."""

import sys

from torch import Tensor, nn
from transformers import MarianConfig, MarianMTModel

from .loop import train
from .protocol import job, opened
from .sizes import BOS, DROPOUT, EOS, HEADS, INNER, LAYERS, PAD, WIDTH
from .text import Padded


class Marian(nn.Module):
    """The model, called with one of our batches."""

    def __init__(self, vocab: int) -> None:
        super().__init__()
        self.model = MarianMTModel(
            MarianConfig(
                vocab_size=vocab,
                d_model=WIDTH,
                encoder_layers=LAYERS,
                decoder_layers=LAYERS,
                encoder_attention_heads=HEADS,
                decoder_attention_heads=HEADS,
                encoder_ffn_dim=INNER,
                decoder_ffn_dim=INNER,
                activation_function="relu",
                dropout=DROPOUT,
                scale_embedding=True,
                pad_token_id=PAD,
                bos_token_id=BOS,
                eos_token_id=EOS,
                forced_eos_token_id=EOS,
                decoder_start_token_id=BOS,
                use_cache=False,
            )
        )

    def forward(self, batch: Padded) -> Tensor:
        """Logits."""
        return self.model(
            input_ids=batch.source,
            attention_mask=batch.source.ne(PAD).long(),
            decoder_input_ids=batch.target_in,
        ).logits


def make(architecture: str, vocab: int) -> nn.Module:
    """Marian, which is a Transformer."""
    assert architecture == "transformer", architecture
    return Marian(vocab)


if __name__ == "__main__":
    train(job(sys.argv[1:]), opened(), make, "transformers")
