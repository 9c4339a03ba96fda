#!/bin/sh
# How scene-captioner was trained, from nothing to a packed folder, which then lies in zoo/regard_zoo/.
#
#   tools/train_scene_captioner.sh soft|hard [FOLDER]
#
# Scenes are generated as it goes: there is no data to fetch. Two rounds, the second from the weights of the first with a
# rate that starts again: 35 minutes on one core; the same command goes on with what was interrupted. FIRST and SECOND are
# their steps. Hard attention is learned by REINFORCE. Nouns are told a little where what they stand for is, as the generator
# knows it; GUIDED=0 leaves that to the words alone.
set -eu

attention=$1 run=${2:-scene-captioner-$1.training}
case $attention in
soft) more="" ;;
hard) more="--set task.loss.entropy=0.01" ;;
*)
    echo "needs soft or hard, got '$attention'" >&2
    exit 2 ;;
esac

round() { # FOLDER STEPS OPTIONS…: a round, or the rest of it
    folder=$1 steps=$2
    shift 2
    if [ -d "$folder" ]; then
        regard train captioning --resume "$folder"
    else
        # shellcheck disable=SC2086 (options are words)
        regard train captioning "$@" --steps "$steps" --guided "${GUIDED:-0.05}" --validate-every 400 \
            --save-every 400 --out "$folder" $more
    fi
}

mkdir -p "$run"
round "$run/first" "${FIRST:-2600}" --model "$attention-captioner"
[ -d "$run/begun" ] || regard pack "$run/first" --out "$run/begun" --precision float32 --licence "CC0 1.0"
round "$run/second" "${SECOND:-4800}" --init-from "$run/begun"
regard evaluate "$run/second" --sentences 1000
regard pack "$run/second" --out "$run/packed" --precision float16 --licence "CC0 1.0"
