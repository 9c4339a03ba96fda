"""Does a map explain? Every method's column for one row, and what happens without each token."""

import torch
from torch import nn

from regard.types import Float, Tensor

from ..alignments.view import END
from ..doctor.patient import quiet
from ..look import Look
from ..reading import heads_first, vectors_of
from ..scene import Scene
from .explanation import Column, Explanation
from .gradients import cross_relevance, grad_attention, looked_through
from .layers import MOST, flow, rollout
from .removal import (
    adversary,
    cut_links,
    eraser,
    left_out,
    permuted,
    uniform,
    value_zeroing,
)
from .subject import Subject, subject_of
from .values import alti, value_norms

OUTPUTS = ("output_proj", "out_proj", "o_proj", "c_proj", "out_lin", "o", "to_out", "dense", "proj")
"""What libraries call the projection behind the heads."""
Steep = dict[str, tuple[Look, Tensor]]
"""Looks by name, each with ∂y/∂c (H, Q, E)."""


def faithfulness(
    model: nn.Module,
    scene: Scene,
    *,
    row: int,
    word: int | None = None,
    module: str | None = None,
    contrast: int | None = None,
    blank: int | None = None,
    thorough: bool = False,
) -> Explanation:
    """What one prediction rests on, by every method, beside what happens without each token.

    Args:
        model: it is left as it was.
        scene: of one sentence.
        row: which prediction.
        word: the number of the token that is explained; what is wanted there, or else the
        likeliest.
        module: whose row is the map; the last that looks at the source, or else the last.
        contrast: explain ln p(word) − ln p(contrast).
        blank: the number of ``<unk>`` or a hole, for leaving out by replacing.
        thorough: whether to look for the adversary too: 2,500 runs of the model.

    Raises:
        ChoiceError: more than one sentence, or no such module.
        RangeError: no such row.
    """
    with quiet(model):
        one = subject_of(model, scene, row=row, word=word, module=module, contrast=contrast)
        stand_in = blank if blank is not None else scene.unknown
        columns = [*_of_weights(one), *_by_gradient(one), *_by_running(one, stand_in)]
        yardstick = columns[-1].values
        # A key that the row may not see is no answer to where it looked.
        seen = heads_first(one.look.allowed().expand(one.look.shape))[0, 0, one.query]
        agreements = {c.name: agreement_of(c.values, yardstick, seen) for c in columns[:-1]}
        numbers = {"uniform weights Δ ln p": uniform(one), "permutation |Δp|": permuted(one)}
        if stand_in is not None:
            numbers |= eraser(one, columns[0].values, stand_in)
        if thorough:
            numbers["adversary JS"] = adversary(one)
        value = one.now()
    said = _name(one, one.word)
    told = f"ln p({said}) = {value:.3f}"
    if contrast is not None:
        told = f"ln p({said}) − ln p({_name(one, contrast)}) = {value:.3f}"
    return Explanation(told, _keys(one), tuple(columns), agreements, numbers, one.module)


def _keys(one: Subject) -> tuple[str, ...]:
    """The tokens that are looked at; a number for what has no text."""
    side, count = one.scene.sides[one.keys], one.look.num_keys
    texts = side.texts[0] if side.texts else tuple(map(str, side.ids[0].tolist()))
    ends = side.classes.get("end")
    unnamed = (
        END if ends is not None and place < ends.shape[1] and bool(ends[0, place]) else f"#{place}"
        for place in range(len(texts), count)
    )
    return (*texts[:count], *unnamed)


def _name(one: Subject, word: int) -> str:
    """A token as people read it, where it stands in the sentence; its number otherwise."""
    if not one.placed:
        return f"label {word}"
    side = one.scene.sides[one.scene.written]
    places = (side.ids[0] == word).nonzero().flatten().tolist()
    if side.texts and places and places[0] < len(side.texts[0]):
        return side.texts[0][places[0]]
    return f"token {word}"


def agreement_of(column: Tensor, yardstick: Tensor, seen: Tensor):  # type: ignore[no-untyped-def]
    """Over keys that may be seen."""
    from .verdict import agreement

    return agreement(column[seen], yardstick[seen])


def _of_weights(one: Subject) -> list[Column]:
    """What the map of the module and those below it say."""
    weights, row = one.weights(), one.query
    found = [Column("attention", weights[:, row].mean(0).double(), "mean over heads of α")]
    value, output = _written_by(one)
    if value is not None and output is not None:
        norms = value_norms(weights[:, row : row + 1], value, output)[0]
        found.append(Column("value norm", norms.double(), "‖Σ_h α f(x)‖, Kobayashi 2020"))
        near = alti(weights[:, row : row + 1], value, output, rows=torch.tensor([row]))[0]
        found.append(Column("ALTI", near.double(), "how much nearer to what is written"))
    below = [_mean(look) for look in _stack(one)]
    if below:
        start = weights[:, row].mean(0) if one.crosses else row
        told = "half of each row stays where it is, layer by layer"
        rolled = rollout(below, start)
        found.append(Column("rollout", rolled, told))
        if not one.crosses and below[0].shape[-1] <= MOST:
            found.append(Column("flow", flow(below, row), "the most that can flow"))
    zeroed = value_zeroing(one)
    found.append(Column("value zeroing", zeroed, "1 − cos of the context without a value"))
    return found


