"""Models as ``transformers`` stores them, as ours and back: names, shapes and settings."""

from . import bert as bert
from . import gpt2 as gpt2
from . import llama as llama
from . import marian as marian
from . import t5 as t5
from . import vit as vit
from .family import Exported as Exported
from .family import Family as Family
from .family import Imported as Imported
from .family import exported as exported
from .family import families as families
from .family import imported as imported
