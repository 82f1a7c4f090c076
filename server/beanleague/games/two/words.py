"""Sentences of Bohnanza for two."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from beanleague.games.core import words as core
from beanleague.games.core.game import Action, Event, NamedDecision
from beanleague.games.core.moves import Passed, RanOut
from beanleague.games.two import moves


class TwoWords(core.GameWords):
    """Sentences of a game for two."""

    TIE = "who has more cards in hand"

    EVENTS: ClassVar[Mapping[type[Event], core.Sentence]] = {
        **core.SHARED_EVENTS,
        Passed: "{@seat} goes on",
        RanOut: lambda words, _: (f"The draw pile runs out, {{time}} of {words.rules.run_outs}", {}),
        moves.Joined: "From the discard pile come {#cards}",
        moves.OpenDiscarded: "{@seat} discards {#kind} from the open cards",
        moves.HandDiscarded: "{@seat} discards {#kind} from hand",
    }
    ACTIONS: ClassVar[Mapping[type[Action], core.Sentence]] = {
        **core.SHARED_ACTIONS,
        moves.PlantOpen: lambda words, action, view: core.planting(words, view, action.field, view.open[action.card]),
        moves.DiscardOpen: lambda _, action, view: ("discard {#kind}", {"kind": view.open[action.card]}),
        moves.DiscardHand: lambda _, action, view: (
            "discard {#kind}, card {number} of the hand",
            {"kind": view.hand[action.card], "number": action.card + 1},
        ),
    }
    ASKED: ClassVar[Mapping[NamedDecision, Callable[..., core.Phrase | None]]] = {
        moves.TwoDecision.PLANT_FIRST: core.plant_first
    }
    QUESTIONS: ClassVar[Mapping[NamedDecision, core.Question]] = {
        moves.TwoDecision.PLANT_OFFERED: core.Question("Plant or discard the cards left by the opponent"),
        moves.TwoDecision.PLANT_FIRST: core.PLANT_FIRST,
        moves.TwoDecision.PLANT_SECOND: core.PLANT_SECOND,
        moves.TwoDecision.DISCARD_HAND: core.Question(
            "Discard a card of the hand?", "Discard a card of your hand?", passing="discard nothing"
        ),
        moves.TwoDecision.PLANT_DRAWN: core.Question(
            "Plant open cards, or leave them to the opponent", passing="leave the rest"
        ),
    }


WORDS = TwoWords
