"""What is said of scenes is true: told again from masks and pixels, without our words' code."""

from itertools import islice

import numpy as np

from regard.data.scenes import SceneConfig, Scenes

NUMBERS = {"a": 1, "an": 1, "two": 2, "three": 3, "four": 4, "five": 5}
WORDS = ["zero", "one", "two", "three", "four", "five"]


def singular(noun: str) -> str:
    if noun in ("crosses", "sixes"):
        return noun[:-2]
    return noun.removesuffix("s") if noun != "cross" else noun


def centre(mask: np.ndarray) -> tuple[float, float]:
    rows, columns = np.nonzero(mask)
    return (columns.min() + columns.max() + 1) / 2, (rows.min() + rows.max() + 1) / 2


def seen_from(one: np.ndarray, other: np.ndarray) -> str:
    (x, y), (to_x, to_y) = centre(one), centre(other)
    if abs(x - to_x) > abs(y - to_y):
        return "to the left of" if x < to_x else "to the right of"
    return "above" if y < to_y else "below"


def where(mask: np.ndarray) -> str:
    x, y = (min(2, int(3 * part / 64)) for part in centre(mask))
    names = [
        ["upper left", "top", "upper right"],
        ["left", "centre", "right"],
        ["lower left", "bottom", "lower right"],
    ]
    return names[y][x]


def test_lists_count_what_is_there():
    listed = [one for one in islice(Scenes(0), 150) if " and " in one.caption.text]
    assert len(listed) > 30
    for one in listed:
        for caption in one.captions:
            found = []
            for phrase in caption.text.replace(" and ", ", ").split(", "):
                number, colour, noun = phrase.split()
                found += [(colour, singular(noun))] * NUMBERS[number]
            assert sorted(found) == sorted((o.colour, o.kind) for o in one.objects)


def test_pairs_say_which_is_where_from_both_sides():
    pairs = [one for one in islice(Scenes(0), 200) if len(one.objects) == 2]
    checked = 0
    for one in pairs:
        for caption in one.captions:
            for middle in ("to the left of", "to the right of", "above", "below"):
                if f" {middle} " not in caption.text:
                    continue
                first, second = caption.text.split(f" {middle} ")
                places = [
                    next(n for n, o in enumerate(one.objects) if (o.size, o.colour, o.kind) == said)
                    for said in (tuple(part.split()[1:]) for part in (first, second))
                ]
                assert seen_from(*[one.masks[place] for place in places]) == middle
                checked += 1
    assert checked > 60


def test_a_thing_alone_is_said_to_be_where_it_is():
    config = SceneConfig(most=1)
    for one in islice(Scenes(0, config=config), 60):
        (caption,) = one.captions
        phrase, _, place = caption.text.rpartition(" the ")
        assert place == where(one.masks[0])
        thing = one.objects[0]
        assert phrase.split()[1:4] == [thing.size, thing.colour, thing.kind]


def test_captions_of_several_orders_are_all_different():
    for one in islice(Scenes(0), 50):
        texts = [caption.text for caption in one.captions]
        assert len(set(texts)) == len(texts)
        assert one.caption in one.captions


def test_nouns_of_a_caption_point_to_their_things():
    for one in islice(Scenes(0), 100):
        for caption in one.captions:
            pointed = [n for place in caption.nouns for n in caption.nouns[place]]
            assert sorted(pointed) == list(range(len(one.objects)))
            for place, things in caption.nouns.items():
                assert {one.objects[n].kind for n in things} == {singular(caption.words[place])}
                assert {one.objects[n].colour for n in things} == {caption.words[place - 1]}


def test_answers_are_those_of_a_plain_look_at_the_things():
    kinds = set()
    for one in islice(Scenes(0), 150):
        for question in one.questions:
            text, things = question.text.rstrip("?"), one.objects
            words = text.split()
            kinds.add(question.kind)
            if text.startswith("how many things"):
                expected = WORDS[len(things)]
            elif text.startswith("how many") and "things" in words:
                expected = WORDS[sum(o.colour == words[2] for o in things)]
            elif text.startswith("how many"):
                expected = WORDS[sum(o.kind == singular(words[2]) for o in things)]
            elif text.startswith("is there"):
                there = any((o.colour, o.kind) == (words[3], words[4]) for o in things)
                expected = "yes" if there else "no"
            elif text == "what color is the shape":
                expected = things[0].colour
            elif text.startswith("what color"):
                (expected,) = {o.colour for o in things if o.kind == singular(words[-1])}
            elif text.startswith("where is the"):
                place = next(
                    n for n, o in enumerate(things) if (o.colour, o.kind) == tuple(words[3:5])
                )
                expected = where(one.masks[place])
            elif text.startswith("is the"):
                pair = [
                    next(n for n, o in enumerate(things) if (o.colour, o.kind) == tuple(said))
                    for said in (words[2:4], words[-2:])
                ]
                says = " ".join(words[4:-3])
                expected = "yes" if seen_from(*[one.masks[n] for n in pair]) == says else "no"
            elif text in ("what shape is in the image", "what digit is shown"):
                (expected,) = {o.kind for o in things}
            elif question.kind == "relation":
                other = next(
                    n for n, o in enumerate(things) if (o.colour, o.kind) == tuple(words[-2:])
                )
                (rest,) = {0, 1} - {other}
                assert seen_from(one.masks[rest], one.masks[other]) == " ".join(words[3:-3])
                expected = things[rest].kind
            else:
                (expected,) = {o.kind for o in things if o.colour == words[-1]}
            assert question.answer == expected, (question, things)
    assert kinds == {"colour", "shape", "count", "presence", "place", "relation"}


def test_as_many_things_are_there_as_are_not():
    answers = [
        question.answer
        for one in islice(Scenes(0), 100)
        for question in one.questions
        if question.kind == "presence"
    ]
    assert answers.count("yes") == answers.count("no") == 100
