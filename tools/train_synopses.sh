#!/bin/sh
# How a model was trained that sums up descriptions of programs in a line, copying their words.
#
#   tools/train_synopses.sh train.tsv.gz valid.tsv.gz [FOLDER]
#
# Descriptions and one-line synopses of Debian's packages; names that no vocabulary has are copied from the
# description (See et al. 2017). 75 minutes on two cores at most; the same command goes on with what was
# interrupted. STEPS is what fits into them.
set -eu

train=$1 valid=$2 run=${3:-synopses.training} steps=${STEPS:-5000}

if [ -d "$run" ]; then
    regard train --resume "$run"
else
    regard train --model luong-general-small --data "$train" --valid "$valid" --level words --vocabulary 8000 \
        --measure rouge-l --source-words 60 --label-smoothing 0 \
        --set 'model.copying={"extension": 40}' task.vocabulary.extension=40 task.typing=null \
        model.embedding_dim=128 model.hidden_dim=256 model.dropout=0.25 task.data.valid_size=500 \
        --batch-tokens 2048 --rate 2e-3 --schedule cosine --embedding-rate-factor 1 --warmup $((steps / 25)) --average 0.998 \
        --steps "$steps" --minutes 75 --validate-every 500 --save-every 250 --out "$run"
fi
[ -d "$run/synopses" ] || regard pack "$run" --out "$run/synopses" \
    --licence "free licences of the packages whose descriptions it has read" \
    --origin "package descriptions of Debian 12" \
    --command "tools/train_synopses.sh train.tsv.gz valid.tsv.gz"
