"""The best play of the rest of a turn, by exact expected value over all later throws."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from throws import DICE
from turn import Node, Turn

_NEVER = float("-inf")


class Plan:
    """The values of the states of a turn with the best play.

    `worth[met]`: the value of ending the turn with the first `met` of the orders of `turn` met; more are worth no less.
    `cost(left)`: the value of a roll of the dice `left` to the other players.
    """

    def __init__(self, turn: Turn, worth: Sequence[float], cost: Callable[[int], float]) -> None:
        self._turn = turn
        self._worth_of = [worth[(~met & met + 1).bit_length() - 1] for met in range(1 << len(turn.needs))]
        self._cost = cost
        self._costs: dict[int, float] = {0: 0.0}
        self._values: dict[Node, float] = {}
        # Includes ending the turn by saving all remaining dice, if that is worth more.
        self._saved: dict[Node | None, float] = {None: _NEVER}

    def value(self, state: int) -> float:
        """Return the value of `state` before its dice are rolled; with no dice left, the value of the orders met."""
        return self._value(self._turn.node(state))

    def _value(self, node: Node) -> float:
        found = self._values.get(node)
        if found is None:
            found = self._expected(node) if node.wanted else self._worth_of[node.met] - self._cost_of(node.state & DICE)
            self._values[node] = found
            self._saved[node] = max(found, self._worth_of[node.met])
        return found

    def _expected(self, node: Node) -> float:
        """Return the expected value over all throws, with the best choice for each.

        The choices are to save some of the useful dice, a single useless die, or all dice.
        """
        if not node.useful:
            self._turn.expand(node)
        saved = self._saved
        for after in node.useful:
            if after and after not in saved:
                self._value(after)
        ended = self._worth_of[node.met]
        if node.again:
            ended = max(ended, self._value(node.again))
        one_first = self._value(node.one_first) if node.one_first else _NEVER
        one_second = self._value(node.one_second) if node.one_second else _NEVER
        useful, all_less = map(saved.__getitem__, node.useful), iter(node.less)
        best_of: list[float] = []  # per pair of throws: best value with some of the useful dice saved
        expected = -self._cost_of(node.state & DICE)
        for chance, junk in node.first.chances:
            useless = one_first if junk and one_first > ended else ended
            mean = 0.0
            for other_chance, more_junk in node.second.chances:
                best = next(useful)
                for fewer in next(all_less):
                    if best_of[fewer] > best:
                        best = best_of[fewer]
                best_of.append(best)
                if more_junk and one_second > best:
                    best = one_second
                mean += other_chance * (best if best > useless else useless)
            expected += chance * mean
        return expected

    def _cost_of(self, left: int) -> float:
        cost = self._costs.get(left)
        if cost is None:
            cost = self._costs[left] = self._cost(left)
        return cost
