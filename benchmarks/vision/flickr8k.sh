#!/bin/sh
# Flickr8k: Show, Attend and Tell over maps of EfficientNet-Lite0, which stay as they are. BLEU-4 on test.
#
#   benchmarks/vision/flickr8k.sh soft|hard|transformer DATA [FOLDER]
#
# DATA has train.tsv.gz, valid.tsv.gz, test.tsv.gz (name, width, height, captions) and images.zip. The maps of all
# pictures are computed first, about a quarter of an hour, and kept below REGARD_CACHE or the user's cache for
# the other models. 75 minutes of training; the same command goes on with what was interrupted.
# The photographs are for research alone: nothing that is trained here is passed on.
set -eu

here=$(dirname "$0") model=$1 data=$2 run=${3:-flickr8k-$1.training}
. "$here/pretrained.sh"
need_pretrained "$run.packages"

case $model in
soft) more="--doubly-stochastic 0.5 --set task.loss.total=0.25" ;;
hard) more="--set task.loss.entropy=0.01" ;;
transformer) more="" ;;
*)
    echo "needs soft, hard or transformer, got '$model'" >&2
    exit 2 ;;
esac

if [ -d "$run" ]; then
    regard train captioning --resume "$run"
else
    # shellcheck disable=SC2086 (options are words)
    regard train captioning --model "$model-captioner-lite0" --data "$data/train.tsv.gz" \
        --valid "$data/valid.tsv.gz" --pictures "$data/images.zip" --steps "${STEPS:-6000}" --minutes 75 \
        --validate-every 500 --save-every 250 --out "$run" $more
fi
regard evaluate "$run" --data "$data/test.tsv.gz" --pictures "$data/images.zip"
