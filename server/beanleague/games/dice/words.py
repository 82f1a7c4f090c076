"""Sentences of the dice games."""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from beanleague.games.core import words
from beanleague.games.core.game import Action, Event, Kind, NamedDecision
from beanleague.games.dice import moves
from beanleague.games.dice.rules import DiceRules
from beanleague.games.dice.view import DiceView

_ORDINALS = {1: "1st", 2: "2nd", 3: "3rd"}


class DiceWords(words.GameWords):
    """Sentences of a dice game."""

    def __init__(self, rules: DiceRules, *, player: bool = False) -> None:
        super().__init__(rules, player=player)
        self._faces: dict[int, Kind | None] = {}

    def look(self, view: DiceView) -> None:
        self._faces = dict(enumerate(view.faces))

    def follow(self, event: Event) -> None:
        if isinstance(event, moves.Rolled):
            self._faces.update(zip(event.dice, event.kinds, strict=False))

    def _faces_of(self, dice: Iterable[int]) -> tuple[Kind, ...]:
        return tuple(kind for die in dice if (kind := self._faces.get(die)))

    def _completed(self, event: moves.OrdersCompleted) -> words.Phrase:
        return f"{{@seat}} completes {'an order' if event.orders == 1 else '{orders} orders'}, now {{completed}}", {}

    def _card_stolen(self, event: moves.CardStolen) -> words.Phrase:
        order = _ORDINALS.get(event.order, f"{event.order}th")
        how = f", whose {order} order it meets," if event.order else ""
        return f"{words.THIEF_NAME} steals the {'bottom' if event.bottom else 'top'} card{how} for {{$dollars}}", {}

    EVENTS: ClassVar[Mapping[type[Event], words.Sentence]] = {
        **words.SHARED_EVENTS,
        moves.CardDrawn: "{@seat} gets card {card}",
        moves.Rolled: lambda _, event: (
            "{@seat} repeats the roll: {#kinds}" if event.again else "{@seat} rolls {#kinds}",
            {},
        ),
        moves.Saved: lambda own, event: ("{@seat} saves {#faces}", {"faces": own._faces_of(event.dice)}),
        moves.OrdersCompleted: _completed,
        moves.CardHarvested: "{@seat} harvests its card with {completed} orders for {$dollars}",
        moves.DollarsDrawn: lambda _, event: (
            "{@seat} draws a card as dollars" if event.count == 1 else "{@seat} draws {count} cards as dollars",
            {},
        ),
        moves.DeckRenewed: "{@seat} trades in five single dollars, which become the deck",
        moves.ThiefRolled: f"{words.THIEF_NAME} rolls {{#kinds}}",
        moves.DieStolen: lambda own, event: (
            f"{words.THIEF_NAME} steals {{#faces}} from the bean field",
            {"faces": own._faces_of([event.die])},
        ),
        moves.SuperStealRolled: f"{words.THIEF_NAME} rolls for cards: {{#kinds}}",
        moves.CardStolen: _card_stolen,
        moves.SoloEnded: lambda _, event: words.ranking((1, 2) if event.won else (2, 1), (event.dollars, event.thief)),
    }
    ACTIONS: ClassVar[Mapping[type[Action], words.Sentence]] = {
        **words.SHARED_ACTIONS,
        moves.Save: lambda _, action, view: ("save {#faces}", {"faces": tuple(view.faces[die] for die in action.dice)}),
        moves.RollAgain: "repeat the roll",
        moves.HarvestTop: lambda _, __, view: ("harvest the card for {$dollars}", {"dollars": view.earns}),
        moves.LoseDie: lambda _, action, view: ("lose {#face}", {"face": view.faces[action.die]}),
    }
    QUESTIONS: ClassVar[Mapping[NamedDecision, words.Question]] = {
        moves.DiceDecision.HARVEST: words.Question("Harvest the card?", "Harvest your card?", passing="not now"),
        moves.DiceDecision.SAVE: words.Question("Choose dice to save"),
        moves.DiceDecision.LOSE: words.Question("Which die does the Thief steal?"),
    }


WORDS = DiceWords
