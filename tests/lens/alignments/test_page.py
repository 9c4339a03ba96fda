"""The page: it stands alone, runs nothing but its own script, and every number is in its table."""

import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise
from time import process_time

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import ShapeError
from regard.lens.alignments import AlignmentView, html

SOURCE, TARGET = ("red", "dress"), ("une", "robe", "rouge")
VIEW = AlignmentView(SOURCE, TARGET, [[0.5, 0.25], [0.0, 1.0], [0.75, 0.126]], "a model")
END = (0.75, 0.0, 0.25)
HEBREW = "\u05d7\u05ea\u05d5\u05dc"
CHROMIUM = shutil.which("chromium")


class Page(HTMLParser):
    """Tags with their attributes, and the text inside each kind of tag."""

    VOID = ("meta", "path", "rect", "br")

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.open = [], {}, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        for tag in set(self.open):
            self.texts[tag][-1] += data

    def named(self, name):
        return [attributes for tag, attributes in self.tags if tag == name]


def digest(text):
    return "'sha256-" + b64encode(sha256(text.encode()).digest()).decode() + "'"


def test_the_table_has_every_weight_in_per_cent_below_its_word():
    page = Page(html([VIEW]))
    heads = list(zip(page.named("th"), page.texts["th"], strict=True))
    assert [text for attributes, text in heads if attributes["scope"] == "col"] == list(SOURCE)
    assert [text for attributes, text in heads if attributes["scope"] == "row"] == list(TARGET)
    corner, *cells = page.texts["td"]
    assert corner == ""
    assert cells == ["50", "25", "0", "100", "75", "13"]
    assert [a["class"] for a in page.named("td")[1:]] == ["w50", "w25", "w0", "w100", "w75", "w13"]


def test_shares_are_of_the_largest_weight_and_numbers_are_not():
    page = Page(html([AlignmentView(("a", "b"), ("x",), [[1.0, 2.0]])]))
    assert page.texts["td"][1:] == ["100", "200"]
    assert [a["class"] for a in page.named("td")[1:]] == ["w50", "w100"]


def test_every_share_has_its_rule():
    rules = re.findall(r"\.w(\d+)\{--w:(\d+)%\}", html([VIEW]))
    assert rules == [(str(share), str(share)) for share in range(1, 101)]


def test_curves_are_as_wide_as_their_weight_and_join_the_right_words():
    page = Page(html([VIEW]))
    widths = {(a["data-t"], a["data-s"]): float(a["stroke-width"]) for a in page.named("path")}
    assert widths.keys() == {("0", "0"), ("0", "1"), ("1", "1"), ("2", "0"), ("2", "1")}
    assert list(widths) == [("2", "1"), ("0", "1"), ("0", "0"), ("2", "0"), ("1", "1")]
    assert list(widths.values()) == sorted(set(widths.values()))
    middles = word_middles(page)
    for path in page.named("path"):
        start, end = re.match(r"M(\S+) .* (\S+) \S+$", path["d"]).groups()
        assert float(start) == middles["data-s", path["data-s"]]
        assert float(end) == middles["data-t", path["data-t"]]


def word_middles(page):
    """The middle of every box, by side and place."""
    words = [a for a in page.named("g") if a["class"] == "word"]
    boxes = page.named("rect")
    sides = [next((key, a[key]) for key in ("data-s", "data-t") if key in a) for a in words]
    middles = [float(box["x"]) + float(box["width"]) / 2 for box in boxes]
    return dict(zip(sides, middles, strict=True))


def test_only_its_own_style_and_script_are_allowed_and_nothing_is_fetched():
    text = html([VIEW])
    page = Page(text)
    (policy,) = [a["content"] for a in page.named("meta") if "http-equiv" in a]
    (style,), (script,) = page.texts["style"], page.texts["script"]
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src {digest(style)}",
        f"script-src {digest(script)}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert not re.search(r"https?:|//|url\(|@import|\bimport\b|fetch", text.replace("</", ""))
    assert not any(
        name in ("src", "href", "style") or name.startswith("on")
        for _, attributes in page.tags
        for name in attributes
    )


def test_words_are_text_whatever_they_say():
    hostile = "</script><img src=x onerror=alert(1)>\"'&"
    page = Page(html([AlignmentView((hostile,), (f"{hostile}?",), [[1.0]], hostile)]))
    assert not page.named("img")
    assert len(page.named("script")) == 1
    assert page.texts["th"] == [hostile, f"{hostile}?"]
    assert page.texts["h2"] == [hostile]
    assert page.texts["h1"] == [hostile]
    assert page.texts["title"] == [f"{hostile} → {hostile}?"]


