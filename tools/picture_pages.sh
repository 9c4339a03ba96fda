#!/bin/sh
# Draws the pictures of the pages about pictures, from models of the zoo and scenes of our own.
#
#   tools/picture_pages.sh
set -eu

pictures=$(dirname "$0")/../docs/pictures scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python - "$scratch" <<'PYTHON'
import sys
from pathlib import Path

from regard.data.scenes import Scenes

Scenes(split="test", seed=0)[4].picture.save(Path(sys.argv[1]) / "scene.png")
PYTHON
regard caption "$scratch/scene.png" --model scene-captioner --out "$pictures/captioning.png"
set -- "$pictures/captioning.png"
if regard zoo list | grep -q scene-vqa; then
    regard answer "what color is the three?" --picture "$scratch/scene.png" --model scene-vqa \
        --out "$pictures/asking-pictures.png"
    set -- "$@" "$pictures/asking-pictures.png"
fi
python - "$@" <<'PYTHON'
import sys

from PIL import Image

for path in sys.argv[1:]:  # a palette takes a third of the bytes, and shows the same
    picture = Image.open(path).convert("RGB")
    picture.resize((picture.width * 2 // 3, picture.height * 2 // 3)).quantize(128).save(
        path, optimize=True
    )
PYTHON
