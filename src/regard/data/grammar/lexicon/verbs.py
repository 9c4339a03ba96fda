"""Verbs with a direct object, and verbs without one.

Columns: English forms, particle, French infinitive (``*`` past with *être*), and where they are
not those of a regular *-er* verb, the present, the participle and the stem of the future; then
the kinds of subject and the kinds of object.
"""

from .table import rows
from .verb import Verb, english_verb, french_verb

_GOODS = "clothes thing reading vehicle"
_SEEN = f"person animal place {_GOODS}"

_TRANSITIVE = f"""
eat eats ate eaten eating | - | manger | - | - | - | person animal | food stuff animal
drink drinks drank drunk drinking | - | boire | bois bois boit buvons buvez boivent | bu | - | \
person animal | drink
find finds found found finding | - | trouver | - | - | - | person animal | animal {_GOODS}
look looks looked looked looking | for | chercher | - | - | - | person animal | person {_GOODS}
look looks looked looked looking | at | regarder | - | - | - | person animal | {_SEEN}
wait waits waited waited waiting | for | attendre | attends attends attend attendons attendez \
attendent | attendu | - | person | person vehicle
listen listens listened listened listening | to | écouter | - | - | - | person animal | person
carry carries carried carried carrying | - | porter | - | - | - | person | {_GOODS} surface
wear wears wore worn wearing | - | porter | - | - | - | person | clothes
buy buys bought bought buying | - | acheter | achète achètes achète achetons achetez achètent | \
- | achèter | person | food stuff drink {_GOODS} surface
sell sells sold sold selling | - | vendre | vends vends vend vendons vendez vendent | vendu | - | \
person | food stuff {_GOODS} surface
lose loses lost lost losing | - | perdre | perds perds perd perdons perdez perdent | perdu | - | \
person | clothes thing reading
take takes took taken taking | - | prendre | prends prends prend prenons prenez prennent | pris | \
- | person | food {_GOODS}
see sees saw seen seeing | - | voir | vois vois voit voyons voyez voient | vu | verr | \
person animal | {_SEEN}
hear hears heard heard hearing | - | entendre | entends entends entend entendons entendez \
entendent | entendu | - | person animal | person animal vehicle
follow follows followed followed following | - | suivre | suis suis suit suivons suivez suivent | \
suivi | - | person animal | person animal vehicle
help helps helped helped helping | - | aider | - | - | - | person | person
meet meets met met meeting | - | rencontrer | - | - | - | person | person animal
invite invites invited invited inviting | - | inviter | - | - | - | person | person
visit visits visited visited visiting | - | visiter | - | - | - | person | place
wash washes washed washed washing | - | laver | - | - | - | person | clothes vehicle vessel animal
clean cleans cleaned cleaned cleaning | - | nettoyer | nettoie nettoies nettoie nettoyons \
nettoyez nettoient | - | nettoier | person | clothes thing place surface vehicle
open opens opened opened opening | - | ouvrir | ouvre ouvres ouvre ouvrons ouvrez ouvrent | \
ouvert | - | person | opening
close closes closed closed closing | - | fermer | - | - | - | person | opening
read reads read read reading | - | lire | lis lis lit lisons lisez lisent | lu | - | \
person | reading
write writes wrote written writing | - | écrire | écris écris écrit écrivons écrivez écrivent | \
écrit | - | person | reading
draw draws drew drawn drawing | - | dessiner | - | - | - | person | person animal place thing
paint paints painted painted painting | - | peindre | peins peins peint peignons peignez \
peignent | peint | - | person | opening surface place
choose chooses chose chosen choosing | - | choisir | choisis choisis choisit choisissons \
choisissez choisissent | choisi | - | person | food {_GOODS}
finish finishes finished finished finishing | - | finir | finis finis finit finissons finissez \
finissent | fini | - | person | reading
break breaks broke broken breaking | - | casser | - | - | - | person animal | thing vessel surface
repair repairs repaired repaired repairing | - | réparer | - | - | - | person | \
thing vehicle surface opening
build builds built built building | - | construire | construis construis construit construisons \
construisez construisent | construit | - | person | place vehicle
drive drives drove driven driving | - | conduire | conduis conduis conduit conduisons conduisez \
conduisent | conduit | - | person | vehicle
cook cooks cooked cooked cooking | - | cuisiner | - | - | - | person | stuff
prepare prepares prepared prepared preparing | - | préparer | - | - | - | person | food stuff drink
bring brings brought brought bringing | - | apporter | - | - | - | person | \
food stuff drink {_GOODS}
hide hides hid hidden hiding | - | cacher | - | - | - | person animal | food clothes thing reading
forget forgets forgot forgotten forgetting | - | oublier | - | - | - | person | \
clothes thing reading aspect
push pushes pushed pushed pushing | - | pousser | - | - | - | person animal | \
person animal vehicle surface
pull pulls pulled pulled pulling | - | tirer | - | - | - | person animal | vehicle surface
throw throws threw thrown throwing | - | lancer | - | - | - | person | thing
understand understands understood understood understanding | - | comprendre | comprends comprends \
comprend comprenons comprenez comprennent | compris | - | person | person reading
call calls called called calling | - | appeler | appelle appelles appelle appelons appelez \
appellent | - | appeller | person | person animal
chase chases chased chased chasing | - | poursuivre | poursuis poursuis poursuit poursuivons \
poursuivez poursuivent | poursuivi | - | person animal | person animal
surprise surprises surprised surprised surprising | - | surprendre | surprends surprends \
surprend surprenons surprenez surprennent | surpris | - | person animal | person animal
protect protects protected protected protecting | - | protéger | protège protèges protège \
protégeons protégez protègent | - | - | person animal | person animal place
kiss kisses kissed kissed kissing | - | embrasser | - | - | - | person | person animal
touch touches touched touched touching | - | toucher | - | - | - | person animal | animal thing
"""

