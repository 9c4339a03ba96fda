"""The public datasets that ``regard data get`` knows."""

from typing import Literal, NamedTuple

from regard.registry import Registry

Packing = Literal["plain", "gzip", "zip"]


class Part(NamedTuple):
    """One file of a dataset."""

    url: str
    name: str
    """What the unpacked file is called."""
    packing: Packing = "plain"
    member: str | None = None
    """Which file of an archive."""
    sha256: str | None = None
    """Of the unpacked file; ``None`` where the origin publishes a new one now and then."""


class Dataset(NamedTuple):
    """Files that belong together."""

    name: str
    summary: str
    licence: str
    origin: str
    """Whom to name when the data, or what was learned from it, is passed on."""
    parts: tuple[Part, ...]


DATASETS: Registry[Dataset] = Registry("dataset")


def _tatoeba(language: str, code: str, code3: str) -> Dataset:
    """English and another language; the origin exports the pairs anew now and then."""
    return Dataset(
        name=f"tatoeba-en-{code}",
        summary=f"English-{language} sentence pairs in tab-separated columns: pairs.tsv",
        licence="CC BY 2.0 France",
        origin="tatoeba.org, exported by manythings.org/anki",
        parts=(
            Part(
                url=f"https://www.manythings.org/anki/{code3}-eng.zip",
                name="pairs.tsv",
                packing="zip",
                member=f"{code3}.txt",
            ),
        ),
    )


_MULTI30K = "https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw"
_MULTI30K_FILES = (
    ("train", "train", "en", "460a15fbd157e34a7a9957ee388c1ca247fe47af3ef25fb50442af6c274e0fc6"),
    ("train", "train", "de", "2c2b73fd2b548fbcde3a875e0a78d6ee94d498bfdee6bd3eae3945779e9ddf72"),
    ("train", "train", "fr", "5925a3c18f1587b6b54b87743106e6e8ab93618edb6f65d19eac0621f853a10d"),
    ("val", "valid", "en", "1f2a23d992769b5b3d209b0a10dd0b77c08cceb1f20dfb97ed0aafa49d107227"),
    ("val", "valid", "de", "660e09eb7e1da2f856ea13ee5ad3cf6d36b3d5b0b733c857e94c5747a3dfc660"),
    ("val", "valid", "fr", "5304e444d842e962b2dda4d816b70b22a1765b15401642b7ca37a67477e708dc"),
    (
        "test_2016_flickr",
        "test2016",
        "en",
        "399a4382932c1aadd3ceb9bef1008d388a64c76d4ae4e9d4728c6f4301cac182",
    ),
    (
        "test_2016_flickr",
        "test2016",
        "de",
        "4be6b5b3236b79c25475c6bb829800a7ce559e9ba7a1f6c2394fe4d40be46d16",
    ),
    (
        "test_2016_flickr",
        "test2016",
        "fr",
        "cb3160d69b002bb638e66cc7612fcd56cb0af82eadc9c142dedc438afb885ef6",
    ),
)

_SQUAD = "https://rajpurkar.github.io/SQuAD-explorer/dataset"
_UD = "https://raw.githubusercontent.com/UniversalDependencies/UD_English-EWT/r2.16"

for _dataset in (
    _tatoeba("French", "fr", "fra"),
    _tatoeba("German", "de", "deu"),
    _tatoeba("Spanish", "es", "spa"),
    Dataset(
        name="multi30k",
        summary="image captions in English, German and French, line by line: train.en, train.fr …",
        licence="non-commercial research: pass on no weights that were trained on it",
        origin="Multi30k, Elliott et al. 2016, github.com/multi30k/dataset",
        parts=tuple(
            Part(f"{_MULTI30K}/{there}.{code}.gz", f"{here}.{code}", "gzip", sha256=digest)
            for there, here, code, digest in _MULTI30K_FILES
        ),
    ),
    Dataset(
        name="ud-english-ewt",
        summary="English sentences with part-of-speech tags, in CoNLL-U",
        licence="CC BY-SA 4.0",
        origin="Universal Dependencies English EWT 2.16, universaldependencies.org",
        parts=(
            Part(
                f"{_UD}/en_ewt-ud-train.conllu",
                "train.conllu",
                sha256="3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b",
            ),
            Part(
                f"{_UD}/en_ewt-ud-dev.conllu",
                "valid.conllu",
                sha256="531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6",
            ),
        ),
    ),
    Dataset(
        name="squad",
        summary="questions about passages of Wikipedia, answered by spans: train.json, valid.json",
        licence="CC BY-SA 4.0",
        origin="SQuAD 1.1, Rajpurkar et al. 2016, rajpurkar.github.io/SQuAD-explorer",
        parts=(
            Part(f"{_SQUAD}/train-v1.1.json", "train.json"),
            Part(f"{_SQUAD}/dev-v1.1.json", "valid.json"),
        ),
    ),
    Dataset(
        name="tiny-shakespeare",
        summary="1.1 MB of Shakespeare's plays as plain text",
        licence="public domain",
        origin="William Shakespeare, collected for char-rnn by Andrej Karpathy",
        parts=(
            Part(
                "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/"
                "input.txt",
                "input.txt",
                sha256="86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
            ),
        ),
    ),
):
    DATASETS.add(_dataset.name, _dataset)
