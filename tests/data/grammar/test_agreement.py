"""Agreement, judged by small tables written by hand: they know nothing of the lexicon."""

import re

import pytest

# Noun to gender and number.
NOUNS = {
    "chat": "ms", "chats": "mp", "chien": "ms", "chiens": "mp", "cheval": "ms", "chevaux": "mp",
    "vache": "fs", "vaches": "fp", "abeille": "fs", "abeilles": "fp", "oiseau": "ms",
    "oiseaux": "mp", "hibou": "ms", "hiboux": "mp", "chèvre": "fs", "chèvres": "fp",
    "homme": "ms", "hommes": "mp", "femme": "fs", "femmes": "fp", "fille": "fs", "filles": "fp",
    "enfant": "ms", "enfants": "mp", "reine": "fs", "reines": "fp", "roi": "ms", "rois": "mp",
    "sœur": "fs", "sœurs": "fp", "frère": "ms", "frères": "mp", "infirmière": "fs",
    "robe": "fs", "robes": "fp", "manteau": "ms", "manteaux": "mp", "écharpe": "fs",
    "écharpes": "fp", "gant": "ms", "gants": "mp", "pomme": "fs", "pommes": "fp",
    "œuf": "ms", "œufs": "mp", "gâteau": "ms", "gâteaux": "mp", "eau": "fs", "lait": "ms",
    "maison": "fs", "maisons": "fp", "école": "fs", "écoles": "fp", "jardin": "ms",
    "jardins": "mp", "hôpital": "ms", "hôpitaux": "mp", "clé": "fs", "clés": "fp",
    "couteau": "ms", "couteaux": "mp", "horloge": "fs", "horloges": "fp", "livre": "ms",
    "livres": "mp", "lettre": "fs", "lettres": "fp", "journal": "ms", "journaux": "mp",
    "voiture": "fs", "voitures": "fp", "avion": "ms", "avions": "mp", "bijou": "ms",
    "bijoux": "mp", "table": "fs", "tables": "fp", "lit": "ms", "lits": "mp",
}  # fmt: skip

# Determiners and adjectives to what they may stand with.
FORMS = {
    "le": "ms", "la": "fs", "les": "mp fp", "un": "ms", "une": "fs", "ce": "ms", "cet": "ms",
    "cette": "fs", "ces": "mp fp", "ma": "fs", "ta": "fs", "sa": "fs", "mes": "mp fp",
    "tes": "mp fp", "ses": "mp fp", "notre": "ms fs", "nos": "mp fp", "leur": "ms fs",
    "leurs": "mp fp", "tous": "mp", "toutes": "fp", "chaque": "ms fs", "plusieurs": "mp fp",
    "quel": "ms", "quelle": "fs", "quels": "mp", "quelles": "fp", "deux": "mp fp",
    "petit": "ms", "petite": "fs", "petits": "mp", "petites": "fp", "grand": "ms",
    "grande": "fs", "grands": "mp", "grandes": "fp", "beau": "ms", "bel": "ms", "belle": "fs",
    "beaux": "mp", "belles": "fp", "vieux": "ms mp", "vieil": "ms", "vieille": "fs",
    "vieilles": "fp", "bon": "ms", "bonne": "fs", "bons": "mp", "bonnes": "fp",
    "premier": "ms", "première": "fs", "premiers": "mp", "premières": "fp",
    "noir": "ms", "noire": "fs", "noirs": "mp", "noires": "fp", "blanc": "ms",
    "blanche": "fs", "blancs": "mp", "blanches": "fp", "rouge": "ms fs", "rouges": "mp fp",
    "gris": "ms mp", "grise": "fs", "grises": "fp", "vert": "ms", "verte": "fs", "verts": "mp",
    "vertes": "fp", "marron": "ms fs mp fp", "heureux": "ms mp", "heureuse": "fs",
    "heureuses": "fp", "léger": "ms", "légère": "fs", "légers": "mp", "légères": "fp",
    "frais": "ms mp", "fraîche": "fs", "fraîches": "fp", "fier": "ms", "fière": "fs",
    "cher": "ms", "chère": "fs", "chers": "mp", "chères": "fp", "italien": "ms",
    "italienne": "fs", "italiens": "mp", "italiennes": "fp",
}  # fmt: skip

