#!/bin/sh
# How scene-captioner and scene-captioner-hard were trained, from nothing to packed folders, which then lie in
# zoo/regard_zoo/.
#
#   tools/train_scene_captioner.sh soft|hard [FOLDER]
#
# Scenes are generated as it goes: there is no data to fetch. 40 minutes at most; the same command goes on with
# what was interrupted. STEPS is what fits into them. Hard attention is learned by REINFORCE. Nouns are told a
# little where what they stand for is, as the generator knows it; GUIDED=0 leaves that to the words alone.
set -eu

attention=$1 run=${2:-scene-captioner-$1.training}
case $attention in
soft) more="" ;;
hard) more="--set task.loss.entropy=0.01" ;;
*)
    echo "needs soft or hard, got '$attention'" >&2
    exit 2 ;;
esac

if [ -d "$run" ]; then
    regard train captioning --resume "$run"
else
    # shellcheck disable=SC2086 (options are words)
    regard train captioning --model "$attention-captioner" --steps "${STEPS:-3000}" --minutes 40 \
        --guided "${GUIDED:-0.05}" --validate-every 500 --save-every 250 --out "$run" $more
fi
regard evaluate "$run" --sentences 1000
regard pack "$run" --out "$run/packed" --precision float16 --licence "CC0 1.0"
