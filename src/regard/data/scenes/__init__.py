"""Scenes of our own: small pictures of coloured shapes and digits, and all that is true of them.

>>> from regard.data.scenes import Scenes
>>> one = Scenes(seed=0)[7]
>>> one.picture, one.caption.text, one.questions, one.boxes, one.masks
"""

from .captions import Caption as Caption
from .questions import Question as Question
from .scene import Box as Box
from .scene import Scene as Scene
from .scene import Scenes as Scenes
from .scene import scene as scene
from .scene import split_of as split_of
from .things import SceneConfig as SceneConfig
from .things import Thing as Thing
from .words import COLOURS as COLOURS
from .words import DIGITS as DIGITS
from .words import KINDS as KINDS
from .words import SHAPES as SHAPES
