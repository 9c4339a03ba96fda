"""Tokens of a record as text, and what kind each of them is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from regard.errors import DtypeError
from regard.types import Int, Tensor

from .inputs import Inputs, Side, TokenClass

if TYPE_CHECKING:
    from .look import Look

NAMES: dict[str, TokenClass] = {
    "[CLS]": "class",
    "<cls>": "class",
    "[SEP]": "separator",
    "<sep>": "separator",
    "[PAD]": "padding",
    "<pad>": "padding",
    "[UNK]": "unknown",
    "<unk>": "unknown",
    "[MASK]": "hole",
    "<mask>": "hole",
    "<s>": "first",
    "<bos>": "first",
    "<|begin_of_text|>": "first",
    "<|startoftranscript|>": "first",
    "</s>": "end",
    "<eos>": "end",
    "<|end_of_text|>": "end",
    "<|endoftext|>": "end",
}
"""What special tokens are called, and what they are."""

ROLES: tuple[tuple[str, TokenClass], ...] = (
    ("unk_token_id", "unknown"),
    ("pad_token_id", "padding"),
    ("eos_token_id", "end"),
    ("bos_token_id", "first"),
    ("sep_token_id", "separator"),
    ("cls_token_id", "class"),
    ("mask_token_id", "hole"),
)
"""What tokenisers call the numbers of special tokens; a later one has the last word."""

MARKS = ("\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}", "\N{LOWER ONE EIGHTH BLOCK}", "##", "</w>")
"""What pieces carry that is no letter: Ġ, ▁, ##, </w>."""


def read(inputs: Inputs, tokenizer: Any) -> None:
    """Tell every side of these inputs what its tokens are, in text and in kind.

    Args:
        inputs: of a pass.
        tokenizer: of ``transformers`` or ``tokenizers``; a sequence or mapping of texts by number;
            or a function of a number.
    """
    text, kinds = _text_of(tokenizer), _special(tokenizer)
    for role, side in inputs.sides.items():
        if side.ids is not None:
            inputs.sides[role] = _told(side, side.ids, text, kinds)


def _told(
    side: Side,
    ids: Int[Tensor, "B N"],
    text: Callable[[int], str],
    kinds: Mapping[int, TokenClass],
) -> Side:
    tokens = tuple(tuple(text(number) for number in row) for row in ids.tolist())
    classes = [
        [kinds.get(number) or kind_of(token) for number, token in zip(*row, strict=True)]
        for row in zip(ids.tolist(), tokens, strict=True)
    ]
    real = side.real
    if real is not None:
        for row, known in zip(classes, real.tolist(), strict=False):
            for place, here in enumerate(known[: len(row)]):
                row[place] = row[place] if here else "padding"
    return replace(side, tokens=tokens, classes=tuple(map(tuple, classes)))


def kind_of(token: str) -> TokenClass:
    """What a token is, as far as its text tells."""
    if token in NAMES:
        return NAMES[token]
    letters = shown(token).strip()
    return "punctuation" if letters and not any(map(str.isalnum, letters)) else "word"


def shown(token: str) -> str:
    """A piece without the marks of where words begin, to be read."""
    for mark in MARKS:
        token = token.replace(mark, "")
    return token


def _text_of(tokenizer: Any) -> Callable[[int], str]:
    if hasattr(tokenizer, "convert_ids_to_tokens"):
        return lambda number: str(tokenizer.convert_ids_to_tokens(number))
    if hasattr(tokenizer, "id_to_token"):
        return lambda number: str(tokenizer.id_to_token(number))
    if isinstance(tokenizer, Mapping | Sequence):
        return lambda number: str(tokenizer[number])
    if callable(tokenizer):
        return lambda number: str(tokenizer(number))
    raise DtypeError(
        "tokens are read by a tokeniser of transformers or tokenizers, a list of texts, or a "
        f"function of a number, got {type(tokenizer).__name__}"
    )


def _special(tokenizer: Any) -> dict[int, TokenClass]:
    found = ((getattr(tokenizer, name, None), kind) for name, kind in ROLES)
    return {number: kind for number, kind in found if isinstance(number, int)}


def labels(look: "Look", batch: int = 0) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Texts of the queries and of the keys of a look, for one element of the batch.

    Numbers, or rows and columns of a picture, where there is no text.
    """
    queries, keys = _sides(look)
    start = 0 if look.inputs is None else look.inputs.start
    own = _texts(queries, batch, start + look.num_queries)[-look.num_queries :]
    last = start + look.num_queries if look.kind == "self" else look.num_keys
    theirs = _texts(keys, batch, max(last, look.num_keys))[-look.num_keys :]
    return _filled(own, look.num_queries), _filled(theirs, look.num_keys)


def _sides(look: "Look") -> tuple[Side | None, Side | None]:
    """What looks and what is looked at."""
    sides = {} if look.inputs is None else look.inputs.sides
    target = sides.get("target")
    if look.kind == "cross":
        return target, sides.get("input")
    if look.kind == "pool":
        return None, sides.get("input")
    if target is not None and "decoder" in look.name:
        return target, target
    return sides.get("input"), sides.get("input")


def _texts(side: Side | None, batch: int, stop: int) -> list[str]:
    if side is None:
        return []
    if side.tokens is not None:
        return [shown(token) or token for token in side.tokens[batch][:stop]]
    if side.grid is not None:
        rows, columns = side.grid
        patches = [f"{row},{column}" for row in range(rows) for column in range(columns)]
        return [*(f"[{i}]" for i in range(side.before)), *patches][:stop]
    return []


def _filled(texts: list[str], count: int) -> tuple[str, ...]:
    """Texts if there is one for each, numbers otherwise."""
    return tuple(texts) if len(texts) == count else tuple(map(str, range(count)))
