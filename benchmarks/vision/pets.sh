#!/bin/sh
# Oxford-pets: masks with gated skips and without, heads, and a classifier whose attention is scored by masks that it
# never saw. The data may be learned from and measured on, and no weights of it are passed on.
#
#   benchmarks/vision/pets.sh masks|plain-masks|heads|breeds DATA OUT [MINUTES]
set -eu

what=$1 data=$2 out=$3 minutes=${4:-25}
tables=$out/tables run=$out/$what
root=$(cd "$(dirname "$0")/../.." && pwd)
PYTHONPATH=$root:${PYTHONPATH:-} python -m benchmarks.vision.pets_tables "$data" "$tables"

if [ -d "$run" ]; then
    exec regard train "$(cat "$out/$what.task")" --resume "$run"
fi
case $what in
masks | plain-masks)
    echo segmentation > "$out/$what.task"
    model=unet-small
    if [ "$what" = plain-masks ]; then model=unet-plain-small; fi
    regard train segmentation --model "$model" --data "$data/train.tsv" --valid "$data/valid.tsv" \
        --masks "$data/masks.zip" --names animal background border --frame 96 96 \
        --batch-tokens 32 --rate 3e-3 --steps "${STEPS:-1500}" --minutes "$minutes" \
        --validate-every 250 --save-every 250 --out "$run"
    ;;
heads)
    echo object-detection > "$out/$what.task"
    regard train object-detection --model detector-small --data "$tables/heads-train.tsv" \
        --pictures "$data/images.zip" --valid "$tables/heads-valid.tsv" --frame 96 96 \
        --set model.pyramid.channels='[32, 64, 96]' --batch-tokens 32 --rate 2e-3 --steps "${STEPS:-1500}" --minutes "$minutes" \
        --validate-every 250 --save-every 250 --out "$run"
    ;;
breeds)
    echo image-classification > "$out/$what.task"
    regard train image-classification --model "${MODEL:-cnn-cbam}" --data "$tables/breeds-train.tsv" \
        --pictures "$data/images.zip" --valid "$tables/breeds-valid.tsv" --size 96 \
        --set model.encoder.strides='[2, 2, 2]' --minutes "$minutes" --out "$run"
    ;;
esac
