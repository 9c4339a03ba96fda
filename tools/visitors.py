"""What visitors type first: 80 lines of ours, and how many of them a translator gets acceptably.

    python tools/visitors.py en-fr-transformer
    python tools/visitors.py en-fr-transformer --raw

A translation is acceptable if it says what the line says, names and numbers included; patterns are
searched for in lower case, with any kind of space and quotes.
"""

import re
import sys

VISITORS: list[tuple[str, str]] = [
    ("Hello", r"^(bonjour|salut|coucou)"),
    ("How are you?", r"^comment (allez-vous|vas-tu|ça va|vous portez-vous|te portes-tu)|^ça va"),
    ("thank you so much", r"^(merci|je (te|vous) remercie)"),
    ("i want to learn french", r"^je (veux|voudrais|souhaite) apprendre le français"),
    ("WHERE IS THE TOILET?", r"où (sont|est|se trouvent) (les|la) (toilettes?|salle)"),
    ("I AM VERY HUNGRY!", r"j.ai (très|grand) ?.*faim|je suis (très )?affam"),
    ("CALL ME TOMORROW", r"(appelle|appelez|téléphone).*demain"),
    ("It's raining. Take your umbrella.", r"il pleut.*(prends|prenez|emporte).*parapluie"),
    ("Are you tired? I'm not.", r"fatigué.*\?.*pas"),
    ("Stop! Don't touch that. It's hot.", r"(arrête|stop).*touch.*chaud"),
    ("I like dogs. My sister likes cats. And you?", r"chiens.*sœur.*chats.*(toi|vous)"),
    ("My name is Svetlana.", r"svetlana\.?$"),
    ("Where does Mohammed live?", r"où.*(vit|habite|demeure).*mohammed|mohammed.*(vit|habite)"),
    ("Giulia and Tom are married.", r"giulia et tom.*mariés"),
    ("I met Professor Okafor in Nairobi.", r"rencontré.*okafor.*nairobi"),
    (
        "Mrs. Patel is my teacher.",
        r"patel est (mon|ma) (professeure?|enseignante?|maîtresse|prof|institutrice)",
    ),
    ("Dr. Lee will see you now.", r"lee.*(voir|verra|reçoit|recevoir|recevra)"),
    ("Have you read Dostoevsky?", r"(lu|lisez|lis).*dostoevsky"),
    ("I work at Volkswagen.", r"travaille.*volkswagen"),
    ("We flew to Kathmandu last week.", r"kathmandu.*semaine dernière|semaine dernière.*kathmandu"),
    ("The bus leaves at 7:45.", r"(bus|car).*(part|quitte).*7 ?(h|:|heures) ?45"),
    ("Wake me up at 6:20 am.", r"(réveille).*6 ?(h|:|heures) ?20"),
    ("He was born in 1964.", r"né en 1964"),
    ("This book has 482 pages.", r"livre.*482 pages"),
    ("The ticket costs 17.50 euros.", r"(billet|ticket).*17[.,]50 ?(euros|€)"),
    ("I paid $1,200 for this computer.", r"payé.*(1[., ]?200).*(ordinateur|dollars)"),
    ("She is 93 years old.", r"elle a (93|quatre-vingt-treize) ans"),
    ("My room number is 418.", r"(chambre|pièce).*418"),
    ("I love you \u2764\ufe0f", r"(je t.aime|je vous aime).*\u2764"),
    ("\U0001f602 That's funny!", r"\U0001f602.*(drôle|amusant|marrant)"),
    ("Good luck \U0001f44d\U0001f44d", r"bonne chance.*\U0001f44d\U0001f44d"),
    ("Write to me at anna_k@mail.net.", r"(écri).*anna_k@mail\.net"),
    ("I found it on www.wikipedia.org yesterday.", r"trouvé.*www\.wikipedia\.org"),
    ("The code is X7-4B.", r"code.*x7-4b"),
    ('"Come here!"', r"(viens|venez).*ici"),
    ("\u201cI don\u2019t know,\u201d he said.", r"sais pas.*(dit|répond)"),
    (
        "dont worry",
        r"(ne t.inquiète|ne vous inquiétez|ne t.en fais|ne vous en faites|pas de souci)",
    ),
    ("can you help me", r"(peux-tu|pouvez-vous|pourrais-tu|pourriez-vous).*aider"),
    ("Wait... I forgot my keys.", r"(attend).*oublié.*clé|clef"),
    ("the weather is nice today", r"(fait beau|temps est|beau temps).*"),
    ("WHERE IS MY BAG?", r"où est (mon|ma) (sac|valise)"),
    (
        "Mr. Johnson lives in Chicago with his wife Emma.",
        r"johnson (vit|habite|demeure) à chicago avec (sa femme|son épouse),? emma",
    ),
    ("Is she coming? I hope so.", r"(vient|venir|viendra).*\?.*(espère)"),
    ("3:45 pm on 12 March 2024", r"15 ?(h|:|heures) ?45,? le 12 mars 2024"),
    ("\U0001f642 Hello!", r"\U0001f642 (bonjour|salut)"),
    ("Hi", r"^(bonjour|salut|coucou)"),
    ("Good morning, everyone!", r"bonjour,? (à tous|tout le monde|à toutes)"),
    ("My name is Yuki and I live in Osaka.", r"yuki et je (vis|habite) à osaka"),
    ("'Wait for me!' he shouted.", r"(attends|attendez)-moi.*(cri)"),
    ("PLEASE HELP ME! I LOST MY PASSPORT.", r"(aide).*perdu mon passeport"),
    ("We have 3 children: Ana, Luis and Pedro.", r"(3|trois) enfants ?: ana, luis et pedro"),
    ("It costs $25.", r"coûte (25|vingt-cinq) ?(dollars|\$)"),
    ("Call me at +33 6 12 34 56 78.", r"(appelle|téléphone).*\+33 6 12 34 56 78"),
    ("Thanks!!! \U0001f600", r"^merci.*\U0001f600"),
    ("lol that's so funny", r"(drôle|amusant|marrant)"),
    ("I was born on 4 July 1999.", r"née? le 4 juillet 1999"),
    ("Barack Obama was the president of the United States.", r"obama.*président des (états|usa)"),
    ("i dont know what to do", r"je ne sais pas quoi faire|ce que je dois faire|que faire"),
    ("u r my best friend", r"(tu es|vous êtes|t'es) (mon meilleur ami|ma meilleure amie)"),
    ("Ms. García-López works for Google.", r"garcía-lópez travaille (pour|chez) google"),
    ("What time is it? It's half past seven.", r"heure.*\?.*(7|sept) ?(h|heures) ?(et demie|30)"),
    ("Happy birthday, Aïcha!", r"(bon|joyeux|heureux) anniversaire,? aïcha|anniversaire.*aïcha"),
    ("Can I have a glass of water?", r"(puis-je|pourrais-je).*verre d'eau"),
    ("Nice to meet you.", r"enchanté|(content|ravi|heureux|heureuse|plaisir).*rencontrer"),
    ('How do you say "apple" in French?', r"comment (dit|dis|dites).*(apple|pomme).*en français"),
    ("I'm 25.", r"j'ai (25|vingt-cinq) ans"),
    ("It is 5 km from here.", r"(5|cinq) (km|kilomètres) d'ici"),
    ("Where's the nearest hospital?", r"où.*hôpital le plus proche"),
    ("Can you send me the report by Friday?", r"(envoyer).*rapport.*vendredi"),
    ("Our flight is AF1234 at 18:30.", r"vol.*af1234.*18 ?(h|:|heures) ?30"),
    ("I'll be there at 5 pm.", r"(serai|viendrai).*(17|5|cinq) ?(h|heures)"),
    ("Let's meet on Tuesday, March 5 at 3 pm.", r"mardi 5 mars à (15|3|trois) ?(h|heures)"),
    ("I'd like a coffee and a croissant, please.", r"café et un croissant"),
    ("My grandmother was born in 1932 in Kraków.", r"grand-mère.*née? en 1932 à kraków"),
    ("Elon Musk bought Twitter.", r"elon musk a acheté twitter"),
    ("happy new year", r"(bonne|heureuse) (nouvelle )?année|nouvelle année heureuse"),
    ("Could you please speak more slowly?", r"parler plus lentement"),
    ("I've been waiting for you for 20 minutes!", r"(attends?).*depuis (20|vingt) minutes"),
    ('She said, "I\'ll call you later."', r"a dit.*(appellerai|rappellerai).*plus tard"),
    ("Email: info@company.fr", r": ?info@company\.fr"),
]


def acceptable(text: str, pattern: str) -> bool:
    """Whether a translation has all that it needs."""
    plain = re.sub(r"[\u00a0\u202f\s]+", " ", text.lower().replace("\u2019", "'"))
    return re.search(pattern, plain) is not None


def main() -> None:
    """Prints every line with its translation, and how many are acceptable."""
    import regard
    from regard.decoding import Beam

    name, *rest = sys.argv[1:] or ["en-fr-transformer"]
    translator = regard.load(name)
    if "--raw" in rest:
        translator.typing = None
    lines = [line for line, _ in VISITORS]
    found = translator.translate(lines, strategy=Beam(size=5, length_penalty=1.0))
    right = [acceptable(one.text, wanted) for one, (_, wanted) in zip(found, VISITORS, strict=True)]
    for one, good in zip(found, right, strict=True):
        print("+" if good else "-", one.source, "\u2192", one.text)
    print(f"{sum(right)} of {len(right)} acceptable")


if __name__ == "__main__":
    main()