def test_a_sentence_that_looks_at_itself_is_said_once():
    page = Page(html([AlignmentView(("a", "b"), ("a", "b"), [[1.0, 0.0], [0.5, 0.5]])]))
    assert page.texts["title"] == ["a b"]


@given(st.lists(st.text(st.characters(exclude_categories=())), min_size=3, max_size=3))
def test_any_text_gives_a_page_that_can_be_written(words):
    text = html([AlignmentView((words[0],), (words[1],), [[0.5]], words[2])])
    text.encode()
    page = Page(text)
    assert not page.open
    assert len(page.named("table")) == 1


def test_a_right_to_left_sentence_runs_from_the_right():
    page = Page(html([AlignmentView((HEBREW, "."), ("a", "b"), torch.eye(2))]))
    assert page.named("table")[0]["dir"] == "rtl"
    middles = word_middles(page)
    assert middles["data-s", "0"] > middles["data-s", "1"]
    assert middles["data-t", "0"] < middles["data-t", "1"]
    assert Page(html([VIEW])).named("table")[0]["dir"] == "ltr"


def test_several_views_share_a_page_and_the_sentence_is_its_title():
    other = AlignmentView(SOURCE, ("robe", "."), [[0.0, 1.0], [0.5, 0.5]])
    page = Page(html([VIEW, other]))
    assert page.texts["h1"] == page.texts["title"] == ["red dress"]
    assert page.texts["h2"] == ["a model", "robe ."]
    labelled = [a["aria-labelledby"] for a in page.named("section")]
    assert labelled == [a["id"] for a in page.named("h2")]
    assert Page(html([VIEW, AlignmentView(("a",), ("b",), [[1.0]])])).texts["h1"] == ["Alignments"]


def test_sentences_read_as_they_were_written_and_a_shared_model_is_named_once():
    written = {"texts": ("Red dress.", "Robe rouge."), "model": "small & quick"}
    source, target = ("Red", "dress", "."), ("Robe", "rouge", ".")
    heads = [
        AlignmentView(source, target, torch.eye(3), title, **written) for title in ("head 0", "")
    ]
    text = html(heads)
    page = Page(text)
    assert page.texts["title"] == ["Red dress. → Robe rouge."]
    assert page.texts["h1"] == ["Red dress."]
    assert page.texts["h2"] == ["head 0", "Robe rouge."]
    assert text.count("small &amp; quick") == 1
    other = AlignmentView(source, target, torch.eye(3), texts=written["texts"], model="large")
    assert Page(html([heads[0], other])).texts["h2"] == ["small & quick: head 0", "large"]


def test_what_lies_on_the_end_is_the_last_column_and_the_last_word_of_the_source():
    view = AlignmentView(SOURCE, TARGET, [[0.125, 0.125], [0.0, 1.0], [0.25, 0.5]], end=END)
    page = Page(html([view]))
    heads = list(zip(page.named("th"), page.texts["th"], strict=True))
    assert [text for attributes, text in heads if attributes["scope"] == "col"] == [
        *SOURCE,
        "(end)",
    ]
    assert page.texts["td"][1:] == ["12", "12", "75", "0", "100", "0", "25", "50", "25"]
    words = [a for a in page.named("g") if a["class"].startswith("word")]
    assert [(a["data-s"], a["class"]) for a in words if "data-s" in a][-1] == ("2", "word end")
    looks = [a["data-looks"] for a in words if "data-t" in a]
    assert looks == ["100.0 0:12.5 1:12.5 2:75.0", "100.0 1:100.0", "100.0 0:25.0 1:50.0 2:25.0"]
    assert ("0", "2") in {(a["data-t"], a["data-s"]) for a in page.named("path")}


def test_a_page_of_five_hundred_words_is_quickly_made_and_can_be_opened():
    words = tuple(f"word{i}" for i in range(500))
    logits = torch.rand(500, 500, generator=torch.Generator().manual_seed(3)).double()
    weights = (5 * logits).softmax(-1) * 5
    start = process_time()
    text = html([AlignmentView(words, words, weights, end=torch.zeros(500))])
    assert process_time() - start < 10
    assert len(text.encode()) < 3_000_000
    assert "<td" not in text
    assert "500 × 501 weights" in text
    drawn = re.findall(r'<path data-s="(\d+)" data-t="(\d+)"', text)
    strongest = weights.flatten().topk(12_000).indices.tolist()
    assert {(int(t), int(s)) for s, t in drawn} == {divmod(place, 500) for place in strongest}


