"""Hugging Face's generate, on their Marian or Pegasus with our weights."""

import sys
from functools import partial
from typing import Any

import torch
import transformers
from safetensors.torch import load_file
from torch import Tensor, nn

from .protocol import (
    MODEL,
    SOURCES,
    WEIGHTS,
    Job,
    Order,
    Translate,
    batch_by_batch,
    job,
    opened,
    read,
    serve,
    versions,
)

MODELS = {
    "Marian": ("MarianConfig", "MarianMTModel"),
    "Pegasus": ("PegasusConfig", "PegasusForConditionalGeneration"),
}
POSITIONS = "embed_positions.weight"
"""Weights that are computed, not learned."""


def model_of(asked: Job) -> Any:
    """The model in the folder; all weights but the sinusoids are from there."""
    about = read(asked, MODEL)["theirs"]
    config_name, model_name = MODELS[about["architecture"]]
    config = getattr(transformers, config_name)(**about["config"])
    model = getattr(transformers, model_name)(config)
    inner, width = model.model, config.d_model
    inner.encoder.embed_tokens = nn.Embedding(about["source_vocab"], width)
    inner.decoder.embed_tokens = nn.Embedding(config.vocab_size, width)
    found = model.load_state_dict(load_file(asked.folder / WEIGHTS), strict=False)
    assert not found.unexpected_keys, found.unexpected_keys
    left = [name for name in found.missing_keys if not name.endswith(POSITIONS)]
    assert left in ([], ["model.shared.weight"]), left
    return model.eval()


def translator(asked: Job) -> Translate:
    """Translates by ``generate``."""
    model = model_of(asked)
    config = model.config
    pad = config.pad_token_id
    make: Any = transformers.GenerationConfig

    @torch.inference_mode()
    def translated(batch: list[list[int]], beam: int) -> list[list[int]]:
        source = padded(batch, pad)
        settings = make(
            num_beams=beam,
            do_sample=False,
            min_new_tokens=asked.least,
            max_new_tokens=asked.most,
            pad_token_id=pad,
            eos_token_id=config.eos_token_id,
            decoder_start_token_id=config.decoder_start_token_id,
        )
        found = model.generate(
            input_ids=source, attention_mask=source.ne(pad).long(), generation_config=settings
        )
        return [ended(row, config.eos_token_id) for row in found[:, 1:].tolist()]

    def translate(sources: list[list[int]], order: Order) -> list[list[int]]:
        return batch_by_batch(partial(translated, beam=order.beam), sources, order.size)

    return translate


def ended(row: list[int], eos: int) -> list[int]:
    """An answer without its end, and what stands behind that."""
    return row[: row.index(eos)] if eos in row else row


def padded(batch: list[list[int]], pad: int) -> Tensor:
    """Rows filled up to the longest."""
    width = max(map(len, batch))
    return torch.tensor([row + [pad] * (width - len(row)) for row in batch])


if __name__ == "__main__":
    given = job(sys.argv[1:])
    torch.set_num_threads(given.threads)
    about = {"versions": versions("transformers", "torch")}
    serve(translator(given), read(given, SOURCES), about, opened())
