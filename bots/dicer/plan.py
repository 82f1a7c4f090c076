"""The best play of the rest of a turn, by exact expected value over all later throws."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from throws import BEANS, FIRST, SECOND, Throws, excess

PIECE = 1 << 36  # in a state: the bean piece can still be used
_NEVER = float("-inf")


class Plan:
    """The values of the states of a turn with the best play.

    `needs`: for each of the next orders, the minimal beans that meet it. `worth[met]`: the value of ending the turn
    with the first `met` of these orders met. `cost(left)`: the value of a roll of the dice `left` to the other players.
    """

    def __init__(
        self, throws: Throws, needs: Sequence[Sequence[int]], worth: Sequence[float], cost: Callable[[int], float]
    ) -> None:
        self._throws = throws
        self._needs = needs
        self._worth_of = [worth[(~met & met + 1).bit_length() - 1] for met in range(1 << len(needs))]
        self._cost = cost
        self._costs: dict[int, float] = {}
        self._known: dict[int, float] = {}
        self._alike: dict[tuple[int, int], float] = {}  # values of reduced states, shared by equivalent states

    def value(self, state: int) -> float:
        """Return the value of `state` before its dice are rolled; with no dice left, the value of the orders met."""
        found = self._known.get(state)
        if found is None:
            found = self._known[state] = self._value(state)
        return found

    def _value(self, state: int) -> float:
        beans = state & BEANS
        left = state & ~(BEANS | PIECE)
        met, useful, wanted = self._outlook(beans, (left // FIRST & 15) + (left // SECOND & 15))
        if not wanted:
            return self._worth_of[met] - (self._cost_of(left) if left else 0.0)
        alike = (met, useful | state & ~BEANS)
        found = self._alike.get(alike)
        if found is None:
            found = self._alike[alike] = self._expected(state, left, wanted)
        return found

    def _outlook(self, beans: int, dice: int) -> tuple[int, int, int]:
        """Return which orders `beans` meet (a bit mask), which beans help with others, and which additional ones would.

        Orders count up to the first that can no longer be met with `dice` more dice.
        """
        met = useful = wanted = 0
        for i, order in enumerate(self._needs):
            missing = [excess(need, beans) for need in order]
            if 0 in missing:
                met |= 1 << i
                continue
            reachable = False
            for need, more in zip(order, missing, strict=True):
                if more % 15 <= dice:  # that is the sum of its digits
                    reachable = True
                    useful += excess(need - more, useful)
                    wanted += excess(more, wanted)
            if not reachable:
                break
        return met, useful, wanted

    def _expected(self, state: int, left: int, wanted: int) -> float:
        """Return the expected value over all throws, each with the best dice saved: useful ones, one, or all."""
        known, value = self._known, self.value
        firsts, seconds = left // FIRST & 15, left // SECOND & 15
        one_first = value(state - FIRST) if firsts else _NEVER
        one_second = value(state - SECOND) if seconds else _NEVER
        repeated = value(state - PIECE) if state & PIECE else _NEVER
        others = self._throws.of(SECOND, seconds, wanted)
        best_of: list[list[float]] = []  # for each pair of throws, the best value with some of the useful dice saved
        expected = -self._cost_of(left)
        for chance, beans, save, junk, less in self._throws.of(FIRST, firsts, wanted):
            row: list[float] = []
            rows = [best_of[i] for i in less]
            best_of.append(row)
            useless = max(repeated, one_first) if junk else repeated
            mean = 0.0
            for at, (other_chance, more_beans, more, more_junk, fewer) in enumerate(others):
                best = _NEVER
                for before in rows:
                    if before[at] > best:
                        best = before[at]
                for before_at in fewer:
                    if row[before_at] > best:
                        best = row[before_at]
                both = beans + more_beans
                too_many = excess(both, wanted)
                if both and not too_many:
                    after = state + save + more
                    saved = known.get(after)
                    if saved is None:
                        saved = value(after)
                    if saved > best:
                        best = saved
                row.append(best)
                after = state - left + both - too_many
                stopped = known.get(after)
                if stopped is None:
                    stopped = value(after)
                if stopped > best:
                    best = stopped
                if more_junk and one_second > best:
                    best = one_second
                if useless > best:
                    best = useless
                mean += other_chance * best
            expected += chance * mean
        return expected

    def _cost_of(self, left: int) -> float:
        cost = self._costs.get(left)
        if cost is None:
            cost = self._costs[left] = self._cost(left)
        return cost
