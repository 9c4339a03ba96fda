#!/bin/sh
# Eight glimpses on cluttered digits, to the error on digits that training never sees. The same command goes on with what
# was interrupted; STEPS is what fits into MINUTES.
#
#   benchmarks/vision/glimpses.sh [FOLDER]
set -eu

run=${1:-glimpses.training}
if [ -d "$run" ]; then
    regard train image-classification --resume "$run"
else
    regard train image-classification --model glimpses-small --data cluttered-digits --valid cluttered-digits-valid \
        --set model.supervised="${SUPERVISED:-every}" --batch-tokens 128 --rate 1e-3 \
        --steps "${STEPS:-18000}" --minutes "${MINUTES:-40}" --validate-every 1000 --save-every 1000 --out "$run"
fi
root=$(cd "$(dirname "$0")/../.." && pwd)
PYTHONPATH=$root:${PYTHONPATH:-} python -m benchmarks.vision.glimpses_scores "$run"
