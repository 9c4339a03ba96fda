"""Every mask as a condition on a query position i and a key position j; True = may attend."""

from collections.abc import Callable, Sequence

Condition = Callable[[int, int], bool]


def table(allowed: Condition, num_queries: int, num_keys: int) -> list[list[bool]]:
    """Write the condition out for all pairs."""
    return [[allowed(i, j) for j in range(num_keys)] for i in range(num_queries)]


def everything() -> Condition:
    """All pairs."""
    return lambda i, j: True


def causal(offset: int = 0) -> Condition:
    """Keys up to the query's own position, shifted by ``offset``."""
    return lambda i, j: j <= i + offset


def window(left: int, right: int) -> Condition:
    """Keys from ``left`` before to ``right`` after the query."""
    return lambda i, j: i - left <= j <= i + right


def padding(length: int) -> Condition:
    """The first ``length`` keys."""
    return lambda i, j: j < length


def document(query_ids: Sequence[int], key_ids: Sequence[int]) -> Condition:
    """Query and key of one document."""
    return lambda i, j: query_ids[i] == key_ids[j]


def prefix(n: int) -> Condition:
    """The first ``n`` keys for everybody, the rest causally."""
    return lambda i, j: j < n or j <= i


def dense(allowed: Sequence[Sequence[bool]]) -> Condition:
    """Look it up."""
    return lambda i, j: bool(allowed[i][j])


def both(first: Condition, second: Condition) -> Condition:
    """Allowed by the one and by the other."""
    return lambda i, j: first(i, j) and second(i, j)


def either(first: Condition, second: Condition) -> Condition:
    """Allowed by the one or by the other."""
    return lambda i, j: first(i, j) or second(i, j)


def inverted(condition: Condition) -> Condition:
    """Allowed where the other forbids."""
    return lambda i, j: not condition(i, j)


def strided(stride: int) -> Condition:
    """Keys whose distance from the query is a multiple of ``stride``."""
    return lambda i, j: abs(i - j) % stride == 0


def blocks(size: int, layout: Sequence[Sequence[bool]] | None = None) -> Condition:
    """Pairs whose blocks may see each other; without a layout each block sees itself."""
    if layout is None:
        return lambda i, j: i // size == j // size
    return lambda i, j: bool(layout[i // size][j // size])


def global_tokens(positions: Sequence[int]) -> Condition:
    """Pairs of which one is a global position."""
    return lambda i, j: i in positions or j in positions
