"""What the contract needs to know of each family of games; every family has an entry in `CHECKED`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from beanleague.games import Action, Event, Game, Option, families as engine
from beanleague.games.bohnanza import Accept, Call, Counter, Offer, Pick
from beanleague.games.core import Dealt, Drew
from beanleague.games.dice import DeckRenewed, DollarsDrawn
from beanleague.games.duel import BohnusDrawn, FirstDollars, Give
from beanleague.games.two import DiscardHand
from tests.games.bohnanza.bookkeeper import Bookkeeper as BohnanzaBookkeeper
from tests.games.dice.bookkeeper import Bookkeeper as DiceBookkeeper
from tests.games.dice.helpers import deck_text
from tests.games.duel.bookkeeper import Bookkeeper as DuelBookkeeper
from tests.games.duel.helpers import deck as bohnus_deck
from tests.games.two.bookkeeper import Bookkeeper as TwoBookkeeper


class Bookkeeper(Protocol):
    """Shares only the classes of the events with the engine."""

    def follow(self, events: Sequence[Event], look: Callable[[], object] = ...) -> object:
        """Check all events of a game that is over: no card or die is lost, and none but the rules' events come.

        `look` is called after each event.
        """

    def written(self) -> Mapping[str, Any]:
        """Return what lies on the table, as JSON, by the names that the viewer uses."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One family, as the contract checks it."""

    bookkeeper: Callable[[Game], Bookkeeper]
    """Makes a bookkeeper for a game that is over."""
    cards: Mapping[str, str]
    """Private attributes that hold a list of hidden cards per seat, each with that of the pile they come from."""
    own_cards_known: bool
    """Whether a seat sees its own one of these lists."""
    seen_by_owner: tuple[type[Event], ...] = ()
    """Events whose `cards` only the seat concerned sees."""
    seen_by_nobody: tuple[type[Event], ...] = ()
    """Events whose `cards` no seat sees."""
    hand_positions: Mapping[type[Action], str] = field(default_factory=dict)
    """Actions that name hand cards by position, each with the field that does."""
    open_ended: tuple[type[Action], ...] = ()
    """Actions of which `legal` lists only a selection."""
    options: tuple[Mapping[str, Option], ...] = ()
    """Options to play with, in addition to none."""


def _bohnanza(game: Game) -> Bookkeeper:
    rounds = game.options["max_rounds"]
    assert isinstance(rounds, int)
    return BohnanzaBookkeeper(game.seats, rounds, game.ruleset)


SMALL_DECK = deck_text(["blue; green; soy; red; stink; 2 soy"] * 30)
"""Cards for the dice games of six orders, as few as five seats need: the deck runs empty."""

SMALL_DECK_OF_FIVE = deck_text(["blue; green; soy; red; stink"] * 30)
"""The same for the dice game whose cards have five orders."""

EASY_DECK = bohnus_deck(*[("1", 10), ("2", 40), ("1-1", 70), ("1-1-1", 100)] * 3)
"""Bo(h)nus cards that are fulfilled, discarded and shuffled more often than those of the standard deck."""

CHECKED: dict[str, Checked] = {
    "bohnanza": Checked(
        bookkeeper=_bohnanza,
        cards={"hands": "pile"},
        own_cards_known=True,
        seen_by_owner=(Dealt, Drew),
        hand_positions=dict.fromkeys((Offer, Accept, Counter, Pick), "hand"),
        open_ended=(Offer, Call, Counter),
    ),
    "two": Checked(
        bookkeeper=lambda game: TwoBookkeeper(game.seed),
        cards={"hands": "pile"},
        own_cards_known=True,
        seen_by_owner=(Dealt, Drew),
        hand_positions={DiscardHand: "card"},
    ),
    "duel": Checked(
        bookkeeper=lambda game: DuelBookkeeper(game.seed, str(game.options.get("deck", ""))),
        cards={"hands": "pile", "bohnus": "bohnus_pile"},
        own_cards_known=True,
        seen_by_owner=(Dealt, Drew, BohnusDrawn),
        seen_by_nobody=(FirstDollars,),
        hand_positions={Give: "position"},
        options=({"deck": EASY_DECK},),
    ),
    "dice": Checked(
        bookkeeper=lambda game: DiceBookkeeper(game.ruleset, game.seats, str(game.options.get("deck", ""))),
        cards={"singles": "pile"},
        own_cards_known=False,
        seen_by_nobody=(DollarsDrawn, DeckRenewed),
        options=({"deck": SMALL_DECK_OF_FIVE}, {"deck": SMALL_DECK}),
    ),
}


def family_of(game: Game) -> engine.Family:
    """Return the family that `game` belongs to."""
    (found,) = [family for family in engine.FAMILIES if type(game.view(0)) is family.view]
    return found


def checked(game: Game) -> Checked:
    """Return what is registered for the family of `game`."""
    return CHECKED[family_of(game).name]


def decision(view: Any) -> str:
    """Return the name of what `view` asks, "WAIT" for nothing."""
    name: str = view.decision.name
    return name
