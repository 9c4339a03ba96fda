"""Nouns that do not live, as tables; the columns are those of :mod:`.nouns`."""

FOOD = """
apple | apples | pomme | pommes | f
orange | oranges | orange | oranges | f
pear | pears | poire | poires | f
banana | bananas | banane | bananes | f
cherry | cherries | cerise | cerises | f
strawberry | strawberries | fraise | fraises | f
egg | eggs | œuf | œufs | m
cake | cakes | gâteau | gâteaux | m
sandwich | sandwiches | sandwich | sandwichs | m
tomato | tomatoes | tomate | tomates | f
carrot | carrots | carotte | carottes | f
bean | beans | haricot | haricots | m
lemon | lemons | citron | citrons | m
peach | peaches | pêche | pêches | f
onion | onions | oignon | oignons | m
mushroom | mushrooms | champignon | champignons | m
pancake | pancakes | crêpe | crêpes | f
apricot | apricots | abricot | abricots | m
olive | olives | olive | olives | f
"""

STUFF = """
bread | - | pain | - | m
cheese | - | fromage | - | m
rice | - | riz | - | m
soup | - | soupe | - | f
meat | - | viande | - | f
butter | - | beurre | - | m
honey | - | miel | - | m
chocolate | - | chocolat | - | m
jam | - | confiture | - | f
oil | - | huile | - | f
"""

DRINK = """
water | - | eau | - | f
milk | - | lait | - | m
coffee | - | café | - | m
tea | - | thé | - | m
wine | - | vin | - | m
beer | - | bière | - | f
lemonade | - | limonade | - | f
"""

CLOTHES = """
dress | dresses | robe | robes | f
shirt | shirts | chemise | chemises | f
coat | coats | manteau | manteaux | m
hat | hats | chapeau | chapeaux | m
shoe | shoes | chaussure | chaussures | f
skirt | skirts | jupe | jupes | f
sock | socks | chaussette | chaussettes | f
jacket | jackets | veste | vestes | f
scarf | scarves | écharpe | écharpes | f
tie | ties | cravate | cravates | f
glove | gloves | gant | gants | m
boot | boots | botte | bottes | f
belt | belts | ceinture | ceintures | f
uniform | uniforms | uniforme | uniformes | m
cap | caps | casquette | casquettes | f
"""

THING = """
ball | balls | ballon | ballons | m
key | keys | clé | clés | f
knife | knives | couteau | couteaux | m
spoon | spoons | cuillère | cuillères | f
pen | pens | stylo | stylos | m
pencil | pencils | crayon | crayons | m
bag | bags | sac | sacs | m
phone | phones | téléphone | téléphones | m
lamp | lamps | lampe | lampes | f
clock | clocks | horloge | horloges | f
mirror | mirrors | miroir | miroirs | m
umbrella | umbrellas | parapluie | parapluies | m
flower | flowers | fleur | fleurs | f
painting | paintings | tableau | tableaux | m
toy | toys | jouet | jouets | m
candle | candles | bougie | bougies | f
computer | computers | ordinateur | ordinateurs | m
guitar | guitars | guitare | guitares | f
hammer | hammers | marteau | marteaux | m
axe | axes | hache | haches | f
stone | stones | pierre | pierres | f
plate | plates | assiette | assiettes | f
jewel | jewels | bijou | bijoux | m
suitcase | suitcases | valise | valises | f
gift | gifts | cadeau | cadeaux | m
tool | tools | outil | outils | m
"""

READING = """
book | books | livre | livres | m
letter | letters | lettre | lettres | f
newspaper | newspapers | journal | journaux | m
story | stories | histoire | histoires | f
poem | poems | poème | poèmes | m
novel | novels | roman | romans | m
message | messages | message | messages | m
article | articles | article | articles | m
"""

OPENING = """
door | doors | porte | portes | f
window | windows | fenêtre | fenêtres | f
box | boxes | boîte | boîtes | f
drawer | drawers | tiroir | tiroirs | m
envelope | envelopes | enveloppe | enveloppes | f
cupboard | cupboards | placard | placards | m
"""

SURFACE = """
table | tables | table | tables | f
chair | chairs | chaise | chaises | f
bed | beds | lit | lits | m
sofa | sofas | canapé | canapés | m
armchair | armchairs | fauteuil | fauteuils | m
bench | benches | banc | bancs | m
shelf | shelves | étagère | étagères | f
carpet | carpets | tapis | tapis | m
"""

VEHICLE = """
car | cars | voiture | voitures | f
bicycle | bicycles | vélo | vélos | m
boat | boats | bateau | bateaux | m
train | trains | train | trains | m
plane | planes | avion | avions | m
truck | trucks | camion | camions | m
"""

VESSEL = """
glass | glasses | verre | verres | m
cup | cups | tasse | tasses | f
bottle | bottles | bouteille | bouteilles | f
bowl | bowls | bol | bols | m
"""

PLACE = """
garden | gardens | jardin | jardins | m
house | houses | maison | maisons | f
school | schools | école | écoles | f
park | parks | parc | parcs | m
kitchen | kitchens | cuisine | cuisines | f
market | markets | marché | marchés | m
village | villages | village | villages | m
forest | forests | forêt | forêts | f
church | churches | église | églises | f
station | stations | gare | gares | f
hotel | hotels | hôtel | hôtels | m
hospital | hospitals | hôpital | hôpitaux | m
museum | museums | musée | musées | m
castle | castles | château | châteaux | m
restaurant | restaurants | restaurant | restaurants | m
office | offices | bureau | bureaux | m
library | libraries | bibliothèque | bibliothèques | f
bakery | bakeries | boulangerie | boulangeries | f
theatre | theatres | théâtre | théâtres | m
farm | farms | ferme | fermes | f
factory | factories | usine | usines | f
shop | shops | magasin | magasins | m
university | universities | université | universités | f
bank | banks | banque | banques | f
"""

ASPECT = """
colour | colours | couleur | couleurs | f
price | prices | prix | prix | m
name | names | nom | noms | m
"""
