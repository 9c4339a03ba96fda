#!/bin/sh
# How en-gpt was trained, from plain text to packed folder, which then lies in zoo/regard_zoo/.
#
#   tools/train_en_gpt.sh train.txt.gz valid.txt.gz [FOLDER]
#
# Novels in the public domain, one paragraph a line; parts of words by byte pair encoding. 100 minutes on two
# cores at most; the same command goes on with what was interrupted. STEPS is what fits into them.
set -eu

train=$1 valid=$2 run=${3:-en-gpt.training}

if [ -d "$run" ]; then
    regard train text-generation --resume "$run"
else
    regard train text-generation --model gpt-small --data "$train" --valid "$valid" --level bpe --vocabulary 4096 \
        --set model.context=128 --batch-tokens 4096 --rate 2e-3 \
        --steps "${STEPS:-1500}" --minutes 100 --validate-every 300 --save-every 150 --out "$run"
fi
regard pack "$run" --out "$run/en-gpt" --licence "public domain"
