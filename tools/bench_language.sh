#!/bin/sh
# Language models beside others, one measurement a command; each is kept in benchmarks/results/ and told by the pages.
#
#   tools/bench_language.sh speed                     Hugging Face's generate, same weights: batch 1 and 64; minutes
#   tools/bench_language.sh shakespeare input.txt.gz  a plain loop of torch, by the minute, in turns; twice MINUTES, 3 if not said
#   tools/bench_language.sh next TRAIN TEST           the same on novels, as en-gpt; twice MINUTES, 20 if not said
#   tools/bench_language.sh hidden TRAIN TEST         hidden tokens, as en-bert; the same
#
# A result names its commit: commit first. Nothing else should run meanwhile.
set -eu

root=$(dirname "$0")/..
what=${1:-}
[ $# -eq 0 ] || shift
case $what in
    speed) name=generation-speed module=generation ;;
    shakespeare) name=shakespeare module=training minutes=${MINUTES:-3} ;;
    next | hidden) name=novels-$what module=novels minutes=${MINUTES:-20}; set -- "$what" "$@" ;;
    *) echo "needs speed, shakespeare, next or hidden, got ${what:-nothing}" >&2; exit 2 ;;
esac

PYTHONPATH=$root${PYTHONPATH:+:$PYTHONPATH} python -m "benchmarks.language.$module" "$@" ${minutes:+--minutes "$minutes"}
python "$root/tools/results.py" keep "bench-results/$name.json"
python "$root/tools/results.py" render
