"""Links of two directions made one: intersection, union, and what grows from one to the other."""

from regard.data.pairs import Links

Step = tuple[int, int]
SIDES: tuple[Step, ...] = ((-1, 0), (0, -1), (1, 0), (0, 1))
CORNERS: tuple[Step, ...] = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def intersection(forward: Links, backward: Links) -> Links:
    """Links that both directions found: few, and mostly right."""
    return forward & backward


def union(forward: Links, backward: Links) -> Links:
    """Links that either direction found: many."""
    return forward | backward


def grow_diag(forward: Links, backward: Links) -> Links:
    """The intersection, and links of the union beside one that is in, for words without a link.

    Koehn et al. 2003 (https://aclanthology.org/N03-1017): neighbours are those on the four sides
    and at the four corners; a link is added if its source word or its target word has none yet,
    until nothing changes.

    Args:
        forward: links (source, target) of one direction.
        backward: links (source, target) of the other one, source and target as in the first.
    """
    found, either = set(forward & backward), forward | backward
    grown = True
    while grown:
        grown = False
        for i, j in sorted(found):
            for down, right in (*SIDES, *CORNERS):
                link = (i + down, j + right)
                if link in either and link not in found and _is_new(link, found):
                    found.add(link)
                    grown = True
    return frozenset(found)


def grow_diag_final(forward: Links, backward: Links, *, both: bool = False) -> Links:
    """:func:`grow_diag`, then links of either direction for words that have none.

    Args:
        forward: links of one direction.
        backward: links of the other one.
        both: whether source and target word must be without a link: *grow-diag-final-and*.
    """
    found = set(grow_diag(forward, backward))
    for direction in (forward, backward):
        for link in sorted(direction):
            if link not in found and _is_new(link, found, both=both):
                found.add(link)
    return frozenset(found)


def _is_new(link: tuple[int, int], found: set[tuple[int, int]], *, both: bool = False) -> bool:
    """Whether the source or the target word, or both, have no link."""
    free = (
        all(i != link[0] for i, _ in found),
        all(j != link[1] for _, j in found),
    )
    return all(free) if both else any(free)


def drift(links: Links, gold: Links) -> float:
    """The mean signed number of source words between a link and the nearest gold one.

    Of target words with gold; 0 where every link is right, +1 where all are one word behind.
    """
    wanted: dict[int, list[int]] = {}
    for i, j in gold:
        wanted.setdefault(j, []).append(i)
    apart = [
        min((i - one for one in wanted[j]), key=lambda far: (abs(far), far))
        for i, j in links
        if j in wanted
    ]
    return sum(apart) / len(apart) if apart else 0.0
