"""Looking at attention: capture, records, gradient flow, views and plots."""

from .capture import attention_modules as attention_modules
from .capture import capture as capture
from .gradient_flow import gradient_flow as gradient_flow
from .record import Record as Record
