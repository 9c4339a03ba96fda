"""From the model of Hugging Face to that of CTranslate2: a process of its own, which has torch."""

import sys
from pathlib import Path
from typing import Any

from .protocol import Job, job

FOLDER = "ctranslate2"
"""Where the converted model lies."""


def convert(asked: Job) -> Path:
    """Write the model in float32; its tokens are called by their numbers."""
    from ctranslate2.converters.transformers import BartLoader

    from .hugging_face import model_of

    model = model_of(asked)
    config = model.config
    config.normalize_before = type(model).__name__.startswith("Pegasus")
    config.normalize_embedding = False
    # Not the loader of Marian: it starts from a vector of zeros, as models of that toolkit do.
    spec: Any = BartLoader().get_model_spec(model)
    spec.register_source_vocabulary(names(model.model.encoder.embed_tokens.num_embeddings))
    spec.register_target_vocabulary(names(config.vocab_size))
    spec.config.bos_token = str(config.bos_token_id)
    spec.config.eos_token = str(config.eos_token_id)
    spec.config.unk_token = "1"
    spec.config.decoder_start_token = str(config.decoder_start_token_id)
    spec.config.add_source_eos = False
    spec.validate()
    spec.optimize(quantization="float32")
    folder = asked.folder / FOLDER
    folder.mkdir(exist_ok=True)
    spec.save(str(folder))
    return folder


def names(count: int) -> list[str]:
    """Numbers as text."""
    return [str(number) for number in range(count)]


if __name__ == "__main__":
    convert(job(sys.argv[1:]))
