"""Sentences about the trading games."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

from beanleague.games.bohnanza import moves
from beanleague.games.bohnanza.rules import CardRules
from beanleague.games.bohnanza.view import BohnanzaView
from beanleague.games.core import words as core
from beanleague.games.core.game import Action, Event, Kind, NamedDecision
from beanleague.games.core.moves import RanOut, TurnedOver


class BohnanzaWords(core.GameWords):
    """Sentences of a trading game."""

    def __init__(self, rules: CardRules, *, player: bool = False) -> None:
        super().__init__(rules, player=player)
        self._turned: tuple[Kind, ...] = ()

    def look(self, view: BohnanzaView) -> None:
        self._turned = view.turned

    def follow(self, event: Event) -> None:
        match event:
            case TurnedOver():
                self._turned += event.cards
            case moves.Traded():
                self._turned = tuple(kind for at, kind in enumerate(self._turned) if at not in event.turned)
            case moves.TradingEnded():
                self._turned = ()
            case _:
                pass

    def _everybody(self, to: Sequence[int]) -> str:
        return "all" if len(to) == self.rules.seats - 1 else "{@to}"

    def _offered(self, event: moves.Offered) -> core.Phrase:
        to = self._everybody(event.to)
        if not (event.gives or event.wants):
            return f"{{@seat}} asks {to} for offers", {}
        if not event.wants:
            return f"{{@seat}} offers {{#gives}} to {to} as a gift", {}
        return f"{{@seat}} offers {{#gives}} for {{#wants}} to {to}", {}

    def _answered(self, event: moves.Answered) -> core.Phrase:
        if event.answer == "decline":
            return "{@seat} declines|{} declined", {}
        if event.answer == "accept":
            return "{@seat} accepts, giving {#gives}" if event.gives else "{@seat} accepts", {}
        if not event.turned:
            return "{@seat} counters: gives {#gives} for {#wants}", {}
        wanted = (*_at(self._turned, event.turned), *event.wants)
        return "{@seat} counters: gives {#gives} for {#wanted}", {"wanted": wanted}

    def _offer(self, action: moves.Offer, view: BohnanzaView) -> core.Phrase:
        to = self._everybody(action.to)
        gives = {"gives": (*_at(view.turned, action.turned), *_at(view.hand, action.hand))}
        if not action.wants:
            return f"offer {{#gives}} to {to} as a gift", gives
        return f"offer {{#gives}} for {{#wants}} to {to}", gives

    def _counter(self, action: moves.Counter, view: BohnanzaView) -> core.Phrase:
        wanted = (*_at(view.turned, action.turned), *action.wants)
        return "give {#gives} for {#wanted}", {"gives": _at(view.hand, action.hand), "wanted": wanted}

    def _accept(self, action: moves.Accept, view: BohnanzaView) -> core.Phrase:
        gives, gets = _at(view.hand, action.hand), view.offer.gives if view.offer else ()
        text = (
            "accept: {#gives} for {#gets}" if gives and gets else "accept: give {#gives}" if gives else "accept {#gets}"
        )
        return text, {"gives": gives, "gets": gets}

    def _pick(self, action: moves.Pick, view: BohnanzaView) -> core.Phrase:
        answer = next((answer for answer in view.answers if answer.seat == action.seat), None)
        if answer is None or view.offer is None:  # in an altered record
            return "take the answer of {@partner}", {"partner": action.seat}
        counter = answer.answer == "counter"
        gives = (*_at(view.turned, answer.turned), *_at(view.hand, action.hand)) if counter else view.offer.gives
        text = "take {#gets} for {#gives} from {@partner}" if answer.gives else "give {#gives} to {@partner}"
        return text, {"gets": answer.gives, "gives": gives, "partner": action.seat}

    def _asked_to_answer(self, view: BohnanzaView) -> core.Phrase | None:
        offer = view.offer
        if offer is None:
            return None
        more: Mapping[str, core.Value] = {"partner": offer.seat, "gives": offer.gives, "wants": offer.wants}
        if not (offer.gives or offer.wants):
            return "{@partner} asks for offers: make one, or decline", more
        if not offer.wants:
            return "{@partner} offers {#gives} as a gift", more
        return "{@partner} offers {#gives} for your {#wants}", more

    def _asked_to_pick(self, view: BohnanzaView) -> core.Phrase | None:
        offer = view.offer
        if offer is None:
            return None
        if not (offer.gives or offer.wants):
            return "Take one of the offers?", {}
        return "You offered {#gives} for {#wants}. Take one of the answers?", {
            "gives": offer.gives,
            "wants": offer.wants,
        }

    @property
    def tie(self) -> str:
        return "who has more cards in hand" if self.rules.hand_breaks_ties else "the higher seat"

    EVENTS: ClassVar[Mapping[type[Event], core.Sentence]] = {
        **core.SHARED_EVENTS,
        RanOut: lambda words, _: (f"The draw pile runs out, {{time}} of {words.rules.run_outs}", {}),
        moves.Offered: _offered,
        moves.Answered: _answered,
        moves.Traded: "{@seat} trades with {@partner}: gives {#gives} for {#receives}",
        moves.Refused: "{@seat} takes none of the answers",
        moves.TradingEnded: lambda _, event: (
            f"{{@seat}} ends the trading{' and keeps {#left}' if event.left else ''}",
            {},
        ),
    }
    ACTIONS: ClassVar[Mapping[type[Action], core.Sentence]] = {
        **core.SHARED_ACTIONS,
        moves.Offer: _offer,
        moves.Call: lambda own, action, _: (f"ask {own._everybody(action.to)} for offers", {}),
        moves.Stop: "end the trading",
        moves.Accept: _accept,
        moves.Decline: "decline",
        moves.Counter: _counter,
        moves.Pick: _pick,
        moves.Refuse: "take none",
        moves.PlantAside: lambda own, action, view: core.planting(own, view, action.field, view.own_aside[action.card]),
    }
    ASKED: ClassVar[Mapping[NamedDecision, Callable[..., core.Phrase | None]]] = {
        moves.Decision.PLANT_FIRST: core.plant_first,
        moves.Decision.ANSWER: _asked_to_answer,
        moves.Decision.PICK: _asked_to_pick,
        moves.Decision.PLANT_ASIDE: lambda _, view: core.no_room(view, view.own_aside),
    }
    QUESTIONS: ClassVar[Mapping[NamedDecision, core.Question]] = {
        moves.Decision.PLANT_FIRST: core.PLANT_FIRST,
        moves.Decision.PLANT_SECOND: core.PLANT_SECOND,
        moves.Decision.TRADE: core.Question("Make an offer, ask for offers, or end the trading"),
        moves.Decision.ANSWER: core.Question("Accept the offer, counter it, or decline"),
        moves.Decision.PICK: core.Question("Take one of the answers?"),
        moves.Decision.PLANT_ASIDE: core.Question("Plant the cards aside", "Plant the cards you have aside"),
        moves.Decision.INTERLUDE: core.BETWEEN_TURNS,
    }


def _at(cards: Sequence[Kind], positions: Iterable[int]) -> tuple[Kind, ...]:
    """Return the cards at `positions`, skipping positions that do not exist, as in altered records."""
    return tuple(cards[position] for position in positions if position < len(cards))


WORDS = BohnanzaWords
