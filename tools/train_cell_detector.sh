#!/bin/sh
# How cell-detector was trained, from a table of boxes to a packed folder, which then lies in zoo/regard_zoo/.
#
#   tools/train_cell_detector.sh train.tsv valid.tsv [FOLDER]
#
# BCCD, blood cells under a microscope (MIT): a line is a picture, then a field for each cell, its kind and its edges
# from 0 to 1; images.zip lies beside. Cells have no above, so pictures are turned over, too; platelets are small, so
# places are 4 pixels apart (model.first=0). The same command goes on with what was interrupted. STEPS fit into MINUTES
# on a core; ATTENTION=null trains without attention. TEST is a table that it is measured on at the end; valid.tsv if
# not given.
set -eu

train=$1 valid=$2 run=${3:-cell-detector.training}

if [ -d "$run" ]; then
    regard train object-detection --resume "$run"
else
    regard train object-detection --model detector-small --data "$train" --valid "$valid" --frame 192 256 \
        --set model.pyramid.stem=12 --set model.pyramid.channels='[24, 48, 96]' --set model.dim=48 --set model.first=0 \
        --set model.attention="${ATTENTION:-spatial}" --set task.augmentation.upside_down=0.5 \
        --set task.augmentation.smallest=0.7 --set task.augmentation.largest=1.4 \
        --batch-tokens 12 --rate 2e-3 --steps "${STEPS:-3500}" --minutes "${MINUTES:-30}" \
        --validate-every 400 --save-every 400 --out "$run"
fi
regard evaluate "$run" --data "${TEST:-$valid}"
regard pack "$run" --out "$run/cell-detector" --precision float16 --licence MIT \
    --origin "BCCD, Shenggan's BCCD_Dataset (https://github.com/Shenggan/BCCD_Dataset), MIT" \
    --command "tools/train_cell_detector.sh train.tsv valid.tsv"
