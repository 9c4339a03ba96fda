"""Pairs as JSON lines, drawn in a process of its own, where no type is checked at every call.

Run as ``python draw_child.py '{"seed": 0, "count": 10, "split": "test"}'``.
"""

import json
import sys
from itertools import islice

from regard.data.grammar import Grammar

options = json.loads(sys.argv[1])
count = options.pop("count")
for source, target, alignment, *tags in islice(Grammar(options.pop("seed"), **options), count):
    print(json.dumps([source, target, sorted(alignment), *tags]))
