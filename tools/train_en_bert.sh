#!/bin/sh
# How en-bert was trained, from plain text to packed folder, which then lies in zoo/regard_zoo/.
#
#   tools/train_en_bert.sh train.txt.gz valid.txt.gz [FOLDER]
#
# Novels in the public domain, one paragraph a line; whole words of byte pairs are hidden and guessed. 100
# minutes on two cores at most; the same command goes on with what was interrupted. STEPS is what fits into them.
set -eu

train=$1 valid=$2 run=${3:-en-bert.training}

if [ -d "$run" ]; then
    regard train fill-mask --resume "$run"
else
    regard train fill-mask --model bert-small --data "$train" --valid "$valid" --level bpe --vocabulary 4096 \
        --set model.encoder.model_dim=192 model.encoder.hidden_dim=768 model.embedding.dim=192 model.encoder.dropout=0.05 \
        --hidden-share 0.2 --length 96 --batch-tokens 2048 --rate 2e-3 --average 0.998 \
        --steps "${STEPS:-4000}" --minutes 100 --validate-every 400 --save-every 200 --out "$run"
fi
[ -d "$run/en-bert" ] || regard pack "$run" --out "$run/en-bert" --licence "public domain" \
    --origin "17 English novels of Project Gutenberg, in the public domain" \
    --command "tools/train_en_bert.sh train.txt.gz valid.txt.gz"
