"""Models of sequences, as plain modules of torch.

>>> model = build("bahdanau-small", source_vocab=8000, target_vocab=8000)
>>> logits = model(source, source_lengths, target)
"""

from .build import build as build
from .build import config_from as config_from
from .build import preset_config as preset_config
from .config import Config as Config
from .config import ModelConfig as ModelConfig
from .config import Seq2SeqConfig as Seq2SeqConfig
from .conv import ConvS2S as ConvS2S
from .conv import ConvS2SConfig as ConvS2SConfig
from .embedding import TokenEmbedding as TokenEmbedding
from .output import Unembedding as Unembedding
from .registry import kinds as kinds
from .registry import presets as presets
from .registry import register as register
from .rnn import GNMT as GNMT
from .rnn import Bahdanau as Bahdanau
from .rnn import BahdanauConfig as BahdanauConfig
from .rnn import GNMTConfig as GNMTConfig
from .rnn import Luong as Luong
from .rnn import LuongConfig as LuongConfig
from .rnn import Plain as Plain
from .rnn import PlainConfig as PlainConfig
from .seq2seq import Decoded as Decoded
from .seq2seq import Drawn as Drawn
from .seq2seq import Seq2Seq as Seq2Seq
from .seq2seq import State as State
from .transformer import Transformer as Transformer
from .transformer import TransformerConfig as TransformerConfig
