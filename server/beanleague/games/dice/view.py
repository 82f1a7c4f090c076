"""View of a player of the dice games."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

from beanleague.games.core.game import Action, Event, Kind, View
from beanleague.games.core.moves import Pass
from beanleague.games.core.values import dataclass
from beanleague.games.dice.moves import DiceDecision, HarvestTop, LoseDie, RollAgain, Save
from beanleague.games.dice.orders import Order
from beanleague.games.dice.rules import DiceRules, HarvestCard


@dataclass(frozen=True, slots=True)
class DiceView(View):
    """Everything `seat` may know in a dice game: all except the order of the deck and the cards drawn as dollars."""

    rules: DiceRules
    """The rules in force."""
    decision: DiceDecision
    """The decision asked of this seat."""
    roll: int
    """Number of rolls by the active player in this turn."""
    faces: tuple[Kind | None, ...]
    """`faces[die]`: the kind each die shows; None before the first roll."""
    rolled: tuple[int, ...]
    """The dice just rolled, to be saved or rolled again."""
    saved: tuple[int, ...]
    """The dice in the bean field."""
    piece: bool
    """Whether the bean piece can still be used in this turn."""
    tops: tuple[int, ...]
    """The top card of each seat, by its index in `rules.cards`."""
    bottoms: tuple[int, ...]
    """The bottom card of each seat, by its index in `rules.cards`."""
    completed: tuple[int, ...]
    """Number of completed orders on each seat's top card."""
    dollars: tuple[int, ...]
    """Dollars, per seat."""
    deck: int
    """Cards left in the deck."""
    may_harvest: bool
    """Whether `HarvestTop` is allowed now."""
    thief: int
    """Dollars of the Thief; 0 in games without it."""
    stolen: tuple[int, ...]
    """The dice that the Thief took in this turn."""
    at_risk: tuple[int, ...]
    """Dice to choose from when one is stolen by the Thief."""
    news: Sequence[Event]
    """The events this seat could see since it was last asked."""

    @property
    def card(self) -> HarvestCard:
        """This seat's top card."""
        return self.rules.cards[self.tops[self.seat]]

    @property
    def earns(self) -> int:
        """Dollars that harvesting this seat's top card earns now."""
        return self.rules.dollars[self.completed[self.seat]]

    def open_orders(self, seat: int) -> tuple[Order, ...]:
        """Return the uncompleted orders of the top card of `seat`, the next one first."""
        return self.rules.cards[self.tops[seat]].orders[self.completed[seat] :]

    def legal(self) -> tuple[Action, ...]:
        """Return all legal actions of this seat; empty if it is not asked."""
        actions: tuple[Action, ...]
        match self.decision:
            case DiceDecision.HARVEST:
                actions = (Pass(),)
            case DiceDecision.SAVE:
                again = (RollAgain(),) if self.piece else ()
                actions = (*_ways_to_save(self.rolled), *again)
            case DiceDecision.LOSE:
                actions = tuple(map(LoseDie, self.at_risk))
            case _:
                return ()
        return (*actions, HarvestTop()) if self.may_harvest else actions

    def default(self) -> Action:
        """Return the default action: save all dice, harvest when asked, lose the first die."""
        match self.decision:
            case DiceDecision.SAVE:
                return Save(self.rolled)
            case DiceDecision.LOSE:
                return LoseDie(self.at_risk[0])
            case _:
                return HarvestTop()


@lru_cache(maxsize=256)
def _ways_to_save(rolled: tuple[int, ...]) -> tuple[Save, ...]:
    """Return all ways to save one or more of the dice `rolled`, fewest first."""
    return tuple(Save(dice) for number in range(1, len(rolled) + 1) for dice in combinations(rolled, number))
