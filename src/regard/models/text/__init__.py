"""Encoders of text behind one contract, and the taggers and classifiers around them."""

from .bert import Bert as Bert
from .bert import BertConfig as BertConfig
from .classifier import Classifier as Classifier
from .classifier import ClassifierConfig as ClassifierConfig
from .config import ConvEncoderConfig as ConvEncoderConfig
from .config import EmbeddingConfig as EmbeddingConfig
from .config import EncoderConfig as EncoderConfig
from .config import PoolingConfig as PoolingConfig
from .config import RecurrentEncoderConfig as RecurrentEncoderConfig
from .config import SpellingConfig as SpellingConfig
from .config import TextConfig as TextConfig
from .config import TransformerEncoderConfig as TransformerEncoderConfig
from .embedding import Spelling as Spelling
from .encoder import TextEncoder as TextEncoder
from .encoders import Encoder as Encoder
from .encoders import encoder as encoder
from .pooling import Pooling as Pooling
from .pooling import pooling as pooling
from .tagger import Tagger as Tagger
from .tagger import TaggerConfig as TaggerConfig
from .word_vectors import WordVectors as WordVectors
from .word_vectors import WordVectorsConfig as WordVectorsConfig