def _by_gradient(one: Subject) -> list[Column]:
    """Gradient × attention of the module, and its relevance through all layers."""
    looks = [
        look for look in one.record.looks if look.context is not None and look.value is not None
    ]
    if not looks:
        return []
    gradients = one.record.gradients(one.target)
    steep: Steep = {}
    for look in looks:
        if look.name == one.module and look.call != one.look.call:
            continue
        gradient = heads_first(gradients[look.name][look.call].detach())[0]
        value = vectors_of(look).get("value")
        if value is not None and gradient.shape[:-1] == (value.shape[1], look.num_queries):
            steep[look.name] = (look, gradient)
    if one.module not in steep:
        return []
    row = one.query
    look, gradient = steep[one.module]
    here = torch.nn.functional.one_hot(torch.tensor(row), look.num_queries).to(gradient)
    own = looked_through(look, gradient, here)
    found = [Column("gradient × attention", own.double(), "(∇A ⊙ A)⁺")]
    through = _across(one, steep, row) if one.crosses else _down(one, steep, here)
    if through is not None:
        found.append(Column("relevance", through.double(), "Chefer 2021, through all layers"))
    return found


def _down(one: Subject, steep: Steep, here: Tensor) -> Tensor | None:
    """Row of the relevance through a stack of self attentions: no map is kept."""
    layers = [steep[look.name] for look in _stack(one) if look.name in steep]
    for look, gradient in reversed(layers):
        here = here + looked_through(look, gradient, here)
    return here if layers else None


def _across(one: Subject, steep: Steep, row: int) -> Tensor | None:
    """The same through a decoder, whose two relevances are matrices."""
    queries, keys = one.look.num_queries, one.look.num_keys
    maps = {
        name: grad_attention(look_weights(look), gradient, vectors_of(look)["value"][0])
        for name, (look, gradient) in steep.items()
    }
    source = [maps[look.name] for look in _stack(one) if look.name in maps]
    names = list(maps)
    cross = [name for name in names if one.record[name].looks[-1].kind == "cross"]
    target = [n for n in names if n not in cross and maps[n].shape == (queries, queries)]
    target = [n for n in target if not any(maps[n] is each for each in source)]
    if len(target) != len(cross) or not source or source[0].shape[-1] != keys:
        return None
    return cross_relevance(source, [maps[n] for n in target], [maps[n] for n in cross])[row]


def _by_running(one: Subject, blank: int | None) -> list[Column]:
    """What happens without each key, the yardstick last."""
    found = [Column("cut link", cut_links(one), "Δ with one weight removed, the row renormalised")]
    found.append(
        Column("knocked out", left_out(one, "knock out", None), "Δ with no look at it anywhere")
    )
    found.append(Column("dropped", left_out(one, "drop", None), "Δ without the token"))
    if blank is not None:
        told = "Δ with another token in its place"
        found.append(Column("left out", left_out(one, "blank", blank), told))
        return found
    return [*found[:-1], Column("left out", found[-1].values, found[-1].about)]


def look_weights(look: Look) -> Float[Tensor, "H Q K"]:
    """Of the first sentence."""
    return heads_first(look.weigh())[0]


def _mean(look: Look) -> Float[Tensor, "N N"]:
    return look_weights(look).mean(dim=0)


def _stack(one: Subject) -> list[Look]:
    """Self attentions over the keys' side, the first layer first, up to the module itself."""
    count, found = one.look.num_keys, []
    for look in one.record.looks:
        squares = look.num_queries == look.num_keys == count and look.kind == "self"
        ours = not one.crosses or "decoder" not in look.name
        if squares and ours and look.scored:
            found.append(look)
        if look.name == one.module:
            break
    return found


def _written_by(one: Subject) -> tuple[Tensor | None, Tensor | None]:
    """Values, and the matrix of the projection behind them, where it can be found."""
    vectors = vectors_of(one.look)
    if "value" not in vectors:
        return None, None
    value = vectors["value"][0]
    modules = dict(one.model.named_modules())
    holders = [modules.get(one.module), modules.get(one.module.rpartition(".")[0])]
    beside = [getattr(holder, "output", None) for holder in holders]
    for holder in (*holders, *beside):
        for name in OUTPUTS:
            weight = getattr(getattr(holder, name, None), "weight", None)
            if not isinstance(weight, Tensor) or weight.dim() != 2:
                continue
            width = value.shape[0] * value.shape[-1]
            if weight.shape[1] == width and name != "c_proj":
                return value, weight.detach()
            if weight.shape[0] == width:
                return value, weight.detach().T
    return value, None
