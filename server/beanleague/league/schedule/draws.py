"""Companions of a seed: drawn uniformly from all sets that the rules allow, so that their probability is known.

Each set has a rank. The rank of a table's companions is an HMAC of its number (`seeds.table_rank`), so that they cannot
be foreseen, but can be checked later. The number of allowed sets is an elementary symmetric polynomial of the sizes of
the owners' groups: a set takes at most one entry from each.
"""

from collections.abc import Collection, Iterable

from beanleague.league.schedule.schedule import ScheduleError


class Companions:
    """Possible sets of companions for each seed of a field.

    Two entries of one owner never sit at a table, unless the field has fewer owners than a table has seats: then owners
    do not count, and every set of other entries is allowed.
    """

    def __init__(self, field: Iterable[tuple[int, int]], seats: int) -> None:
        """`field`: number and owner's group of each entry, in any order.

        Raises:
            ScheduleError: with fewer entries than seats.
        """
        entries = sorted(field)
        if len(entries) < seats:
            raise ScheduleError(f"{len(entries)} entries cannot fill {seats} seats")
        self.apart = len({group for _, group in entries}) >= seats
        """Whether owners are kept apart."""
        self._groups: dict[int, list[int]] = {}
        self._group_of: dict[int, int] = {}
        for number, group in entries:
            self._group_of[number] = group if self.apart else number
            self._groups.setdefault(self._group_of[number], []).append(number)
        self._others = seats - 1
        self._all = _polynomials(map(len, self._groups.values()), self._others)[0]
        self._suffixes: dict[int, list[list[int]]] = {}

    @property
    def numbers(self) -> Collection[int]:
        """Numbers of the entries in the field."""
        return self._group_of.keys()

    def count(self, seed: int) -> int:
        """Return the number of allowed sets of companions of a seed."""
        size, without = len(self._groups[self._group_of[seed]]), 1
        for degree in range(1, self._others + 1):  # degree of the polynomial of all groups except the seed's
            without = self._all[degree] - size * without
        return without

    def of_rank(self, seed: int, rank: int) -> tuple[int, ...]:
        """Return the set of companions with a rank, 0 to `count` - 1, in the order of the groups' first entries."""
        own = self._group_of[seed]
        groups = [members for group, members in self._groups.items() if group != own]
        if own not in self._suffixes:
            self._suffixes[own] = _polynomials(map(len, groups), self._others)
        suffixes, left = self._suffixes[own], self._others
        found: list[int] = []
        for members, after in zip(groups, suffixes[1:], strict=True):
            if not left:
                break
            if rank < (without := after[left]):
                continue
            place, rank = divmod(rank - without, after[left - 1])
            found.append(members[place])
            left -= 1
        return tuple(found)


def _polynomials(sizes: Iterable[int], degree: int) -> list[list[int]]:
    """Return elementary symmetric polynomials, degrees 0 to `degree`: of all sizes, of all but the first, and so on."""
    found = [[1] + degree * [0]]
    for size in [*sizes][::-1]:
        last = found[-1]
        found.append([1, *(last[each] + size * last[each - 1] for each in range(1, degree + 1))])
    return found[::-1]
