#!/bin/sh
# How fashion-classifier was trained, from idx files to packed folder, which then lies in zoo/regard_zoo/.
#
#   tools/train_fashion_classifier.sh [FOLDER OF IDX FILES] [FOLDER OF THE RUN]
#
# Fashion-MNIST (Zalando, MIT licence), in Debian the package dataset-fashion-mnist: 60,000 grey pictures of 28 × 28 pixels, of
# which 6,000 are kept back to validate on; the 10,000 of the test set are measured once. 45 minutes on two cores; the same command
# goes on with what was interrupted. MINUTES is how long.
set -eu

data=${1:-/usr/share/datasets/fashion-mnist} run=${2:-fashion-classifier.training}

if [ -d "$run" ]; then
    regard train image-classification --resume "$run"
else
    regard train image-classification --model cnn-fashion --data "$data/train-images-idx3-ubyte.gz" \
        --minutes "${MINUTES:-45}" --flip --shift 2 --mirror --out "$run"
fi
regard evaluate "$run" --data "$data/t10k-images-idx3-ubyte.gz"
regard pack "$run" --out "$run/fashion-classifier" --precision float16 --licence MIT \
    --origin "Fashion-MNIST, Zalando SE, MIT"
