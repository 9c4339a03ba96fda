#!/bin/sh
# How an autoencoder of sentences is trained: what our grammar generates, through 256 numbers and back.
#
#   tools/train_autoencoder.sh [FOLDER]
#
# English sentences of up to twelve tokens, endless; 40 minutes on one core. Measured on sentences of up to ten tokens
# that are never trained on. The same command goes on with what was interrupted.
set -eu

run=${1:-autoencoder.training}

if [ -d "$run" ]; then
    regard train autoencoding --resume "$run"
else
    regard train autoencoding --model gru-autoencoder --set model.pooling.kind=last --threads 1 \
        --steps "${STEPS:-10000}" --batch-tokens 1024 --minutes "${MINUTES:-40}" --out "$run"
fi
regard evaluate "$run" --sentences 2000
