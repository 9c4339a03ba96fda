"""Looking at attention."""

from .capture import attention_modules as attention_modules
from .capture import capture as capture
from .gradient_flow import gradient_flow as gradient_flow
from .record import Record as Record
