"""All roles a head may have: one small value each, its equation beside it."""

from . import classes as classes
from . import content as content
from . import gates as gates
from . import linguistic as linguistic
from . import links as links
from . import positional as positional
from . import spread as spread
