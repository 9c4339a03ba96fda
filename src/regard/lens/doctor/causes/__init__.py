"""All causes, in the order in which they are looked for.

Hard facts come first, then structure, then training, then what looks odd and is harmless.
"""

from . import non_finite as non_finite  # isort: skip
from . import dropout_on as dropout_on  # isort: skip
from . import wrong_axis as wrong_axis  # isort: skip
from . import mask_inverted as mask_inverted  # isort: skip
from . import float_mask as float_mask  # isort: skip
from . import vocabulary as vocabulary  # isort: skip
from . import wrong_pad as wrong_pad  # isort: skip
from . import padding_leaks as padding_leaks  # isort: skip
from . import causal_leak as causal_leak  # isort: skip
from . import at_initialisation as at_initialisation  # isort: skip
from . import ignores_source as ignores_source  # isort: skip
from . import keys_alike as keys_alike  # isort: skip
from . import detached as detached  # isort: skip
from . import separable as separable  # isort: skip
from . import scale as scale  # isort: skip
from . import positions_missing as positions_missing  # isort: skip
from . import rate_too_high as rate_too_high  # isort: skip
from . import saturated as saturated  # isort: skip
from . import too_little_data as too_little_data  # isort: skip
from . import head_unused as head_unused  # isort: skip
from . import sink as sink  # isort: skip
from . import broad as broad  # isort: skip
