#!/bin/sh
# How scene-vqa was trained, from the package easy-VQA and generated scenes to a packed folder, which then lies in
# zoo/regard_zoo/.
#
#   tools/train_scene_vqa.sh [FOLDER]
#
# Half of the pictures are scenes of our own, which are generated as it goes; the others are those of easy-VQA
# (MIT), which is fetched from the package index beside FOLDER. One of its pictures in twenty is kept back from
# training to validate on. 70 minutes on one core; the same command goes on with what was interrupted. STEPS are what
# fits into MINUTES: the rate comes down to nothing at the last of them.
set -eu

run=${1:-scene-vqa.training}
data=$run.data/easy_vqa/data

[ -d "$data" ] || {
    mkdir -p "$run.data"
    python3 -m pip install --quiet --no-deps --target "$run.data" easy-vqa==1.0
}
if [ -d "$run" ]; then
    regard train visual-question-answering --resume "$run"
else
    regard train visual-question-answering --model bottom-up-top-down --data "$data/train/questions.json" \
        --pictures "$data/train/images" --set task.data.scenes=0.5 --steps "${STEPS:-4000}" --minutes "${MINUTES:-80}" \
        --validate-every 500 --save-every 250 --out "$run"
fi
regard evaluate "$run" --data "$data/test/questions.json" --pictures "$data/test/images"
regard evaluate "$run" --sentences 500
regard pack "$run" --out "$run/scene-vqa" --precision float16 --licence "CC0 1.0" \
    --origin "half generated, half easy-VQA of Victor Zhou, MIT"
