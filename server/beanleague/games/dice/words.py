"""The dice games in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from beanleague.games.core.game import Action, Event, NamedDecision
from beanleague.games.core.kinds import Kind
from beanleague.games.core.words import (
    SHARED_ACTIONS,
    SHARED_EVENTS,
    THIEF_NAME,
    GameWords,
    Phrase,
    Question,
    Sentence,
    ranking,
)
from beanleague.games.dice.moves import (
    CardDrawn,
    CardHarvested,
    CardStolen,
    DeckRenewed,
    DiceDecision,
    DieStolen,
    DollarsDrawn,
    HarvestTop,
    LoseDie,
    OrdersCompleted,
    RollAgain,
    Rolled,
    Save,
    Saved,
    SoloEnded,
    SuperStealRolled,
    ThiefRolled,
)
from beanleague.games.dice.rules import DiceRules
from beanleague.games.dice.view import DiceView

_ORDINALS = {1: "1st", 2: "2nd", 3: "3rd"}


class DiceWords(GameWords):
    """The words of a dice game."""

    def __init__(self, rules: DiceRules, *, player: bool = False) -> None:
        super().__init__(rules, player=player)
        self._faces: dict[int, Kind | None] = {}

    def look(self, view: DiceView) -> None:
        self._faces = dict(enumerate(view.faces))

    def follow(self, event: Event) -> None:
        if isinstance(event, Rolled):
            self._faces.update(zip(event.dice, event.kinds, strict=False))

    def _shown(self, dice: Iterable[int]) -> tuple[Kind, ...]:
        return tuple(kind for die in dice if (kind := self._faces.get(die)))

    def _saved(self, event: Saved) -> Phrase:
        return "{@seat} saves {#faces}", {"faces": self._shown(event.dice)}

    def _die_stolen(self, event: DieStolen) -> Phrase:
        return f"{THIEF_NAME} steals {{#faces}} from the bean field", {"faces": self._shown([event.die])}

    def _completed(self, event: OrdersCompleted) -> Phrase:
        return f"{{@seat}} completes {'an order' if event.orders == 1 else '{orders} orders'}, now {{completed}}", {}

    def _dollars_drawn(self, event: DollarsDrawn) -> Phrase:
        return f"{{@seat}} draws {'a card' if event.count == 1 else '{count} cards'} as dollars", {}

    def _card_stolen(self, event: CardStolen) -> Phrase:
        order = _ORDINALS.get(event.order, f"{event.order}th")
        how = f", whose {order} order it meets," if event.order else ""
        return f"{THIEF_NAME} steals the {'bottom' if event.bottom else 'top'} card{how} for {{$dollars}}", {}

    def _ended(self, event: SoloEnded) -> Phrase:
        return ranking((1, 2) if event.won else (2, 1), (event.dollars, event.thief))

    EVENTS: ClassVar[Mapping[type[Event], Sentence]] = {
        **SHARED_EVENTS,
        CardDrawn: "{@seat} gets card {card}",
        Rolled: lambda _, event: (
            "{@seat} repeats the roll: {#kinds}" if event.again else "{@seat} rolls {#kinds}",
            {},
        ),
        Saved: _saved,
        OrdersCompleted: _completed,
        CardHarvested: "{@seat} harvests its card with {completed} orders for {$dollars}",
        DollarsDrawn: _dollars_drawn,
        DeckRenewed: "{@seat} trades in five single dollars, which become the deck",
        ThiefRolled: f"{THIEF_NAME} rolls {{#kinds}}",
        DieStolen: _die_stolen,
        SuperStealRolled: f"{THIEF_NAME} rolls for cards: {{#kinds}}",
        CardStolen: _card_stolen,
        SoloEnded: _ended,
    }
    ACTIONS: ClassVar[Mapping[type[Action], Sentence]] = {
        **SHARED_ACTIONS,
        Save: lambda _, action, view: ("save {#faces}", {"faces": tuple(view.faces[die] for die in action.dice)}),
        RollAgain: "repeat the roll",
        HarvestTop: lambda _, __, view: ("harvest the card for {$dollars}", {"dollars": view.earns}),
        LoseDie: lambda _, action, view: ("lose {#face}", {"face": view.faces[action.die]}),
    }
    QUESTIONS: ClassVar[Mapping[NamedDecision, Question]] = {
        DiceDecision.HARVEST: Question("Harvest the card?", "Harvest your card?", passing="not now"),
        DiceDecision.SAVE: Question("Choose dice to save"),
        DiceDecision.LOSE: Question("Which die does the Thief steal?"),
    }


WORDS = DiceWords
