"""CTranslate2 in float32, in a process without torch."""

import subprocess
import sys

from .convert import FOLDER
from .protocol import SOURCES, Job, Order, Translate, job, opened, read, serve, versions


def translator(asked: Job) -> Translate:
    """Translates with one worker and as many threads as the job has."""
    # Two OpenMP runtimes in one process slow each other down: its converters would import torch.
    sys.modules["torch"] = None  # type: ignore[assignment]
    sys.modules["transformers"] = None  # type: ignore[assignment]
    import ctranslate2

    model = ctranslate2.Translator(
        str(asked.folder / FOLDER),
        device="cpu",
        compute_type="float32",
        inter_threads=1,
        intra_threads=asked.threads,
    )

    def translate(sources: list[list[int]], order: Order) -> list[list[int]]:
        found = model.translate_batch(
            [[str(token) for token in source] for source in sources],
            beam_size=order.beam,
            max_batch_size=order.size,
            min_decoding_length=asked.least,
            max_decoding_length=asked.most,
        )
        return [[int(token) for token in answer.hypotheses[0]] for answer in found]

    return translate


def main(asked: Job) -> None:
    """Convert the model in a process of its own, and serve."""
    command = [sys.executable, "-m", "benchmarks.decoding.decoders.convert", *sys.argv[1:]]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    about = {"versions": versions("ctranslate2")}
    serve(translator(asked), read(asked, SOURCES), about, opened())


if __name__ == "__main__":
    main(job(sys.argv[1:]))
