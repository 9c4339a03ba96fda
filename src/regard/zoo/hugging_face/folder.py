"""A folder as ``save_pretrained`` writes it; nothing in it is run."""

from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch

from regard.data.vocabulary.tokenizer_json import SpecialTokens, TokenizerJson
from regard.errors import DamagedError, InputError
from regard.extras import need
from regard.json_text import parsed
from regard.storage import regular
from regard.types import Tensor

CONFIG = "config.json"
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
TOKENIZER = "tokenizer.json"
TOKENIZER_CONFIG = "tokenizer_config.json"
SPECIAL = "special_tokens_map.json"
HALVES = (torch.float16, torch.bfloat16)
MOST_BYTES = 2**28
"""Of a file of text."""


def _text(path: Path) -> str:
    """The text of a file that is one: pipes, devices and what is endless are not waited for."""
    with regular.opened(path) as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"it is larger than {MOST_BYTES:,} bytes")
    return data.decode("utf-8")


class HuggingFaceFolder:
    """A model's files.

    Args:
        path: the folder.

    Raises:
        InputError: no ``config.json`` in it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = self.read(CONFIG, needed=True)

    def read(self, name: str, *, needed: bool = False) -> dict[str, Any]:
        """A file of JSON; empty if it is not there.

        Raises:
            InputError: it is needed and not there, or is no JSON.
        """
        path = self.path / name
        try:
            told = parsed(_text(path))
        except FileNotFoundError:
            if not needed:
                return {}
            raise InputError(
                f"{path}: a model of transformers needs this file, it is missing; name the folder "
                "that save_pretrained wrote"
            ) from None
        except (OSError, ValueError) as error:
            raise InputError(f"{path}: cannot be read as JSON, {error}") from None
        if not isinstance(told, dict):
            if isinstance(told, list):
                return {str(number): one for number, one in enumerate(told)}
            raise InputError(f"{path}: needs names with values, got {type(told).__name__}")
        return told

    @cached_property
    def files(self) -> list[Path]:
        """Those of the weights.

        Raises:
            InputError: there are none, or none that hold nothing but numbers.
        """
        if (self.path / WEIGHTS).exists():
            return [self.path / WEIGHTS]
        index = self.read(INDEX).get("weight_map")
        if isinstance(index, dict):
            names = sorted({str(name) for name in index.values()})
            if any(Path(name).name != name for name in names):
                raise InputError(f"{self.path / INDEX}: names files outside of its folder")
            return [self.path / name for name in names]
        raise InputError(
            f"{self.path}: needs weights as {WEIGHTS}, which is missing; files of pickle run code "
            "and are not read: save the model anew by save_pretrained"
        )

    def weights(self) -> dict[str, Tensor]:
        """All tensors by name; half precision becomes float32.

        Raises:
            DamagedError: a file that is no safetensors.
        """
        load = need("safetensors.torch", "reading weights").load_file
        found: dict[str, Tensor] = {}
        for path in self.files:
            try:
                regular.opened(path).close()
                found |= load(path)
            except Exception as error:  # the library raises a class of its own
                raise DamagedError(f"{path}: cannot be read as safetensors, {error}") from None
        return {name: x.float() if x.dtype in HALVES else x for name, x in found.items()}

    def digest(self) -> str:
        """The sha256 of the files of the weights."""
        total = sha256()
        for path in self.files:
            with regular.opened(path) as file:
                while block := file.read(2**20):
                    total.update(block)
        return total.hexdigest()

    def tokeniser(self, size: int) -> TokenizerJson:
        """The tokens of a model that has so many.

        Raises:
            InputError: no ``tokenizer.json``, or one of another model.
        """
        path = self.path / TOKENIZER
        try:
            source = _text(path)
        except (OSError, ValueError) as error:
            raise InputError(
                f"{path}: the tokens of a model need to be in this file, which cannot be read, "
                f"{error}; AutoTokenizer.from_pretrained(folder).save_pretrained(folder) writes it"
            ) from None
        try:
            return TokenizerJson(source, self._special(source), size)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None

    def _special(self, source: str) -> SpecialTokens:
        """Which token does what, by the files beside."""
        names = self.read(SPECIAL) | self.read(TOKENIZER_CONFIG)
        try:
            tokenizer = need("tokenizers", "a vocabulary of tokenizer.json").Tokenizer
            numbers = tokenizer.from_str(source).token_to_id
        except Exception as error:
            if type(error) is not Exception:
                raise
            raise InputError(f"needs a tokenizer.json, {error}") from None

        def number(*roles: str) -> int | None:
            for role in roles:
                said = self.config.get(f"{role}_token_id")
                if isinstance(said, list) and said:
                    said = said[0]
                if isinstance(said, int):
                    return said
                name = names.get(f"{role}_token")
                name = name.get("content") if isinstance(name, dict) else name
                if isinstance(name, str) and (found := numbers(name)) is not None:
                    return int(found)
            return None

        end = number("eos", "sep")
        begin = number("decoder_start", "bos", "cls")
        both = [one for one in (end, begin) if one is not None]
        if not both:
            raise InputError("needs to know which token ends a text: say eos_token_id in config")
        eos, bos = (both[0] if end is None else end), (both[0] if begin is None else begin)
        pad, unk = number("pad"), number("unk")
        return SpecialTokens(
            pad=eos if pad is None else pad,
            unk=eos if unk is None else unk,
            bos=bos,
            eos=eos,
            mask=number("mask"),
        )
