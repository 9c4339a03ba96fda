#!/bin/sh
# How the translators of regard-zoo were trained, from pairs to packed folder, which then lies in zoo/regard_zoo/.
#
#   tools/train_zoo.sh en-fr-transformer train.tsv.gz valid.tsv.gz
#   tools/train_zoo.sh en-fr-bahdanau train.tsv.gz valid.tsv.gz
#
# 8,000 updates on the pairs; for Bahdanau's model then 600 on these and 20,000 pairs of our own grammar, for
# what they say too seldom, and from what is packed of that 1,200 more, its attention guided tenfold. Word links
# that attention is guided by come from eflomal (a statistical aligner, on the package index), which gets an
# environment of its own. Everything lies in ./NAME.training; the same command goes on with what was
# interrupted. It took less than four hours each, on one core.
set -eu

name=$1 train=$2 valid=$3
work=$name.training last=first

case $name in
en-fr-transformer)
    model="--model transformer-small --set model.shared=true model.alignment_head=0 model.dropout=0.1 --rate 1.5e-3" ;;
en-fr-bahdanau)
    model="--model bahdanau-small --set model.hidden_dim=384 model.dropout=0.2 --rate 2e-3" last=third ;;
*)
    echo "no recipe for '$name': en-fr-transformer or en-fr-bahdanau" >&2
    exit 2 ;;
esac

aligned() { # PAIRS: their links in PAIRS.links
    [ -s "$1.links" ] && return
    [ -x "$work/eflomal/bin/eflomal-align" ] || {
        python3 -m venv "$work/eflomal"
        "$work/eflomal/bin/pip" install --quiet eflomal==2.0.0
    }
    regard data words "$1" > "$1.words"
    PATH=$work/eflomal/bin:$PATH eflomal-align -m 3 --null-prior 0.01 -i "$1.words" -f "$1.part"
    mv "$1.part" "$1.links"
}

trained() { # RUN PAIRS OPTIONS...
    run=$1 pairs=$2
    shift 2
    if [ -d "$run" ]; then
        regard train --resume "$run"
    else
        regard train "$@" --data "$pairs" --valid "$valid" --alignments "$pairs.links" \
            --link-tokens split --phrases 0.15 --batch-tokens 1536 --schedule cosine \
            --measure bleu --threads 1 --out "$run"
    fi
}

mkdir -p "$work"
[ -s "$work/pairs.tsv" ] || {
    case $train in
    *.gz) gzip -dc "$train" ;;
    *) cat "$train" ;;
    esac > "$work/pairs.part"
    mv "$work/pairs.part" "$work/pairs.tsv"
}
aligned "$work/pairs.tsv"
# shellcheck disable=SC2086 (options are words)
trained "$work/first" "$work/pairs.tsv" $model --vocabulary 6000 --guided 0.1 --embedding-rate-factor 4 \
    --warmup 500 --steps 8000 --validate-every 1000 --save-every 250

if [ $last = third ]; then
    [ -s "$work/more.tsv" ] || {
        { cat "$work/pairs.tsv" && regard data grammar --pairs 20000 --max-words 12; } > "$work/more.part"
        mv "$work/more.part" "$work/more.tsv"
    }
    aligned "$work/more.tsv"
    trained "$work/second" "$work/more.tsv" --init-from "$work/first" --guided 0.2 --rate 5e-4 \
        --embedding-rate-factor 2 --warmup 50 --steps 600 --validate-every 300 --save-every 100
    [ -d "$work/packed" ] || regard pack "$work/second" --out "$work/packed"
    trained "$work/third" "$work/more.tsv" --init-from "$work/packed" --guided 2 --rate 5e-4 \
        --embedding-rate-factor 2 --warmup 50 --steps 1200 --validate-every 300 --save-every 300
fi

regard pack "$work/$last" --out "$work/$name"
