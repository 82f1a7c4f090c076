"""Slow entries of a ladder: epochs do not wait for their deals, and do not seat them until these deals are over.

The decision depends on the set of committed deals and never on places, so it favours no entry. An epoch is stored with
the entries left out, so that the probabilities of its tables stay known.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain

from beanleague.model import Deal

MIN_TABLES = 8
"""Minimum number of tables in an epoch while entries need deals, so that two cores are kept busy."""
_RECENT = 256  # number of newest deals considered


class SlowEntries:
    """Decides when the next epoch is due, and which entries it leaves out.

    A deal is open until its commit. An epoch is due when the number of open deals, without those of slow entries, is at
    most half the size of the newest epoch. An entry is slow

    - with two open deals overtaken by an epoch of later deals;
    - in all open deals and in no committed deal of the newest epoch;
    - after a while without commits: in an open deal, and in no committed deal after the oldest open one.

    The slowest entry is determined first, and its deals are not counted for other entries, so that its opponents do not
    become slow. When its deals are over, it is seated again, one slow entry per epoch; if an epoch waits for it again,
    it becomes slow again. After a while without commits an epoch is due in any case: another draw may seat only quick
    entries.
    """

    def __init__(self, patience_s: float, count: int, deals: Sequence[Deal], now: float) -> None:
        """`count`, `deals`: number of deals of the newest epoch, and its open deals."""
        self.left_out: list[int] = []
        """Slow entries, in the order of their turns."""
        self._back: set[int] = set()  # the slow entry seated again in the newest epoch
        self._count = count
        self._first = deals[0].number if deals else 0  # first deal of the newest epoch
        self._recent = deque(deals, _RECENT)
        self._patience_s = patience_s
        self._waits = 1  # factor of the patience, doubled whenever no deal is committed
        self._moved = now, -1  # time of the last commit or plan, and number of committed deals then

    def planned(self, deals: Sequence[Deal], now: float, committed: int) -> None:
        """Record the deals of a new epoch."""
        self._moved = now, committed
        self._count, self._first = len(deals), deals[0].number
        self._recent.extend(deals)

    def stalled(self, now: float, committed: int) -> bool:
        """Return whether no deal was committed for too long; if so, the patience doubles.

        `committed`: number so far.
        """
        since, before = self._moved
        if before != committed:
            self._waits = 1
        if before == committed and 0 <= now - since < self._patience_s * self._waits:
            return False
        self._moved = now, committed
        if before != committed or now < since:
            return False
        self._waits *= 2
        return True

    def is_due(
        self,
        opened: Sequence[Deal],
        planned: int,
        sat: Mapping[int, int],
        able: Callable[[set[int]], bool],
        *,
        stalled: bool,
    ) -> bool:
        """Update the slow entries, and return whether an epoch is due.

        `opened`: open deals by number. `planned`: number of planned deals. `sat`: number of tables of each entry.
        `able`: whether tables are possible and wanted without some entries.
        """
        passed = {deal.number: planned - deal.number - later for later, deal in enumerate(reversed(opened))}
        back = self._next_back(opened)
        slow = [entry for entry in self.left_out if entry not in back]
        while True:
            early, found = self._waited_for(opened, slow, passed, stalled=stalled)
            slowest = max(found, key=lambda entry: (found[entry], -sat[entry], entry), default=None)
            if slowest is None or not able({*slow, slowest}):
                break
            slow.append(slowest)
        if early and not stalled:
            return False
        self.left_out, self._back = slow, back.difference(slow)
        return True

    def _waited_for(
        self, opened: Sequence[Deal], slow: Collection[int], passed: Mapping[int, int], *, stalled: bool
    ) -> tuple[bool, Counter[int]]:
        """Return whether it is too early to plan an epoch, and the entries that may be slow besides `slow`.

        Each entry is returned with its number of delayed deals. `opened`: open deals. `slow`: entries known to be slow.
        `passed`: by open deal, the number of finished deals with higher numbers.
        """
        left = [deal for deal in opened if not {*slow} & {*deal.table}]
        old = [deal for deal in left if passed[deal.number] >= max(self._count, MIN_TABLES)]
        early = len(left) - len(old) > self._count // 2
        found = _often(old, 2)
        if early and not found:
            found = self._unseen(left, passed) if stalled else self._in_all(left[len(old) :], passed)
        return early, found

    def _next_back(self, opened: Iterable[Deal]) -> set[int]:
        """Return the first slow entry that is not the only slow one at any open deal, as a set of at most one."""
        slow = {*self.left_out}
        waited_for = [slow & {*deal.table} for deal in opened]
        return {*[entry for entry in self.left_out if {entry} not in waited_for][:1]}

    def _in_all(self, deals: Iterable[Deal], opened: Collection[int]) -> Counter[int]:
        """Return the entries that are in all `deals` and in no committed deal of the newest epoch.

        If no deal of that epoch is committed, only the slow entry seated again in it can be returned.
        """
        over = _often((deal for deal in self._recent if deal.number >= self._first and deal.number not in opened), 1)
        common = set.intersection(*({*deal.table} for deal in deals))
        return Counter(common.difference(over) if over else common & self._back)

    def _unseen(self, left: Sequence[Deal], opened: Collection[int]) -> Counter[int]:
        """Count the deals in `left` of each entry that is in no committed deal after the first of them.

        `left`: open deals without slow entries. `opened`: numbers of all open deals. Empty if no later deal is
        committed.
        """
        first = left[0].number
        over = _often((deal for deal in self._recent if deal.number > first and deal.number not in opened), 1)
        return Counter({entry: times for entry, times in _often(left, 1).items() if over and entry not in over})


def _often(deals: Iterable[Deal], least: int) -> Counter[int]:
    """Count the deals of each entry that has at least `least`."""
    times = Counter(chain.from_iterable(deal.table for deal in deals))
    return Counter({entry: count for entry, count in times.items() if count >= least})
