"""Which known name was probably meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def nearest(name: str, known: Iterable[str], weight: Callable[[str], int] = lambda _: 0) -> str | None:
    """The name in ``known`` at the smallest edit distance, if it is near enough to be a slip.

    Near is: the same but for case and underscores, or one edit in three to five characters, two in six to eleven, three
    in longer names. Of several at one distance the one with the greatest ``weight`` wins. A name that is one word of a
    single longer one (``stages`` of ``num_stages``) stands for that.
    """
    known = list(known)
    longer = [candidate for candidate in known if len(name) > 3 and name in candidate.split("_")]
    if len(longer) == 1 and longer[0] != name:
        return longer[0]
    limit = 0 if len(name) < 3 else 1 if len(name) < 6 else 2 if len(name) < 12 else 3
    folded = _fold(name)
    best: tuple[int, int, str] | None = None
    for candidate in known:
        if candidate == name:
            continue
        if _fold(candidate) == folded:
            distance = 0
        elif abs(len(candidate) - len(name)) > limit:
            continue
        else:
            distance = edit_distance(name, candidate, limit)
        if distance <= limit or distance == 0:
            rank = (distance, -weight(candidate), candidate)
            if best is None or rank < best:
                best = rank
    return None if best is None else best[2]


def _fold(name: str) -> str:
    return name.replace("_", "").lower()


def edit_distance(a: str, b: str, limit: int) -> int:
    """Insertions, deletions, replacements and swaps of neighbours that lead from ``a`` to ``b``; anything above
    ``limit`` counts as ``limit + 1``."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        current = [i]
        for j, y in enumerate(b, 1):
            cost = min(row[j] + 1, current[j - 1] + 1, row[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and y == a[i - 2]:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        if min(current) > limit:
            return limit + 1
        before, row = row, current
    return min(row[-1], limit + 1)
