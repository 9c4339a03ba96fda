"""Batteries of checks for attention modules, sequence models and tasks, ours or anybody's."""

from .battery import CHECKS as CHECKS
from .battery import check_attention as check_attention
from .battery import examine_attention as examine_attention
from .call import Answer as Answer
from .call import Call as Call
from .call import Forward as Forward
from .call import Given as Given
from .call import Inputs as Inputs
from .call import Step as Step
from .call import TorchMultihead as TorchMultihead
from .call import discover as discover
from .report import Report as Report
from .report import Result as Result
from .seq2seq import SEQ2SEQ_CHECKS as SEQ2SEQ_CHECKS
from .seq2seq import check_seq2seq as check_seq2seq
from .task import TASK_CHECKS as TASK_CHECKS
from .task import check_task as check_task
from .task import examine_task as examine_task
from .traits import Traits as Traits
