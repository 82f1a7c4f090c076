"""The best play of a turn against the Thief, who steals from the field after a single saved die."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from throws import BEANS, DICE, FIRST, SECOND, Throws, counted, dice_in, ones
from turn import MET, Node, Turn, within_reach

_NEVER = float("-inf")


class Pairs(NamedTuple):
    """Nodes reached by saving two dice, at least one of which is useless."""

    lone: tuple[int, ...]
    """Positions in `Node.useful` of the throws with a single useful die."""
    lone_first: tuple[Node | None, ...]
    """For each throw of `lone`: the useful die together with a useless one of the first sort."""
    lone_second: tuple[Node | None, ...]
    """For each throw of `lone`: the useful die together with a useless one of the second sort."""
    two_first: Node | None
    """Two useless dice of the first sort."""
    two_second: Node | None
    """Two useless dice of the second sort."""
    mixed: Node | None
    """One useless die of each sort."""


class HeistTurn(Turn):
    """The nodes of a turn with possible theft of beans; `met` of a node is the number of completed orders.

    States include this number, since orders stay completed when beans are stolen. Useless beans are left out of states,
    which ignores that the Thief might steal one of them instead.
    """

    def __init__(self, throws: Throws, needs: Sequence[Sequence[int]]) -> None:
        super().__init__(throws, needs)
        self._pairs: dict[Node, Pairs] = {}
        self._losses: dict[Node, tuple[Node, ...]] = {}

    def outlook(self, state: int) -> tuple[int, int, int]:
        """Return the number of completed orders, the beans that help with further orders, and the missing beans.

        Only orders that can still be met with the remaining dice count.
        """
        met, shown, dice = state // MET, ones(state & BEANS), dice_in(state)
        while met < len(self.needs) and any(not need & ~shown for need in self.needs[met]):
            met += 1
        useful = wanted = 0
        for order in self.needs[met:]:
            within = within_reach(order, shown, dice)
            if not within:
                break
            useful |= within[0]
            wanted |= within[1]
        return met, counted(useful), counted(wanted)

    def losses(self, node: Node) -> tuple[Node, ...]:
        """Return the nodes after the theft of a bean at `node`, for each kind in the field."""
        found = self._losses.get(node)
        if found is None:
            beans = [1 << 4 * kind for kind in kinds_in(node.state)]
            found = self._losses[node] = tuple([self.node(node.state - bean) for bean in beans])
        return found

    def pairs(self, node: Node) -> Pairs:
        """Return the nodes after saving two dice with a useless one at `node`, which must be expanded."""
        found = self._pairs.get(node)
        if found is None:
            found = self._pairs[node] = self._find_pairs(node)
        return found

    def _find_pairs(self, node: Node) -> Pairs:
        state = node.state
        firsts, seconds = state // FIRST & 15, state // SECOND & 15
        width = len(node.second.saves)
        lone = (*node.second.singles, *(i * width for i in node.first.singles))
        states = [after.state for at in lone if (after := node.useful[at])]
        return Pairs(
            lone,
            tuple([self.node(after - FIRST) if after // FIRST & 15 else None for after in states]),
            tuple([self.node(after - SECOND) if after // SECOND & 15 else None for after in states]),
            self.node(state - 2 * FIRST) if firsts > 1 else None,
            self.node(state - 2 * SECOND) if seconds > 1 else None,
            self.node(state - FIRST - SECOND) if firsts and seconds else None,
        )


def kinds_in(state: int) -> list[int]:
    """Return the kinds of the beans in the field."""
    return [kind for kind in range(7) if state >> 4 * kind & 15]


class HeistPlan:
    """The values of the states of a turn with the best play.

    `worth[met]`: the value of ending the turn with the first `met` of the orders of `turn` completed.
    """

    def __init__(self, turn: HeistTurn, worth: Sequence[float]) -> None:
        self._turn = turn
        self._worth = worth
        self._values: dict[Node | None, float] = {None: _NEVER}
        self._robbed: dict[Node | None, float] = {None: _NEVER}

    def value(self, state: int) -> float:
        """Return the value of `state` before its dice are rolled."""
        return self._value(self._turn.node(state))

    def robbed(self, state: int) -> float:
        """Return the value of `state` after a single die was saved: the Thief rolls the remaining dice first."""
        return self._value_robbed(self._turn.node(state))

    def _value(self, node: Node | None) -> float:
        found = self._values.get(node)
        if found is None:
            assert node
            found = self._values[node] = self._expected(node) if node.wanted else self._worth[node.met]
        return found

    def _value_robbed(self, node: Node | None) -> float:
        found = self._robbed.get(node)
        if found is None:
            assert node
            found = self._robbed[node] = self._expected_robbed(node) if node.state & DICE else self._value(node)
        return found

    def _expected_robbed(self, node: Node) -> float:
        values = map(self._value, self._turn.losses(node))
        losses = sorted(zip(values, kinds_in(node.state), strict=True), reverse=True)
        expected, missed, kinds = 0.0, 1.0, 0
        for value, kind in losses:
            kinds |= 1 << kind
            missed_too = self._turn.throws.missed(kinds, node.state & DICE)
            expected += (missed - missed_too) * value
            missed = missed_too
        return expected + missed * self._value(node)

    def _expected(self, node: Node) -> float:
        """Return the expected value over all throws, each with the best dice saved.

        A single useful die is saved with a useless one if that is better than letting the Thief steal.
        """
        if not node.useful:
            self._turn.expand(node)
        pairs, value, values = self._turn.pairs(node), self._value, self._values
        for after in node.useful:
            if after not in values:
                value(after)
        alone = list(map(values.__getitem__, node.useful))
        with_first, with_second = [_NEVER] * len(alone), [_NEVER] * len(alone)
        for at, one, two in zip(pairs.lone, pairs.lone_first, pairs.lone_second, strict=True):
            alone[at] = self._value_robbed(node.useful[at])
            with_first[at], with_second[at] = value(one), value(two)
        useless = self._useless(node, pairs)
        both = enumerate(node.less)
        expected = 0.0
        for chance, junk in node.first.chances:
            useless_row = useless[min(2, junk)]
            mean = 0.0
            for other_chance, more_junk in node.second.chances:
                at, less = next(both)
                best, one_first, one_second = alone[at], with_first[at], with_second[at]
                for fewer in less:
                    if alone[fewer] > best:
                        best = alone[fewer]
                    if with_first[fewer] > one_first:
                        one_first = with_first[fewer]
                    if with_second[fewer] > one_second:
                        one_second = with_second[fewer]
                alone[at], with_first[at], with_second[at] = best, one_first, one_second
                if junk and one_first > best:
                    best = one_first
                if more_junk and one_second > best:
                    best = one_second
                others = useless_row[more_junk if more_junk < 2 else 2]
                mean += other_chance * (best if best > others else others)
            expected += chance * mean
        return expected

    def _useless(self, node: Node, pairs: Pairs) -> list[list[float]]:
        """Return the best values of saving only useless dice, by the number of each sort (2 for more)."""
        one_first, one_second = self._value_robbed(node.one_first), self._value_robbed(node.one_second)
        two_first, two_second = self._value(pairs.two_first), self._value(pairs.two_second)
        mixed = self._value(pairs.mixed)
        return [
            [_NEVER, one_second, max(one_second, two_second)],
            [one_first, max(one_first, one_second, mixed), max(one_first, one_second, mixed, two_second)],
            [
                max(one_first, two_first),
                max(one_first, two_first, one_second, mixed),
                max(one_first, two_first, one_second, two_second, mixed),
            ],
        ]