# Subject pronoun to the forms of être, avoir, aller, manger, voir, prendre it may take.
FINITE = {
    "je": "suis ai vais mange vois prends étais avais serai aurai irai mangerai verrai prendrai",
    "tu": "es suis as vas manges vois prends étais avais seras auras iras mangeras verras prendras",
    "il": "est a va mange voit prend était avait sera aura ira mangera verra prendra",
    "nous": "sommes avons allons mangeons voyons prenons étions avions serons aurons irons "
    "mangerons verrons prendrons",
    "vous": "êtes avez allez mangez voyez prenez étiez aviez serez aurez irez mangerez verrez "
    "prendrez",
    "ils": "sont ont vont mangent voient prennent étaient avaient seront auront iront mangeront "
    "verront prendront",
}
# "Tu me suis" is the verb suivre.
FINITE["j'"] = FINITE["je"]
FINITE["elle"] = FINITE["il"]
ALL_FINITE = {form for forms in FINITE.values() for form in forms.split()}
CLITICS = {"ne", "n'", "me", "m'", "te", "t'", "le", "la", "l'", "les", "lui", "leur", "y"}


def noun_phrases(pair):
    """Every known noun with the run of determiners and adjectives that stands before it."""
    for place, word in enumerate(pair.target):
        if pair.target_tags[place] == "NOUN" and word in NOUNS:
            start = place
            while start and pair.target_tags[start - 1] in ("DET", "ADJ", "NUM"):
                start -= 1
            yield place, [text.lower() for text in pair.target[start:place]]


def test_what_stands_before_a_noun_agrees_with_it(pairs):
    checked = 0
    for pair in pairs:
        for place, before in noun_phrases(pair):
            for word in before:
                if word in FORMS:
                    assert NOUNS[pair.target[place]] in FORMS[word].split(), pair.target_text
                    checked += 1
    assert checked > 600


def test_an_adjective_after_a_noun_agrees_with_it(pairs):
    checked = 0
    for pair in pairs:
        for place, _ in noun_phrases(pair):
            following = pair.target[place + 1 : place + 2]
            if following and following[0] in FORMS and pair.target_tags[place + 1] == "ADJ":
                assert NOUNS[pair.target[place]] in FORMS[following[0]].split(), pair.target_text
                checked += 1
    assert checked > 60


def test_verbs_agree_with_their_subject_pronoun(pairs):
    checked = 0
    for pair in pairs:
        words = [word.lower() for word in pair.target]
        for place, word in enumerate(words):
            # After a verb, "nous" and "elle" can also follow a preposition or be objects.
            begins = place == 0 or words[place - 1] in ("que", "qu'", ",", "et", "mais", ";")
            if word in FINITE and begins:
                rest = [other for other in words[place + 1 :] if other not in CLITICS]
                if rest[0] in ALL_FINITE:
                    assert rest[0] in FINITE[word].split(), pair.target_text
                    checked += 1
    assert checked > 700


ENDINGS = {
    r"\b[Ee]lle (?:n')?est (?:pas |jamais )?(?:souvent |toujours |parfois |rarement )?": "ée",
    r"\b[Ii]ls (?:ne )?sont (?:pas |jamais )?(?:souvent |toujours |parfois |rarement )?": "és",
    r"\b[Nn]ous (?:ne )?sommes (?:pas |jamais )?": "és",
    r"\b[Ii]l (?:n')?est (?:pas |jamais )?": "é",
}


@pytest.mark.parametrize("pattern", ENDINGS)
def test_with_etre_the_participle_agrees_with_the_subject(french, pattern):
    motion = r"(arriv\w+|tomb\w+|rest\w+|all\w+|retourn\w+)\b"
    found = re.findall(pattern + motion, french)
    assert found
    assert all(re.search(rf"[^é]{ENDINGS[pattern]}$", word) for word in found), found


HAVING = r"(?:j'ai|tu as|il a|elle a|nous avons|ils ont) (?!pas|souvent|toujours|parfois|rare)"
ANYBODY_HAVING = HAVING.replace("ils ont", r"(?:(?!qu)[\w' ]){2,25}? (?:a|ont)")
ENDS = {"ms": r"[éiust]$", "fs": "e$", "mp": "s$", "fp": "es$"}


@pytest.mark.parametrize(
    "opening",
    [
        r"(\w+) (?:que |qu')" + HAVING,
        r"(?:Combien d(?:e |')|Quel\w* )(\w+) est-ce (?:que |qu')" + ANYBODY_HAVING,
    ],
    ids=["relative clause", "question"],
)
def test_with_avoir_the_participle_agrees_with_an_object_that_went_before(french, opening):
    pattern = re.compile(opening + r"(\w+)")
    found = [
        (NOUNS[noun], participle) for noun, participle in pattern.findall(french) if noun in NOUNS
    ]
    assert len(found) > 4
    assert {kind for kind, _ in found} - {"ms"}
    assert all(re.search(ENDS[kind], participle) for kind, participle in found), found


def test_an_indirect_object_leaves_the_participle_alone(french):
    pattern = re.compile(
        r"\b(?:lui|leur) (?:ai|as|a|avons|ont) (donn\w+|montr\w+|prêt\w+|offer\w+)"
    )
    found = set(pattern.findall(french))
    assert found
    assert found <= {"donné", "montré", "prêté", "offert"}
