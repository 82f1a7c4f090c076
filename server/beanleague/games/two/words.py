"""Bohnanza for two in words."""

from collections.abc import Mapping
from typing import ClassVar

from beanleague.games.core.game import Action, Event, NamedDecision
from beanleague.games.core.moves import GameEnded, Passed, RanOut
from beanleague.games.core.words import SHARED_ACTIONS, SHARED_EVENTS, GameWords, Question, Sentence, planting, ranking
from beanleague.games.two import moves


class TwoWords(GameWords):
    """The words of a game for two."""

    TIE = "who has more cards in hand"

    EVENTS: ClassVar[Mapping[type[Event], Sentence]] = {
        **SHARED_EVENTS,
        GameEnded: lambda _, event: ranking(event.places, event.dollars, TwoWords.TIE),
        Passed: "{@seat} goes on",
        RanOut: lambda words, _: (f"The draw pile runs out, {{time}} of {words.rules.run_outs}", {}),
        moves.Joined: "From the discard pile come {#cards}",
        moves.OpenDiscarded: "{@seat} discards {#kind} from the open cards",
        moves.HandDiscarded: "{@seat} discards {#kind} from hand",
    }
    ACTIONS: ClassVar[Mapping[type[Action], Sentence]] = {
        **SHARED_ACTIONS,
        moves.PlantOpen: lambda words, action, view: planting(words, view, action.field, view.open[action.card]),
        moves.DiscardOpen: lambda _, action, view: ("discard {#kind}", {"kind": view.open[action.card]}),
        moves.DiscardHand: lambda _, action, view: (
            "discard {#kind}, card {number} of the hand",
            {"kind": view.hand[action.card], "number": action.card + 1},
        ),
    }
    QUESTIONS: ClassVar[Mapping[NamedDecision, Question]] = {
        moves.TwoDecision.PLANT_OFFERED: Question("Plant or discard the cards left by the opponent"),
        moves.TwoDecision.PLANT_FIRST: Question(
            "Plant the first card of the hand", "Plant the first card of your hand"
        ),
        moves.TwoDecision.PLANT_SECOND: Question("Plant the next card too?", passing="plant no more"),
        moves.TwoDecision.DISCARD_HAND: Question(
            "Discard a card of the hand?", "Discard a card of your hand?", passing="discard nothing"
        ),
        moves.TwoDecision.PLANT_DRAWN: Question(
            "Plant open cards, or leave them to the opponent", passing="leave the rest"
        ),
    }


WORDS = TwoWords
