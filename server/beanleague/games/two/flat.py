"""Fast second engine for Bohnanza for two; see `beanleague.games.bohnanza.flat_cards`."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from beanleague.games.bohnanza.flat_cards import SHARED, FlatCards, Order
from beanleague.games.core.game import Action, IllegalActionError
from beanleague.games.two.moves import DiscardHand, DiscardOpen, PlantOpen, TwoDecision

if TYPE_CHECKING:
    from beanleague.games.two.game import BohnanzaTwo

WAIT, PLANT_OFFERED, PLANT_FIRST, PLANT_SECOND, DISCARD_HAND, PLANT_DRAWN = range(6)
assert tuple(TwoDecision) == (WAIT, PLANT_OFFERED, PLANT_FIRST, PLANT_SECOND, DISCARD_HAND, PLANT_DRAWN)


class FlatTwo(FlatCards):
    """State of a game for two as lists of numbers."""

    __slots__ = ()

    @classmethod
    def of(cls, game: "BohnanzaTwo", order: Order) -> Self:
        """Return the state of `game` as numbers; later shuffles use `order`."""
        return cls._of(game, order, game._open)

    def buy_field(self, seat: int) -> None:
        discarded = len(self.discard)
        super().buy_field(seat)
        del self.discard[discarded:]  # cards paid for a field leave the game

    # Step 1

    def _start_turn(self) -> None:
        self.turn += 1
        self.active = 1 - self.active
        self._next_offered()

    def _next_offered(self) -> None:
        if self.turned:
            self.decision, self.asked = PLANT_OFFERED, [self.active]
        elif self.hands[self.active]:
            self.decision, self.asked = PLANT_FIRST, [self.active]
        else:
            self._draw_three()

    def discard_open(self, seat: int, card: int) -> None:
        """Discard the open card `card`."""
        if self.decision != PLANT_OFFERED or not 0 <= card < len(self.turned):
            raise IllegalActionError(f"seat {seat} has no such card to discard now")
        self.discard.append(self.turned.pop(card))
        self._next_offered()

    def plant_open(self, seat: int, card: int, field: int) -> None:
        """Plant the open card `card`, in step 1 or 3."""
        if self.decision not in {PLANT_OFFERED, PLANT_DRAWN} or not 0 <= card < len(self.turned):
            raise IllegalActionError("you have no such card to plant now")
        self._grow(seat, field, self.turned[card])
        del self.turned[card]
        if self.decision == PLANT_OFFERED:
            self._next_offered()
        else:
            self._next_drawn()

    # Step 2

    def plant(self, seat: int, field: int) -> None:
        """Plant the first card of the hand."""
        decision, hand = self.decision, self.hands[seat]
        if decision not in {PLANT_FIRST, PLANT_SECOND}:
            raise IllegalActionError("no hand card can be planted now")
        self._grow(seat, field, hand[0])
        del hand[0]
        self._planted(seat, PLANT_SECOND if decision == PLANT_FIRST else DISCARD_HAND)

    def _planted(self, seat: int, following: int) -> None:
        if self.hands[seat]:
            self.decision = following
        else:
            self._draw_three()

    def discard_hand(self, seat: int, card: int) -> None:
        """Discard the card `card` of the hand."""
        hand = self.hands[seat]
        if self.decision != DISCARD_HAND or not 0 <= card < len(hand):
            raise IllegalActionError("you have no such card to discard now")
        self.discard.append(hand.pop(card))
        self._draw_three()

    def pass_(self, seat: int) -> None:
        """Decline to plant, discard or take more cards."""
        if self.decision == PLANT_SECOND:
            self._planted(seat, DISCARD_HAND)
        elif self.decision == DISCARD_HAND:
            self._draw_three()
        elif self.decision == PLANT_DRAWN:
            self._end_step_3()
        else:
            raise IllegalActionError(f"seat {seat} cannot pass now")

    # Steps 3 and 4

    def _draw_three(self) -> None:
        turned, discard = self.turned, self.discard
        self._draw(self.rules.turned, turned)
        kinds = set(turned)
        while discard and discard[-1] in kinds:
            turned.append(discard.pop())
        self._next_drawn()

    def _next_drawn(self) -> None:
        if self.turned:
            self.decision, self.asked = PLANT_DRAWN, [self.active]
        else:
            self._end_step_3()

    def _end_step_3(self) -> None:
        self._draw(self.rules.draws, self.hands[self.active])  # draws no card once the pile has run out
        if self.run_outs:
            self._end()
        else:
            self._start_turn()

    _APPLY: ClassVar[Mapping[type[Action], Callable[[Any, int, Any], None]]] = {
        **SHARED,
        PlantOpen: lambda table, seat, action: table.plant_open(seat, action.card, action.field),
        DiscardOpen: lambda table, seat, action: table.discard_open(seat, action.card),
        DiscardHand: lambda table, seat, action: table.discard_hand(seat, action.card),
    }
