"""What a player of the dice games sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from beanleague.games.core.actions import Pass
from beanleague.games.core.game import Action, Event, View
from beanleague.games.core.kinds import Kind
from beanleague.games.dice.actions import DiceDecision, HarvestTop, LoseDie, RollAgain, Save
from beanleague.games.dice.deck import HarvestCard
from beanleague.games.dice.orders import Order
from beanleague.games.dice.rules import DiceRules


@dataclass(frozen=True, slots=True)
class DiceView(View):
    """All that `seat` may know; only the order of the deck and the faces of drawn dollars are hidden.

    `rules`: the rules in force. `turn`: 1, 2, ... `active`: the seat whose turn it is.
    `roll`: how often it rolled in this turn. `faces[die]`: what each die shows, None before the first roll.
    `rolled`: the dice just rolled, to be saved or rolled again. `saved`: those in the bean field.
    `piece`: whether the bean piece can still be used to repeat a roll this turn.
    `tops`, `bottoms`: per seat, its cards, as numbers in `rules.cards`.
    `completed`: per seat, how many orders of its top card are completed. `dollars`: per seat.
    `deck`: cards left in the deck. `may_harvest`: whether `HarvestTop` is allowed now.
    Against the Thief: `thief` are its dollars, `stolen` the dice it took this turn, and `at_risk` the dice to choose
    from when it steals one.
    `news`: the events this seat may see since it was last asked.
    """

    rules: DiceRules
    seat: int
    decision: DiceDecision
    turn: int
    active: int
    roll: int
    faces: tuple[Kind | None, ...]
    rolled: tuple[int, ...]
    saved: tuple[int, ...]
    piece: bool
    tops: tuple[int, ...]
    bottoms: tuple[int, ...]
    completed: tuple[int, ...]
    dollars: tuple[int, ...]
    deck: int
    may_harvest: bool
    thief: int
    stolen: tuple[int, ...]
    at_risk: tuple[int, ...]
    news: Sequence[Event]

    @property
    def card(self) -> HarvestCard:
        """The own top card."""
        return self.rules.cards[self.tops[self.seat]]

    @property
    def next_card(self) -> HarvestCard:
        """The own bottom card."""
        return self.rules.cards[self.bottoms[self.seat]]

    @property
    def earns(self) -> int:
        """The dollars that harvesting the own top card earns now."""
        return self.rules.dollars[self.completed[self.seat]]

    def open_orders(self, seat: int) -> tuple[Order, ...]:
        """Return the orders of the top card of `seat` that are not completed, the next one first."""
        return self.rules.cards[self.tops[seat]].orders[self.completed[seat] :]

    def legal(self) -> tuple[Action, ...]:
        return legal_actions(self)

    def default(self) -> Action:
        return default_action(self)


def legal_actions(view: DiceView) -> tuple[Action, ...]:
    """Return what the seat may do; see `Game.legal`."""
    actions: tuple[Action, ...]
    match view.decision:
        case DiceDecision.HARVEST:
            actions = (Pass(),)
        case DiceDecision.SAVE:
            again = (RollAgain(),) if view.piece else ()
            actions = (*ways_to_save(view.rolled), *again)
        case DiceDecision.LOSE:
            actions = tuple(map(LoseDie, view.at_risk))
        case _:
            return ()
    return (*actions, HarvestTop()) if view.may_harvest else actions


def default_action(view: DiceView) -> Action:
    """Return the dull action: save all dice, harvest when asked, lose the first die."""
    match view.decision:
        case DiceDecision.SAVE:
            return Save(view.rolled)
        case DiceDecision.LOSE:
            return LoseDie(view.at_risk[0])
        case _:
            return HarvestTop()


@lru_cache(maxsize=256)
def ways_to_save(rolled: tuple[int, ...]) -> tuple[Save, ...]:
    """Return every way to save one or more of the dice `rolled`, fewest first."""
    return tuple(Save(dice) for number in range(1, len(rolled) + 1) for dice in combinations(rolled, number))
