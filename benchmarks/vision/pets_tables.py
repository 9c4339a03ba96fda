"""Tables of oxford-pets as tasks read them: heads as boxes, breeds as labels.

Run as ``python -m benchmarks.vision.pets_tables DATA OUT``; DATA holds train.tsv, valid.tsv and
test.tsv, whose fields are a name, a class, width, height, and a head's edges or ``-``.
"""

import argparse
from pathlib import Path

SPLITS = ("train", "valid", "test")


def main() -> None:
    """Write ``heads-SPLIT.tsv`` and ``breeds-SPLIT.tsv``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    told = parser.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    names = dict(
        line.split("\t")[:2]
        for line in (told.data / "classes.txt").read_text(encoding="utf-8").splitlines()
    )
    for split in SPLITS:
        text = (told.data / f"{split}.tsv").read_text(encoding="utf-8")
        rows = [line.split("\t") for line in text.splitlines()]
        heads = [f"{row[0]}\thead {row[4]}" for row in rows if row[4] != "-"]
        breeds = [f"{row[0]}\t{names[row[1]]}" for row in rows]
        for what, lines in (("heads", heads), ("breeds", breeds)):
            path = told.out / f"{what}-{split}.tsv"
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
