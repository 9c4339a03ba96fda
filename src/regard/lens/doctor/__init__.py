"""What is wrong with attention: a cause, its evidence, and what to do."""

from .cause import CAUSES as CAUSES
from .cause import Cause as Cause
from .chart import Chart as Chart
from .doctor import doctor as doctor
from .doctor import examine as examine
from .finding import Diagnosis as Diagnosis
from .finding import Finding as Finding
from .patient import Patient as Patient
from .patient import patient_of as patient_of
