#!/bin/sh
# How en-reader (spans of passages) and en-stories (words over stories) were trained, from data to packed folders,
# which then lie in zoo/regard_zoo/.
#
#   tools/train_en_reader.sh stories BABI [FOLDER]       the twenty tasks of bAbI v1.2, qaNN.train.txt.gz …, jointly
#   tools/train_en_reader.sh passages SQUAD [FOLDER]     train.jsonl.gz and valid.jsonl.gz, passages with questions a line
#
# The same command goes on with what was interrupted. STEPS is what fits into MINUTES on two cores: the rate comes
# down to zero with the last of them.
set -eu

part=$1 data=$2

stories() {
    regard train question-answering --model story-reader \
        --data "$data"/qa*.train.txt.gz --valid "$data"/qa*.valid.txt.gz --set task.data.valid_size=4000 \
        --batch-tokens 768 --rate 1e-3 --guided 0.5 --average 0.995 \
        --steps "${STEPS:-14000}" --minutes "${MINUTES:-75}" --validate-every 1000 --save-every 500 --out "$1"
}

passages() {
    # Words begin with vectors learned from the very passages and questions, a few minutes before.
    if [ -d "$1.vectors" ]; then
        regard train word-vectors --resume "$1.vectors"
    else
        python - "$data/train.jsonl.gz" > "$1.txt" <<'END'
import gzip, json, sys
for line in gzip.open(sys.argv[1], "rt", encoding="utf-8"):
    found = json.loads(line)
    print(" ".join(found["context"].split()))
    for one in found["qas"]:
        print(" ".join(one["question"].split()))
END
        regard train word-vectors --data "$1.txt" --vocabulary 30000 --min-count 2 --set model.dim=128 \
            --steps "${VECTOR_STEPS:-3000}" --minutes 8 --out "$1.vectors"
    fi
    regard train question-answering --init-from "$1.vectors" --data "$data/train.jsonl.gz" \
        --valid "$data/valid.jsonl.gz" --set task.vocabulary.splitting=treebank task.vocabulary.size=30000 \
        task.vocabulary.spelled=true task.vocabulary.min_count=2 \
        --batch-tokens 3072 --rate 2e-3 --average 0.998 --measure f1 \
        --steps "${STEPS:-7000}" --minutes "${MINUTES:-100}" --validate-every 500 --save-every 250 --out "$1"
}

case $part in
    stories)
        run=${3:-en-stories.training} name=en-stories licence="CC BY 3.0" source=BABI
        origin="bAbI tasks 1.2 (en-10k), Weston et al. 2015, CC BY 3.0" ;;
    passages)
        run=${3:-en-reader.training} name=en-reader licence="CC BY-SA 4.0" source=SQUAD
        origin="SQuAD 1.1, Rajpurkar et al. 2016, CC BY-SA 4.0; SQuADShifts, Miller et al. 2020, CC BY 4.0" ;;
    *) echo "needs stories or passages, got $part" >&2; exit 2 ;;
esac

if [ -d "$run" ]; then
    regard train question-answering --resume "$run"
else
    "$part" "$run"
fi
[ -d "$run/$name" ] || regard pack "$run" --out "$run/$name" --licence "$licence" --origin "$origin" \
    --command "tools/train_en_reader.sh $part $source"
