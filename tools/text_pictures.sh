#!/bin/sh
# Draws the pictures of the pages about text, from trained models (names of the zoo or folders), and puts each
# below the first commands of its page.
#
#   tools/text_pictures.sh TAGGER CLASSIFIER PRONOUNCER FILLER VECTORS
#
# VECTORS is a run of word-vectors on novels (regard train word-vectors --data train.txt.gz --steps 2500).
set -eu

docs=$(dirname "$0")/../docs pictures=$(dirname "$0")/../docs/pictures
regard tag "Time flies like an arrow." --model "$1" --out "$pictures/tagging.png"
regard classify "A warm, funny, engaging film, if a bit too long." --model "$2" --out "$pictures/classifying.png"
regard show "attention" --model "$3" --tokens --out "$pictures/pronouncing.png"
regard fill "The black cat ___ the mouse." --model "$4" --out "$pictures/filling.png"
regard embed --model "$5" --out "$pictures/embedding.png" --picture \
    animals=dog,horse,cow,cat,sheep,whale,bird,wolf plants=tree,oak,flower,grass,rose,leaf,branch,garden \
    verbs=walk,run,eat,speak,see,think,hear,sleep

shown() { # PAGE PICTURE TEXT: the picture in the page, once
    grep -q "pictures/$2.png" "$docs/$1.md" && return
    awk -v line="![$3](pictures/$2.png){ .figure }" \
        '{ print } /^```$/ { if (++fences == 2) print "\n" line }' "$docs/$1.md" > "$docs/$1.part"
    mv "$docs/$1.part" "$docs/$1.md"
}

shown tagging tagging \
    'How sure a tagger is of every tag of "Time flies like an arrow.", drawn from its probabilities'
shown classifying classifying \
    'Which words a classifier looked at, shaded by the weights of its attention pooling'
shown filling filling \
    'What a hole looked at: one head of the last layer over the sentence'
shown embedding embedding \
    'Words on a plane by principal components: animals, plants and verbs lie together'
shown pronouncing-and-summarising pronouncing \
    'Which letters a model looks at while it writes each phoneme'
