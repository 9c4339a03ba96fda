"""Recurrent cells, equation by equation, and what runs them over sequences."""

from .base import Cell as Cell
from .bidirectional import Bidirectional as Bidirectional
from .bidirectional import BothStates as BothStates
from .fusion import DeepFusion as DeepFusion
from .fusion import FusedState as FusedState
from .fusion import ShallowFusion as ShallowFusion
from .gru import GRU as GRU
from .lstm import LSTM as LSTM
from .lstmn import LSTMN as LSTMN
from .lstmn import LSTMNState as LSTMNState
from .mut import MUT1 as MUT1
from .mut import MUT2 as MUT2
from .mut import MUT3 as MUT3
from .output import Output as Output
from .recurrent import Recurrent as Recurrent
from .rnn import RNN as RNN
from .stack import Stack as Stack
from .stack import StackState as StackState
from .states import Hidden as Hidden
from .states import HiddenMemory as HiddenMemory
from .states import State as State
from .tape import Tape as Tape
from .torch_weights import from_torch as from_torch
from .torch_weights import to_torch as to_torch
from .truncated import Segment as Segment
from .truncated import chunks as chunks
