"""Recurrent cells, equation by equation, and what runs them over sequences."""

from .base import Cell as Cell
from .base import Hidden as Hidden
from .base import HiddenMemory as HiddenMemory
from .base import State as State
from .fusion import DeepFusion as DeepFusion
from .fusion import FusedState as FusedState
from .fusion import ShallowFusion as ShallowFusion
from .gru import GRU as GRU
from .lstm import LSTM as LSTM
from .lstmn import LSTMN as LSTMN
from .lstmn import LSTMNState as LSTMNState
from .lstmn import Tape as Tape
from .mut import MUT1 as MUT1
from .mut import MUT2 as MUT2
from .mut import MUT3 as MUT3
from .recurrent import Bidirectional as Bidirectional
from .recurrent import BothStates as BothStates
from .recurrent import Recurrent as Recurrent
from .recurrent import Segment as Segment
from .recurrent import chunks as chunks
from .rnn import RNN as RNN
from .rnn import Output as Output
from .stack import Stack as Stack
from .stack import StackState as StackState
from .torch_weights import from_torch as from_torch
from .torch_weights import to_torch as to_torch
