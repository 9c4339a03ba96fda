"""Does this map explain? Other columns for the same row, and what happens when a token is gone."""

from .explanation import Column as Column
from .explanation import Explanation as Explanation
from .faithfulness import faithfulness as faithfulness
from .gradients import cross_relevance as cross_relevance
from .gradients import grad_attention as grad_attention
from .gradients import looked_through as looked_through
from .gradients import relevance as relevance
from .gradients import weight_gradients as weight_gradients
from .layers import flow as flow
from .layers import rollout as rollout
from .values import alti as alti
from .values import value_norms as value_norms
from .verdict import Agreement as Agreement
from .verdict import agreement as agreement
from .verdict import kendall as kendall
