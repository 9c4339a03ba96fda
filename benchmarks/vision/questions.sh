#!/bin/sh
# DAQUAR and VQA-RAD: answers to questions about photographs, over maps of EfficientNet-Lite0. Exact answers on test.
#
#   benchmarks/vision/questions.sh daquar|vqa-rad MODEL DATA [FOLDER]
#
# MODEL is bottom-up-top-down, stacked-attention or vqa-transformer; DATA has train.tsv.gz, valid.tsv.gz,
# test.tsv.gz (picture, question, answer) and images.zip. Maps are computed first and kept below REGARD_CACHE or
# the user's cache. Ten minutes of training at most; the same command goes on with what was interrupted.
# DAQUAR names no licence: nothing that is trained on it is passed on.
set -eu

here=$(dirname "$0") set=$1 model=$2 data=$3 run=${4:-$1-$2.training}
. "$here/pretrained.sh"
need_pretrained "$run.packages"

case $set in
daquar) steps=900 more="--min-answers 2" ;;
vqa-rad) steps=500 more="--min-answers 1 --set model.dropout=0.5" ;;
*)
    echo "needs daquar or vqa-rad, got '$set'" >&2
    exit 2 ;;
esac

if [ -d "$run" ]; then
    regard train visual-question-answering --resume "$run"
else
    # shellcheck disable=SC2086 (options are words)
    regard train visual-question-answering --model "$model-lite0" --data "$data/train.tsv.gz" \
        --valid "$data/valid.tsv.gz" --pictures "$data/images.zip" --steps "${STEPS:-$steps}" --minutes 10 \
        --validate-every 50 --save-every 50 --out "$run" $more
fi
regard evaluate "$run" --data "$data/test.tsv.gz" --pictures "$data/images.zip"
