"""States of the rest of a turn, with respect to some orders."""

from __future__ import annotations

from collections.abc import Sequence

from throws import BEANS, BORROWS, DICE, FIRST, PIECE, SECOND, Less, Table, Throws, counted, dice_in, ones

MET = 1 << 40  # in a state: unit of the digit for the orders met


class Node:
    """A state of a turn before its dice are rolled, without beans that no longer matter.

    `Turn.expand` sets the nodes reached by saving dice. `useful`: with all useful dice of a throw saved, for each pair
    of a throw of `first` and one of `second`; None if there are no useful dice, or too many of a kind. `less`: see
    `Throws.less`. `one_first` and `one_second`: with a useless die of that sort saved. `again`: after using the bean
    piece.
    """

    __slots__ = (
        "again",
        "first",
        "less",
        "met",
        "one_first",
        "one_second",
        "second",
        "state",
        "useful",
        "wanted",
    )

    first: Table
    second: Table
    less: Less
    one_first: Node | None
    one_second: Node | None
    again: Node | None

    def __init__(self, state: int, wanted: int) -> None:
        self.state = state
        self.met = state // MET  # number of orders met
        self.wanted = wanted  # additional beans that would help
        self.useful: tuple[Node | None, ...] = ()


class Turn:
    """The nodes of a turn with the next orders `needs`, created lazily.

    All plans for these orders share them, since only the values of nodes depend on the other players.
    """

    def __init__(self, throws: Throws, needs: Sequence[Sequence[int]]) -> None:
        self.throws = throws
        self.needs = [[ones(need) for need in order] for order in needs]
        self.nodes: dict[int, Node] = {}
        self._found: dict[int, Node] = {}  # nodes by state, also for states with beans that no longer matter

    def forget(self) -> None:
        """Drop the map from states to nodes, to save memory; it can be rebuilt."""
        self._found.clear()

    def node(self, state: int) -> Node:
        """Return the node of `state`."""
        found = self._found.get(state)
        if found is None:
            met, useful, wanted = self.outlook(state)
            reduced = met * MET + (state & (PIECE | DICE)) + useful
            found = self.nodes.get(reduced)
            if found is None:
                found = self.nodes[reduced] = Node(reduced, wanted)
            self._found[state] = found
        return found

    def outlook(self, state: int) -> tuple[int, int, int]:
        """Return the orders met (a bit mask), the beans that help with further orders, and the missing beans.

        Orders count up to the first that can no longer be met with the remaining dice.
        """
        met, shown, dice = state // MET, ones(state & BEANS), dice_in(state)
        useful = wanted = 0
        for i, order in enumerate(self.needs):
            if met >> i & 1:
                continue
            if any(not need & ~shown for need in order):
                met |= 1 << i
                continue
            within = within_reach(order, shown, dice)
            if not within:
                break
            useful |= within[0]
            wanted |= within[1]
        return met, counted(useful), counted(wanted)

    def expand(self, node: Node) -> None:
        """Set the nodes reached by saving dice at `node`."""
        state, wanted, found = node.state, node.wanted, self._found
        firsts, seconds = state // FIRST & 15, state // SECOND & 15
        node.first, node.second = self.throws.of(FIRST, firsts, wanted), self.throws.of(SECOND, seconds, wanted)
        node.less = self.throws.less(node.first, node.second)
        enough = wanted | BORROWS
        useful: list[Node | None] = []
        more_saves = node.second.saves
        for beans, save in node.first.saves:
            after, spare = state + save, enough - beans
            for more_beans, more in more_saves:
                if spare - more_beans & BORROWS == BORROWS and (beans or more_beans):
                    useful.append(found.get(after + more) or self.node(after + more))
                else:
                    useful.append(None)
        node.useful = tuple(useful)
        node.one_first = self.node(state - FIRST) if firsts else None
        node.one_second = self.node(state - SECOND) if seconds else None
        node.again = self.node(state - PIECE) if state & PIECE else None


def within_reach(order: Sequence[int], shown: int, dice: int) -> tuple[int, int] | None:
    """Return the beans of `shown` that help with an order, and the missing beans; None if it needs more than `dice`."""
    reachable = [need for need in order if (need & ~shown).bit_count() <= dice]
    if not reachable:
        return None
    useful = wanted = 0
    for need in reachable:
        useful |= need & shown
        wanted |= need & ~shown
    return useful, wanted
