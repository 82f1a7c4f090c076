"""The best play of a turn against the Thief, which steals from the field after a single saved die."""

from __future__ import annotations

from collections.abc import Sequence

from throws import BEANS, BORROWS, FIRST, SECOND, Throws, excess

MET = 1 << 40  # in a state: the unit of the number of orders completed in this turn
_DICE = 255 << 28
_NEVER = float("-inf")

_Best = tuple[float, float, float]
"""The best values by saving useful dice: alone, with a useless die of the first sort, or of the second sort."""


class HeistPlan:
    """The values of the states of a turn with the best play.

    `needs`: for each of the next orders, the minimal beans that meet it. `worth[met]`: the value of ending the turn
    with the first `met` of them completed. A state includes this number, since orders stay completed when beans are
    stolen. Useless beans are left out of states: the plan ignores that the Thief might steal one of them instead.
    """

    def __init__(self, throws: Throws, needs: Sequence[Sequence[int]], worth: Sequence[float]) -> None:
        self._throws = throws
        self._needs = needs
        self._worth = worth
        self._known: dict[int, float] = {}
        self._alike: dict[int, float] = {}  # values of reduced states, shared by all states that are equivalent
        self._misses: dict[int, float] = {}

    def value(self, state: int) -> float:
        """Return the value of `state` before its dice are rolled."""
        found = self._known.get(state)
        if found is None:
            found = self._known[state] = self._value(state)
        return found

    def robbed(self, state: int) -> float:
        """Return the value of `state` after a single die was saved: the Thief rolls the remaining dice first."""
        left = state & _DICE
        if not left:
            return self.value(state)
        state = self.completed(state)
        losses = sorted(
            ((self.value(state - (1 << 4 * kind)), kind) for kind in range(7) if state >> 4 * kind & 15), reverse=True
        )
        expected, missed, kinds = 0.0, 1.0, 0
        for value, kind in losses:
            kinds |= 1 << kind
            missed_too = self._missed(kinds, left)
            expected += (missed - missed_too) * value
            missed = missed_too
        return expected + missed * self.value(state)

    def completed(self, state: int) -> int:
        """Return `state` with the orders that its beans complete counted, and without useless beans."""
        met = state // MET
        beans = state & BEANS
        while met < len(self._needs) and any(not excess(need, beans) for need in self._needs[met]):
            met += 1
        useful, _ = self._outlook(met, beans, self._dice(state))
        return met * MET + (state & _DICE) + useful

    def _dice(self, state: int) -> int:
        return (state // FIRST & 15) + (state // SECOND & 15)

    def _value(self, state: int) -> float:
        state = self.completed(state)
        met, left = state // MET, state & _DICE
        if not left:
            return self._worth[met]
        _, wanted = self._outlook(met, state & BEANS, self._dice(state))
        if not wanted:
            return self._worth[met]
        found = self._alike.get(state)
        if found is None:
            found = self._alike[state] = self._expected(state, left, wanted)
        return found

    def _outlook(self, met: int, beans: int, dice: int) -> tuple[int, int]:
        """Return which of `beans` help with the orders after the first `met`, and which additional beans would help.

        Only orders that can still be met with `dice` more dice count.
        """
        useful = wanted = 0
        for order in self._needs[met:]:
            reachable = False
            for need in order:
                more = excess(need, beans)
                if more % 15 <= dice:  # the sum of its digits
                    reachable = True
                    useful += excess(need - more, useful)
                    wanted += excess(more, wanted)
            if not reachable:
                break
        return useful, wanted

    def _expected(self, state: int, left: int, wanted: int) -> float:
        """Return the expected value over all throws, each with the best dice saved.

        A single useful die is saved with a useless one if that is better than letting the Thief steal.
        """
        known, value = self._known, self.value
        firsts, seconds = left // FIRST & 15, left // SECOND & 15
        useless = self._useless(state, firsts, seconds)
        others = self._throws.of(SECOND, seconds, wanted)
        enough = wanted | BORROWS
        best_of: list[list[_Best]] = []  # for each pair of throws, the best value with some of the useful dice saved
        expected = 0.0
        for chance, beans, save, _, less in self._throws.of(FIRST, firsts, wanted):
            row: list[_Best] = []
            rows = [best_of[i] for i in less]
            best_of.append(row)
            junk = firsts - (beans - save) // FIRST
            junk_row = useless[min(2, junk)]
            mean = 0.0
            for at, (other_chance, more_beans, more, _, fewer) in enumerate(others):
                alone = with_first = with_second = _NEVER
                for above in rows:
                    before = above[at]
                    if before[0] > alone:
                        alone = before[0]
                    if before[1] > with_first:
                        with_first = before[1]
                    if before[2] > with_second:
                        with_second = before[2]
                for i in fewer:
                    before = row[i]
                    if before[0] > alone:
                        alone = before[0]
                    if before[1] > with_first:
                        with_first = before[1]
                    if before[2] > with_second:
                        with_second = before[2]
                more_junk = seconds - (more_beans - more) // SECOND
                both = beans + more_beans
                if both and (enough - both) & BORROWS == BORROWS:  # there are no more of any kind than wanted
                    after = state + save + more
                    if junk + more_junk == firsts + seconds - 1:
                        alone = self.robbed(after)
                        if junk:
                            with_first = value(after - FIRST)
                        if more_junk:
                            with_second = value(after - SECOND)
                    else:
                        saved = known.get(after)
                        if saved is None:
                            saved = value(after)
                        if saved > alone:
                            alone = saved
                row.append((alone, with_first, with_second))
                best = junk_row[more_junk if more_junk < 2 else 2]
                if alone > best:
                    best = alone
                if junk and with_first > best:
                    best = with_first
                if more_junk and with_second > best:
                    best = with_second
                mean += other_chance * best
            expected += chance * mean
        return expected

    def _useless(self, state: int, firsts: int, seconds: int) -> list[list[float]]:
        """Return the best values by saving useless dice only, by the number of each sort (2 for more)."""
        one_first = self.robbed(state - FIRST) if firsts else _NEVER
        one_second = self.robbed(state - SECOND) if seconds else _NEVER
        two_first = self.value(state - 2 * FIRST) if firsts > 1 else _NEVER
        two_second = self.value(state - 2 * SECOND) if seconds > 1 else _NEVER
        mixed = self.value(state - FIRST - SECOND) if firsts and seconds else _NEVER
        return [
            [_NEVER, one_second, max(one_second, two_second)],
            [one_first, max(one_first, one_second, mixed), max(one_first, one_second, mixed, two_second)],
            [
                max(one_first, two_first),
                max(one_first, two_first, one_second, mixed),
                max(one_first, two_first, one_second, two_second, mixed),
            ],
        ]

    def _missed(self, kinds: int, left: int) -> float:
        """Return the chance that a roll of the dice `left` shows none of `kinds` (a bit mask)."""
        key = kinds + left
        found = self._misses.get(key)
        if found is None:
            found = self._misses[key] = self._throws.missed(kinds, left)
        return found
