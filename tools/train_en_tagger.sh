#!/bin/sh
# How en-tagger was trained, from CoNLL-U to packed folder, which then lies in zoo/regard_zoo/.
#
#   tools/train_en_tagger.sh en_ewt-ud-train.conllu.gz en_ewt-ud-dev.conllu.gz [FOLDER]
#
# English Web Treebank of Universal Dependencies: its parts of speech, and beside them in training alone the finer
# tags, features and relations, for what they teach. 45 minutes on two cores at most; the same command goes on
# with what was interrupted. STEPS is what fits into them.
set -eu

train=$1 valid=$2 run=${3:-en-tagger.training}

if [ -d "$run" ]; then
    regard train tagging --resume "$run"
else
    regard train tagging --model bilstm-tagger --data "$train" --valid "$valid" --also xpos feats deprel \
        --splitting treebank \
        --set model.embedding.dim=160 model.embedding.dropout=0.4 model.embedding.word_dropout=0.15 \
        model.embedding.spelling.dim=48 model.encoder.hidden_dim=384 model.encoder.dropout=0.45 model.dropout=0.45 \
        --batch-tokens 1024 --rate 2e-3 --average 0.999 --label-smoothing 0.05 \
        --steps "${STEPS:-7000}" --minutes 45 --validate-every 350 --save-every 350 --out "$run"
fi
[ -d "$run/en-tagger" ] || regard pack "$run" --out "$run/en-tagger" --licence "CC BY-SA 4.0" \
    --origin "Universal Dependencies English EWT 2.16 (https://universaldependencies.org), CC BY-SA 4.0" \
    --command "tools/train_en_tagger.sh en_ewt-ud-train.conllu.gz en_ewt-ud-dev.conllu.gz"
