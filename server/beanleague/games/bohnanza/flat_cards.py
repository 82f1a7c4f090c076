"""Fast second engine for the card games, used in play-outs: several times as fast, without views and events.

It never referees. Kinds are numbers, in the order of the rules, and the state consists of lists of them. Tests play it
in lockstep with the main engine, illegal actions included. The fields of actions must have the right types.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

from beanleague.games.bohnanza.rules import CardRules
from beanleague.games.core.game import Action, IllegalActionError, Outcome
from beanleague.games.core.moves import BuyField, Harvest, Pass, Plant

if TYPE_CHECKING:
    from beanleague.games.bohnanza.table import CardTable

Order: TypeAlias = Callable[[list[int]], list[int]]
"""A shuffle function. It returns the cards in drawing order, the first card to draw last."""

NOTHING = -1  # value of an empty field in `grows`


class FlatCards:
    """State of a card game as numbers: cards, fields and dollars.

    A method named like an action plays that action for a seat to act. It raises IllegalActionError, before any change,
    if the rules do not allow the action.
    """

    __slots__ = (
        "active",
        "asked",
        "counts",
        "decision",
        "discard",
        "dollars",
        "earned",
        "earnings",
        "grows",
        "hands",
        "order",
        "outcome",
        "pile",
        "rules",
        "run_outs",
        "turn",
        "turned",
    )

    rules: CardRules
    earnings: tuple[tuple[int, ...], ...]
    """`earnings[kind][count]`: dollars for harvesting that many cards."""
    order: Order
    """Shuffle of later draw piles: the luck of the table."""
    hands: list[list[int]]
    grows: list[list[int]]
    """`grows[seat][field]`: the kind planted in a field, or `NOTHING`."""
    counts: list[list[int]]
    """`counts[seat][field]`: the number of cards in a field."""
    turned: list[int]
    """Face-up cards without an owner."""
    dollars: list[int]
    earned: list[list[int]]
    """Per seat: kinds of the cards kept as dollars, in the order earned."""
    pile: list[int]
    """Draw pile; the next card is the last."""
    discard: list[int]
    """Discard pile; the top card is the last."""
    run_outs: int
    turn: int
    active: int
    decision: int
    asked: list[int]
    outcome: Outcome | None

    _APPLY: ClassVar[Mapping[type[Action], Callable[[Any, int, Any], None]]]
    """Handler method of each action class."""

    @classmethod
    def _of(cls, game: "CardTable", order: Order, turned: list[int]) -> Self:
        """Return the state shared by all card games, for `game` with the open cards `turned`."""
        new = cls.__new__(cls)
        index = game._deck.index
        new.rules, new.earnings, new.order = game.rules, game._deck.earnings, order
        new.hands = [[index[card] for card in cards] for cards in game._hands]
        new.grows = [[index[cards[0]] if cards else NOTHING for cards in fields] for fields in game._fields]
        new.counts = [[len(cards) for cards in fields] for fields in game._fields]
        new.earned = [[index[card] for card in cards] for cards in game._dollar_cards]
        new.turned = [index[card] for card in turned]
        new.dollars = game._dollars[:]
        new.pile = order([kind for kind, there in zip(index, game._pile._in_pile, strict=True) if there])
        new.discard = [index[card] for card in game._pile.discards]
        new.run_outs, new.turn, new.active = game._run_outs, game._turn, game._active
        new.decision, new.asked, new.outcome = int(game._decision), list(game._asked), game._outcome
        return new

    def copy(self) -> Self:
        """Return an independent copy with the same random order of cards."""
        new = type(self).__new__(type(self))
        new.rules, new.earnings, new.order, new.outcome = self.rules, self.earnings, self.order, self.outcome
        new.hands = [each[:] for each in self.hands]
        new.grows = [each[:] for each in self.grows]
        new.counts = [each[:] for each in self.counts]
        new.earned = [each[:] for each in self.earned]
        new.turned, new.dollars, new.pile = self.turned[:], self.dollars[:], self.pile[:]
        new.discard, new.asked = self.discard[:], self.asked[:]
        new.run_outs, new.turn = self.run_outs, self.turn
        new.active, new.decision = self.active, self.decision
        return new

    def apply(self, seat: int, action: Action) -> None:
        """Play `action` for `seat`.

        Raises:
            IllegalActionError: if the seat is not asked, or the rules do not allow it. The state is unchanged.
        """
        if seat not in self.asked:
            raise IllegalActionError(f"seat {seat} has no decision to make now")
        self._APPLY[type(action)](self, seat, action)

    # At any time

    def harvest(self, seat: int, field: int) -> None:
        counts = self.counts[seat]
        if not 0 <= field < len(counts):
            raise IllegalActionError("no such field")
        count = counts[field]
        if not count or (count == 1 and max(counts) > 1):
            raise IllegalActionError("the field is empty or protected")
        self._take_in(seat, field)

    def buy_field(self, seat: int) -> None:
        if not self.may_buy(seat):
            raise IllegalActionError("no field can be bought now")
        price, earned = self.rules.field_price, self.earned[seat]
        for _ in range(price):
            self.discard.append(earned.pop())
        self.dollars[seat] -= price
        self.grows[seat].append(NOTHING)
        self.counts[seat].append(0)

    def may_buy(self, seat: int) -> bool:
        """Return whether `seat` may buy a field, whatever decision is asked."""
        return 0 < self.rules.field_price <= self.dollars[seat] and len(self.counts[seat]) == self.rules.fields

    def _take_in(self, seat: int, field: int) -> None:
        kind, count = self.grows[seat][field], self.counts[seat][field]
        dollars = self.earnings[kind][count]
        self.dollars[seat] += dollars
        self.earned[seat] += [kind] * dollars
        self.discard += [kind] * (count - dollars)
        self.grows[seat][field] = NOTHING
        self.counts[seat][field] = 0

    def _grow(self, seat: int, field: int, kind: int) -> None:
        """Plant a card of `kind`, if the rules allow it."""
        grows = self.grows[seat]
        if not 0 <= field < len(grows) or (grows[field] != kind and grows[field] != NOTHING):
            raise IllegalActionError("no such field, or another kind grows there")
        grows[field] = kind
        self.counts[seat][field] += 1

    # Drawing

    def _draw(self, count: int, to: list[int]) -> None:
        pile = self.pile
        if len(pile) > count and self.run_outs < self.rules.run_outs:
            to.extend(pile[: -count - 1 : -1])
            del pile[-count:]
            return
        for _ in range(count):
            if self.run_outs >= self.rules.run_outs:
                return
            if not self.pile and not self._shuffle():
                self.run_outs += 1
                continue
            to.append(self.pile.pop())
            if not self.pile:
                self.run_outs += 1
                if self.run_outs < self.rules.run_outs:
                    self._shuffle()

    def _shuffle(self) -> bool:
        """Turn the discards into the draw pile; return whether there are any."""
        if not self.discard:
            return False
        self.pile = self.order(self.discard)
        self.discard = []
        return True

    # The end

    def _end(self) -> None:
        for seat, counts in enumerate(self.counts):
            for field, count in enumerate(counts):
                if count:
                    self._take_in(seat, field)
        ties = map(len, self.hands) if self.rules.hand_breaks_ties else range(len(self.hands))
        ranks = list(zip(self.dollars, ties, strict=True))
        places = tuple([1 + sum([other > rank for other in ranks]) for rank in ranks])
        self.outcome = Outcome(tuple(self.dollars), places)
        self.decision, self.asked = 0, []  # no seat is asked


SHARED: Mapping[type[Action], Callable[[Any, int, Any], None]] = {
    Plant: lambda table, seat, action: table.plant(seat, action.field),
    Pass: lambda table, seat, _: table.pass_(seat),
    Harvest: lambda table, seat, action: table.harvest(seat, action.field),
    BuyField: lambda table, seat, _: table.buy_field(seat),
}
"""Handler methods of the actions that all card games share."""
