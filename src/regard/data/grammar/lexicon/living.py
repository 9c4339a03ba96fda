"""Nouns that live, as tables; the columns are those of :mod:`.nouns`."""

PERSON = """
man | men | homme | hommes | m
woman | women | femme | femmes | f
boy | boys | garçon | garçons | m
girl | girls | fille | filles | f
child | children | enfant | enfants | m
friend | friends | ami | amis | m
teacher | teachers | professeur | professeurs | m
doctor | doctors | médecin | médecins | m
nurse | nurses | infirmière | infirmières | f
student | students | étudiant | étudiants | m
king | kings | roi | rois | m
queen | queens | reine | reines | f
farmer | farmers | fermier | fermiers | m
baker | bakers | boulanger | boulangers | m
brother | brothers | frère | frères | m
sister | sisters | sœur | sœurs | f
mother | mothers | mère | mères | f
father | fathers | père | pères | m
uncle | uncles | oncle | oncles | m
aunt | aunts | tante | tantes | f
neighbour | neighbours | voisin | voisins | m
soldier | soldiers | soldat | soldats | m
painter | painters | peintre | peintres | m
dancer | dancers | danseuse | danseuses | f
singer | singers | chanteur | chanteurs | m
actress | actresses | actrice | actrices | f
waitress | waitresses | serveuse | serveuses | f
princess | princesses | princesse | princesses | f
witch | witches | sorcière | sorcières | f
lawyer | lawyers | avocate | avocates | f
grandmother | grandmothers | grand-mère | grands-mères | f
grandfather | grandfathers | grand-père | grands-pères | m
hero | heroes | héros | héros | m
son | sons | fils | fils | m
engineer | engineers | ingénieur | ingénieurs | m
thief | thieves | voleur | voleurs | m
fisherman | fishermen | pêcheur | pêcheurs | m
"""

ANIMAL = """
cat | cats | chat | chats | m
dog | dogs | chien | chiens | m
mouse | mice | souris | souris | f
bird | birds | oiseau | oiseaux | m
horse | horses | cheval | chevaux | m
cow | cows | vache | vaches | f
pig | pigs | cochon | cochons | m
hen | hens | poule | poules | f
duck | ducks | canard | canards | m
wolf | wolves | loup | loups | m
fox | foxes | renard | renards | m
bear | bears | ours | ours | m
lion | lions | lion | lions | m
tiger | tigers | tigre | tigres | m
elephant | elephants | éléphant | éléphants | m
monkey | monkeys | singe | singes | m
rabbit | rabbits | lapin | lapins | m
frog | frogs | grenouille | grenouilles | f
snake | snakes | serpent | serpents | m
owl | owls | hibou | hiboux | m
donkey | donkeys | âne | ânes | m
goat | goats | chèvre | chèvres | f
turtle | turtles | tortue | tortues | f
bee | bees | abeille | abeilles | f
spider | spiders | araignée | araignées | f
butterfly | butterflies | papillon | papillons | m
squirrel | squirrels | écureuil | écureuils | m
eagle | eagles | aigle | aigles | m
hedgehog | hedgehogs | hérisson | hérissons | m
whale | whales | baleine | baleines | f
"""
