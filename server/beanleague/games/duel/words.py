"""Sentences of the duel."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from beanleague.games.core import words as core
from beanleague.games.core.game import Action, Event, NamedDecision
from beanleague.games.duel import moves
from beanleague.games.duel.rules import DOLLAR, DuelRules
from beanleague.games.duel.view import DuelView


class DuelWords(core.GameWords):
    """Sentences of a duel."""

    TIE = "who did not start"

    def __init__(self, rules: DuelRules, *, player: bool = False) -> None:
        super().__init__(rules, player=player)
        self.cards = tuple(f"{'-'.join(map(str, card.sequence))} ({card.cents}¢)" for card in rules.bohnus)

    def _bluff_paid(self, event: moves.BluffPaid) -> core.Phrase:
        paid = "bo(h)nus {~bohnus}" if event.bohnus else "{$dollars}" if event.dollars else "nothing"
        return f"{{@seat}} was bluffing and pays {paid}", {}

    def _fulfilled(self, event: moves.Fulfilled) -> core.Phrase:
        worth = self.rules.bohnus[event.card].worth if event.card < len(self.rules.bohnus) else DOLLAR
        whose = "its field {+field}" if event.owner == event.seat else "field {+field} of {@owner}"
        return f"{{@seat}} fulfils bo(h)nus {{~card}} with {whose} for {{$worth}}", {"worth": _money(worth)}

    def _fulfil(self, action: moves.Fulfil, view: DuelView) -> core.Phrase:
        where, more = core.field_phrase(self, view, action.field, action.owner)
        whose = "" if action.owner == view.seat else " of {@owner}"
        worth = _money(self.rules.bohnus[action.card].worth)
        return f"fulfil bo(h)nus {{~card}} with {where}{whose} for {{$worth}}", {**more, "worth": worth}

    def _offer(self, action: moves.OfferGift, view: DuelView) -> core.Phrase:
        held = action.kind in view.hand or (view.active == view.seat and action.kind in view.turned)
        return "offer {#kind}" if held else "offer {#kind}, a bluff", {}

    def _give(self, action: moves.Give, view: DuelView) -> core.Phrase:
        if action.source == "turned":
            return "give the turned-over {#kind}", {"kind": view.turned[action.position]}
        more = {"kind": view.hand[action.position], "number": action.position + 1}
        return "give {#kind}, card {number} of the hand", more

    def _plant_gift(self, action: moves.PlantGift, view: DuelView) -> core.Phrase:
        assert view.gift is not None
        return core.planting(self, view, action.field, view.gift)

    EVENTS: ClassVar[Mapping[type[Event], core.Sentence]] = {
        **core.SHARED_EVENTS,
        moves.FirstDollars: "{@seat} gets {#cards count} face down as first dollars",
        moves.BohnusDrawn: "{@seat} draws from the bo(h)nus pile: {~cards count}",
        moves.BohnusDiscarded: "{@seat} discards bo(h)nus {~card}",
        moves.BohnusShuffled: "{cards} discarded bo(h)nus cards become the pile",
        moves.GiftOffered: "{@seat} offers {#kind} as a gift",
        moves.GiftDeclined: "{@seat} declines",
        moves.GiftAccepted: "{@seat} accepts",
        moves.GiftGiven: lambda _, event: (
            f"{{@seat}} gives {{#kind}} from {'hand' if event.source == 'hand' else 'the turned-over cards'}",
            {},
        ),
        moves.BluffPaid: _bluff_paid,
        moves.TurnedDiscarded: "{@seat} discards {#kind} from the turned-over cards",
        moves.Fulfilled: _fulfilled,
        moves.ColumnHarvested: "{@seat} harvests {#cards} for {$dollars}",
        moves.DuelEnded: lambda _, event: core.ranking(
            event.places, [_money(cents) for cents in event.cents], DuelWords.TIE
        ),
    }
    ACTIONS: ClassVar[Mapping[type[Action], core.Sentence]] = {
        **core.SHARED_ACTIONS,
        moves.Fulfil: _fulfil,
        moves.OfferGift: _offer,
        moves.AcceptGift: "accept",
        moves.DeclineGift: "decline, and offer one",
        moves.Give: _give,
        moves.PlantTurned: lambda own, action, view: core.planting(own, view, action.field, view.turned[action.card]),
        moves.DiscardTurned: lambda _, action, view: ("discard {#kind}", {"kind": view.turned[action.card]}),
        moves.PlantGift: _plant_gift,
        moves.DiscardBohnus: "discard bo(h)nus {~card}",
    }
    ASKED: ClassVar[Mapping[NamedDecision, Callable[..., core.Phrase | None]]] = {
        moves.DuelDecision.PLANT_FIRST: core.plant_first,
        moves.DuelDecision.ANSWER_GIFT: lambda _, view: (
            (
                "{@giver} offers you {#kind}: accept, or offer a gift in turn",
                {"giver": 1 - view.seat, "kind": view.offer},
            )
            if view.offer
            else None
        ),
        moves.DuelDecision.GIVE: lambda _, view: (
            ("Your {#kind} is accepted: which card to give?", {"kind": view.offer}) if view.offer else None
        ),
        moves.DuelDecision.PLANT_TURNED: lambda _, view: (
            None if view.may_discard else core.no_room(view, (*view.turned, *filter(None, [view.gift])))
        ),
        moves.DuelDecision.PLANT_GIFT: lambda _, view: (
            core.no_room(view, (view.gift,)) or ("Plant the gift, {#kind}", {"kind": view.gift}) if view.gift else None
        ),
    }
    QUESTIONS: ClassVar[Mapping[NamedDecision, core.Question]] = {
        moves.DuelDecision.PLANT_FIRST: core.PLANT_FIRST,
        moves.DuelDecision.PLANT_SECOND: core.PLANT_SECOND,
        moves.DuelDecision.OFFER_GIFT: core.Question("Offer a gift", "Offer a gift; what you do not hold is a bluff"),
        moves.DuelDecision.ANSWER_GIFT: core.Question("Accept the gift, or offer one in turn?"),
        moves.DuelDecision.GIVE: core.Question("Which card to give?"),
        moves.DuelDecision.PLANT_TURNED: core.Question("Plant the turned-over cards, and a gift"),
        moves.DuelDecision.PLANT_GIFT: core.Question("Plant the gift"),
        moves.DuelDecision.DISCARD_BOHNUS: core.Question("Discard a bo(h)nus card?", passing="discard nothing"),
        moves.DuelDecision.DRAWN_BOHNUS: core.Question("Fulfil the bo(h)nus card just drawn?", passing="not now"),
        moves.DuelDecision.INTERLUDE: core.BETWEEN_TURNS,
    }


def _money(cents: int) -> str:
    return f"${cents // DOLLAR}.{cents % DOLLAR:02d}"


WORDS = DuelWords
