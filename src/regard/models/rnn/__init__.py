"""Recurrent sequence-to-sequence models."""

from .bahdanau import Bahdanau as Bahdanau
from .bahdanau import BahdanauConfig as BahdanauConfig
from .gnmt import GNMT as GNMT
from .gnmt import GNMTConfig as GNMTConfig
from .luong import Luong as Luong
from .luong import LuongConfig as LuongConfig
from .plain import Plain as Plain
from .plain import PlainConfig as PlainConfig