_STATES = f"""
love loves loved loved loving | - | aimer | - | - | - | person animal | {_SEEN} food stuff drink
hate hates hated hated hating | - | détester | - | - | - | person animal | {_SEEN} food stuff drink
know knows knew known knowing | - | connaître | connais connais connaît connaissons connaissez \
connaissent | connu | - | person | person animal place reading aspect
prefer prefers preferred preferred preferring | - | préférer | préfère préfères préfère préférons \
préférez préfèrent | - | - | person | food stuff drink {_GOODS}
admire admires admired admired admiring | - | admirer | - | - | - | person | {_SEEN}
"""

_OWNING = f"""
have has had had having | - | avoir | ai as a avons avez ont | eu | aur | person | \
animal food {_GOODS}
"""

_INTRANSITIVE = """
sleep sleeps slept slept sleeping | - | dormir | dors dors dort dormons dormez dorment | dormi | \
- | person animal |
work works worked worked working | - | travailler | - | - | - | person |
laugh laughs laughed laughed laughing | - | rire | ris ris rit rions riez rient | ri | - | person |
smile smiles smiled smiled smiling | - | sourire | souris souris sourit sourions souriez \
sourient | souri | - | person |
cry cries cried cried crying | - | pleurer | - | - | - | person |
sing sings sang sung singing | - | chanter | - | - | - | person |
dance dances danced danced dancing | - | danser | - | - | - | person |
run runs ran run running | - | courir | cours cours court courons courez courent | couru | courr | \
person animal |
walk walks walked walked walking | - | marcher | - | - | - | person animal |
swim swims swam swum swimming | - | nager | - | - | - | person animal |
play plays played played playing | - | jouer | - | - | - | person animal |
travel travels travelled travelled travelling | - | voyager | - | - | - | person |
jump jumps jumped jumped jumping | - | sauter | - | - | - | person animal |
start starts started started starting | - | commencer | - | - | - | person |
shout shouts shouted shouted shouting | - | crier | - | - | - | person |
arrive arrives arrived arrived arriving | - | arriver* | - | - | - | person animal vehicle |
come comes came come coming | - | venir* | viens viens vient venons venez viennent | venu | \
viendr | person animal |
leave leaves left left leaving | - | partir* | pars pars part partons partez partent | parti | - | \
person animal vehicle |
fall falls fell fallen falling | - | tomber* | - | - | - | person animal |
stay stays stayed stayed staying | - | rester* | - | - | - | person animal |
come comes came come coming | back | revenir* | reviens reviens revient revenons revenez \
reviennent | revenu | reviendr | person animal |
get gets got got getting | up | se lever | lève lèves lève levons levez lèvent | - | lèver | \
person animal |
wake wakes woke woken waking | up | se réveiller | - | - | - | person animal |
rest rests rested rested resting | - | se reposer | - | - | - | person animal |
stop stops stopped stopped stopping | - | s'arrêter | - | - | - | person animal vehicle |
hurry hurries hurried hurried hurrying | - | se dépêcher | - | - | - | person |
"""


def _verb(cells: list[str], *, stative: bool, of_known: bool) -> Verb:
    """One line of a table."""
    english, particle, infinitive, present, participle, future, subjects, objects = cells
    french = french_verb(infinitive, present, participle, future)
    kinds = (tuple(subjects.split()), tuple(objects.split()))
    return Verb(english_verb(english, particle), french, *kinds, stative, of_known)


def _verbs(table: str, *, stative: bool = False, of_known: bool = False) -> tuple[Verb, ...]:
    """The verbs of a table."""
    return tuple(_verb(cells, stative=stative, of_known=of_known) for cells in rows(table))


TRANSITIVE = _verbs(_TRANSITIVE)
STATIVE = _verbs(_STATES, stative=True, of_known=True) + _verbs(_OWNING, stative=True)
INTRANSITIVE = _verbs(_INTRANSITIVE)

TRANSITIVES = {verb.english.base: verb for verb in TRANSITIVE + STATIVE}
"""English base form to verb with an object; verbs with a particle apart, the base is unique."""
