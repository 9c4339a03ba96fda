"""From a model to sentences: greedy, beam search, sampling, for whatever writes step by step.

>>> from regard.decoding import Beam, decode
>>> decode(model, sources, strategy=Beam(size=5))

``decode``, ``stream``
    what is called; ``run`` takes the steps of a batch, ``batches`` fills it again as rows end.
``greedy``, ``beam``, ``sample``
    settings of a strategy, each of which makes a ``search``: ``row_search`` keeps one hypothesis a
    sentence, ``beam_search`` several (``expansion`` drops them, ``group`` says when all is done,
    ``penalties`` rank them, ``history`` and ``back_pointers`` tell how they came about).
``rules``, ``limits``, ``processors``
    what may be written, how much of it, and what changes the scores of the next token.
``prompts``, ``protocol``, ``ensemble``
    what is begun from, what a model must be able to do, several models as one.
"""

from .batches import BatchLimit as BatchLimit
from .batches import ContinuedPrompts as ContinuedPrompts
from .batches import FeaturePrompts as FeaturePrompts
from .batches import Prompt as Prompt
from .batches import Prompts as Prompts
from .batches import TokenPrompts as TokenPrompts
from .beam_search import Beam as Beam
from .decode import decode as decode
from .decode import decode_iter as decode_iter
from .ensemble import Ensemble as Ensemble
from .greedy import Greedy as Greedy
from .hypothesis import Hypothesis as Hypothesis
from .processors import Banned as Banned
from .processors import Forced as Forced
from .processors import Included as Included
from .processors import NoRepeatNGram as NoRepeatNGram
from .processors import Processor as Processor
from .processors import RepetitionPenalty as RepetitionPenalty
from .processors import Seen as Seen
from .protocol import Joinable as Joinable
from .protocol import Steady as Steady
from .protocol import StepDecoder as StepDecoder
from .rules import Limits as Limits
from .sample import Sample as Sample
from .search import Strategy as Strategy
from .stream import stream as stream
