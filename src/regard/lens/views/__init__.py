"""What there is to be seen in a record: alignments, heads, text, matrices, pictures, gates, steps.

Views are plain values: each draws itself in a terminal, as PNG, SVG and HTML, and is JSON.
"""

from .choosing import chosen as chosen
from .gates import gates as gates
from .maps import alignments as alignments
from .maps import heads as heads
from .maps import matrices as matrices
from .numbers import array as array
from .over_pictures import over_picture as over_picture
from .running import running_text as running_text
from .steps import steps as steps
