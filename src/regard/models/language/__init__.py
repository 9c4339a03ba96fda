"""Language models: what comes next, given what has been."""

from .config import LanguageConfig as LanguageConfig
from .gpt import GPT as GPT
from .gpt_config import GPTConfig as GPTConfig
from .gpt_config import gpt_base as gpt_base
from .gpt_config import gpt_small as gpt_small
from .gpt_config import gpt_tiny as gpt_tiny
from .model import LanguageModel as LanguageModel
from .recurrent import RecurrentLM as RecurrentLM
from .recurrent import RecurrentLMConfig as RecurrentLMConfig
