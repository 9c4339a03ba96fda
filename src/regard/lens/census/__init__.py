"""What every head of a model does: roles with chance levels, intervals and examples."""

from .census import census as census
from .census import census_of as census_of
from .examples import Example as Example
from .result import Census as Census
from .result import HeadFacts as HeadFacts
from .result import Row as Row
from .role import ROLES as ROLES
from .role import Role as Role
from .roles.linguistic import Relation as Relation
