"""Tokens as a ``tokenizer.json`` has them, read by the library ``tokenizers``."""

import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from regard.errors import InputError
from regard.extras import need

from .splitting import Span
from .tokeniser import Tokeniser

NEEDED = "a vocabulary of tokenizer.json"
PROBE = "a"
"""A text whose tokens show what stands around every text."""


class SpecialTokens(NamedTuple):
    """Numbers of the tokens that are no text; some may be one and the same."""

    pad: int
    unk: int
    bos: int
    eos: int
    mask: int | None = None

    @staticmethod
    def from_content(content: object) -> "SpecialTokens":
        """Of what a file holds.

        Raises:
            InputError: something else.
        """
        names = set(SpecialTokens._fields)
        if not isinstance(content, dict) or set(content) != names:
            raise InputError(f"needs the numbers of {', '.join(sorted(names))}")
        for name, number in content.items():
            if not isinstance(number, int) and not (name == "mask" and number is None):
                raise InputError(f"needs a number for {name}, got {number!r}")
        return SpecialTokens(**content)


class TokenizerJson(Tokeniser):
    """Any tokeniser of the library ``tokenizers``: WordPiece, byte-level BPE, unigram.

    Text is cut and put together as the file says; nothing is padded, cut short or added. Text may
    come back changed, as in small letters, where the file normalises.

    Args:
        source: the file.
        special: numbers of the tokens that are no text.
        size: rows of the model's embedding, which may have more of them than there are tokens; as
            many as tokens if not given.

    Raises:
        InputError: no such file, or numbers that are no tokens.
        MissingExtraError: tokenizers is not installed.
    """

    kind: ClassVar[str] = "tokenizer_json"
    whole: ClassVar[bool] = True

    def __init__(self, source: str, special: SpecialTokens, size: int | None = None) -> None:
        self.source, self.special = source, special
        try:
            self._tokenizer = need("tokenizers", NEEDED).Tokenizer.from_str(source)
        except Exception as error:  # the library raises nothing more exact
            if type(error) is not Exception:
                raise
            raise InputError(f"needs a tokenizer.json, {error}") from None
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        known = self._tokenizer.get_vocab_size(with_added_tokens=True)
        self._size = known if size is None else size
        if self._size < known:
            raise InputError(f"has {known} tokens, more than the {self._size} of the model")
        self.pad, self.unk, self.bos, self.eos = special[:4]
        if special.mask is not None:
            self.mask = special.mask
        if not all(0 <= number < self._size for number in special if number is not None):
            raise InputError(f"needs special tokens below {self._size}, got {tuple(special)}")

    def __len__(self) -> int:
        return self._size

    def pieces(self, text: str) -> list[str]:
        """The tokens as the file names them."""
        found: list[str] = self._encoding(text).tokens
        return found

    def cut(self, text: str) -> list[tuple[str, Span]]:
        """The tokens, and which characters of ``text`` each was made of."""
        encoding = self._encoding(text)
        return list(zip(encoding.tokens, encoding.offsets, strict=True))

    def encode(self, text: str) -> list[int]:
        """The numbers of the tokens, without those that stand around a text."""
        found: list[int] = self._encoding(text).ids
        return found

    def ids(self, pieces: Sequence[str]) -> list[int]:
        """The numbers of ``pieces``."""
        found = map(self._tokenizer.token_to_id, pieces)
        return [self.unk if number is None else number for number in found]

    def pieces_of(self, ids: Iterable[int]) -> list[str]:
        """The pieces of token numbers, without those of ``pad``, ``bos`` and ``eos``."""
        found: list[str] = []
        for number in ids:
            if not 0 <= number < len(self):
                raise InputError(f"token {number} is not among the {len(self)} of the vocabulary")
            if number not in (self.pad, self.bos, self.eos):
                found.append(self.name(number))
        return found

    def name(self, number: int) -> str:
        """A token as the file writes it."""
        found: str | None = self._tokenizer.id_to_token(number)
        return f"<{number}>" if found is None else found

    def text(self, pieces: Sequence[str]) -> str:
        """The pieces put together as the file says."""
        decoder = self._tokenizer.decoder
        if decoder is None:
            return " ".join(pieces)
        text: str = decoder.decode(list(pieces))
        return text

    def spans(self, pieces: Sequence[str]) -> list[Span]:
        """Which characters of :meth:`text` each piece adds; bytes of one character, the last."""
        found: list[Span] = []
        start = 0
        for last in range(1, len(pieces) + 1):
            told = self.text(pieces[:last])
            end = max(start, len(told.rstrip("\ufffd")))
            found.append((start, end))
            start = end
        return found

    def begins(self, piece: str) -> bool:
        """Whether a word begins with it: the text of another piece before it ends with a space."""
        together = self.text([PROBE, piece])
        behind = together.removeprefix(PROBE)
        return behind[:1].isspace() and bool(behind.strip())

    def shown(self, piece: str) -> str:
        """The text of a piece inside others."""
        return self.text([PROBE, piece]).removeprefix(PROBE).strip()

    @property
    def hole(self) -> str | None:
        """How the token of a hidden word is written in text."""
        return None if self.special.mask is None else self.name(self.special.mask)

    @cached_property
    def specials(self) -> frozenset[int]:
        """What the file calls special, what has a part of its own, and what it has no name for."""
        added = self._tokenizer.get_added_tokens_decoder()
        marked = {number for number, token in added.items() if token.special}
        parts = {number for number in self.special if number is not None}
        nameless = set(range(self._size)) - set(self._tokenizer.get_vocab().values())
        return frozenset(marked | parts | nameless)

    @cached_property
    def opening(self) -> tuple[int, ...]:
        """Tokens that the file puts before a text."""
        return tuple(self._around[0])

    @cached_property
    def closing(self) -> tuple[int, ...]:
        """Tokens that the file puts behind a text."""
        return tuple(self._around[1])

    def content(self) -> dict[str, Any]:
        """The file, and what is what in it."""
        told = json.loads(self.source)
        return {"tokenizer": told, "special": self.special._asdict(), "size": self._size}

    @classmethod
    def from_content(cls, content: dict[str, Any]) -> "TokenizerJson":
        """The tokeniser of a stored file."""
        told, size = content.get("tokenizer"), content.get("size")
        if not isinstance(told, dict) or not isinstance(size, int):
            raise InputError("needs a tokenizer.json in the field 'tokenizer', and a size")
        special = SpecialTokens.from_content(content.get("special"))
        return cls(json.dumps(told, ensure_ascii=False), special, size)

    def _encoding(self, text: str) -> Any:
        clean = text.encode("utf-8", "replace").decode("utf-8")
        return self._tokenizer.encode(clean, add_special_tokens=False)

    @cached_property
    def _around(self) -> tuple[list[int], list[int]]:
        inner = self.encode(PROBE)
        all_of_it: list[int] = self._tokenizer.encode(PROBE).ids
        for start in range(len(all_of_it) - len(inner) + 1):
            end = start + len(inner)
            if all_of_it[start:end] == inner:
                return all_of_it[:start], all_of_it[end:]
        return [], []
