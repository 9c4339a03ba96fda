#!/bin/sh
# How en-sentiment was trained, from labelled sentences to packed folder, which then lies in zoo/regard_zoo/.
#
#   tools/train_en_sentiment.sh train.tsv.gz valid.tsv.gz [FOLDER]
#
# Sentences of film reviews, positive or negative (Pang and Lee 2005); some minutes on one core. With
# INIT=en-bert (a name of the zoo, or a folder) it goes on from a model of hidden tokens. The same command goes
# on with what was interrupted.
set -eu

train=$1 valid=$2 run=${3:-en-sentiment.training}

if [ -d "$run" ]; then
    regard train text-classification --resume "$run"
elif [ -n "${INIT:-}" ]; then
    regard train text-classification --init-from "$INIT" --data "$train" --valid "$valid" \
        --rate 3e-4 --batch-tokens 1024 --average 0.99 --steps "${STEPS:-1500}" --minutes 20 --validate-every 150 --save-every 150 \
        --out "$run"
else
    regard train text-classification --model gru-classifier --data "$train" --valid "$valid" \
        --set model.embedding.dim=200 model.embedding.dropout=0.6 model.embedding.word_dropout=0.3 \
        model.encoder.hidden_dim=128 --weight-decay 0.1 \
        --batch-tokens 1024 --rate 2e-3 --average 0.995 --label-smoothing 0.1 \
        --steps "${STEPS:-1500}" --minutes 20 --validate-every 100 --save-every 100 --out "$run"
fi
[ -d "$run/en-sentiment" ] || regard pack "$run" --out "$run/en-sentiment" --licence "CC BY 4.0" \
    --origin "sentence polarity dataset 1.0, Pang and Lee 2005, CC BY 4.0" \
    --command "tools/train_en_sentiment.sh train.tsv.gz valid.tsv.gz"