def test_the_shorter_line_of_words_is_stretched_to_the_longer():
    long = tuple(f"word{i}" for i in range(9))
    page = Page(html([AlignmentView(long, ("a", "b", "c"), torch.zeros(3, 9))]))
    boxes = {side: [] for side in "st"}
    words = [a for a in page.named("g") if a["class"] == "word"]
    for word, box in zip(words, page.named("rect"), strict=True):
        start = float(box["x"])
        boxes["s" if "data-s" in word else "t"].append((start, start + float(box["width"])))
    assert [line[0][0] for line in boxes.values()] == [0, 0]
    assert boxes["s"][-1][1] == pytest.approx(boxes["t"][-1][1])
    gaps = [right[0] - left[1] for left, right in pairwise(boxes["t"])]
    assert gaps[0] == pytest.approx(gaps[1])
    assert gaps[0] > 100


def test_a_page_needs_a_view():
    with pytest.raises(ShapeError, match="at least one view, got none"):
        html([])


def test_a_page_of_thirty_words_stays_small():
    words = tuple(f"word{i}" for i in range(30))
    noise = torch.randn(30, 30, generator=torch.Generator().manual_seed(3))
    weights = (4 * torch.eye(30) + noise).softmax(-1)
    assert len(html([AlignmentView(words, words, weights)]).encode()) < 100_000


def test_letters_on_every_shade_can_be_read_in_light_and_dark():
    style = Page(html([VIEW])).texts["style"][0]
    light, dark = (
        dict(re.findall(r"--(\w+): (#\w{6});", part)) for part in style.split("@media")[:2]
    )
    rules = style.split("@media")
    strong = {
        "light": int(re.findall(r"}\.w(\d+),[^{]*\{color:var\(--strong", rules[-2])[0]),
        "dark": int(re.findall(r"\{\.w(\d+),[^{]*\{color:var\(--strong", rules[-1])[0]),
    }
    counts = int(re.findall(r"}\.w(\d+),[^{]*\{color:var\(--full", style)[0])
    for theme, colours in (("light", light), ("dark", dark)):
        for share in range(101):
            name = "strong" if share >= strong[theme] else "full" if share >= counts else "soft"
            back = mixed(colours["heat"], colours["box"], share / 100)
            assert contrast(linear(colours[name]), back) > 4.5, (theme, share)


def linear(colour):
    """Light from a colour such as #1f7a83 (IEC 61966-2-1)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]


TO_LMS = torch.tensor(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    dtype=torch.float64,
)


def mixed(first, second, share):
    """Oklab is linear in the cube roots of LMS, so mixing there is mixing in Oklab."""
    roots = [
        (TO_LMS @ torch.tensor(linear(c), dtype=torch.float64)) ** (1 / 3) for c in (first, second)
    ]
    return torch.linalg.solve(TO_LMS, (roots[0] * share + roots[1] * (1 - share)) ** 3).tolist()


def contrast(first, second):
    """The ratio of WCAG 2."""
    low, high = sorted(
        0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2] + 0.05 for c in (first, second)
    )
    return high / low


def browsed(text, folder, deed=""):
    """The page after its own script and ``deed`` have run in a browser, as a page."""
    page = folder / "page.html"
    allowed = text.replace("script-src ", f"script-src {digest(deed)} ")
    page.write_text(allowed.replace("</body>", f"<script>{deed}</script></body>"), "utf-8")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    profile = f"--user-data-dir={folder / 'profile'}"
    done = subprocess.run(
        [*command, profile, page.as_uri()], capture_output=True, text=True, timeout=300, check=True
    )
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium")
def test_a_word_reached_by_keyboard_shows_its_weights(tmp_path):
    deed = """
    document.querySelector('.word[data-s="0"]').focus();
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}));
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown"}));
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"}));
    """
    text = browsed(html([VIEW]), tmp_path, deed)
    assert "\u2068robe\u2069 looks at \u2068dress\u2069 100 %<" in text
    page = Page(text)
    (word,) = [a for a in page.named("g") if a.get("aria-pressed") == "true"]
    assert word["data-t"] == "1"
    assert word["tabindex"] == "0"
    assert [a["class"] for a in page.named("td")[3:5]] == ["w0 on", "w100 on"]
    assert sum("on" in a.get("class", "").split() for a in page.named("td")) == 2


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium")
def test_the_sentence_about_a_word_accounts_for_all_of_its_weight(tmp_path):
    row = [0.25, *[0.03125] * 8, 0.0]
    view = AlignmentView(tuple("abcdefghij"), ("x",), [row], end=[0.5])
    deed = """document.querySelector('.word[data-t="0"]').focus();"""
    text = browsed(html([view]), tmp_path, deed)
    (said,) = re.findall(r'class="said"[^>]*>([^<]*)<', text)
    assert said.startswith("\u2068x\u2069 looks at \u2068(end)\u2069 50 %, \u2068a\u2069 25 %, ")
    assert said.endswith(", all others 13 %")
    assert sum(map(int, re.findall(r"(\d+) %", said))) in range(99, 102)
