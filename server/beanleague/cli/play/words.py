"""What is asked and what can be done, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from beanleague.cli.replay.kinds import goods, label
from beanleague.games import Action, Kind, View

QUESTIONS = {
    "PLANT_FIRST": "Plant the first card of your hand.",
    "PLANT_SECOND": "Plant the next card too?",
    "TRADE": 'Trade: type an offer, such as "2 red for soy", or choose.',
    "ANSWER": 'Answer the offer: choose, or type a counter-offer, such as "2 red for soy".',
    "PICK": "Take one of the answers?",
    "PLANT_ASIDE": "Plant the cards you have aside.",
    "INTERLUDE": "Between turns:",
    "PLANT_OFFERED": "Plant or discard the open cards.",
    "DISCARD_HAND": "Discard a card of your hand?",
    "PLANT_DRAWN": "Plant open cards, or leave them to the other.",
    "OFFER_GIFT": "Offer a gift; what you do not hold is a bluff.",
    "ANSWER_GIFT": "Accept the gift, or offer one in turn?",
    "GIVE": "Which card do you give?",
    "PLANT_TURNED": "Plant the turned-over cards.",
    "PLANT_GIFT": "Plant the gift.",
    "DISCARD_BOHNUS": "Discard a bo(h)nus card?",
    "DRAWN_BOHNUS": "Fulfil the card just drawn?",
    "HARVEST": "Harvest your card?",
    "SAVE": 'Save dice: choose, or type what to save, such as "2 blue, red".',
    "LOSE": "Which die does the Thief steal?",
}
"""What each decision asks."""

_Words = Callable[[Any, Any, Sequence[str]], str]  # an action and the view, each of its own class


def action_words(action: Action, view: View, names: Sequence[str]) -> str:
    """Return what an action does."""
    return _WORDS[type(action).__name__](action, view, names)


def _heap(kinds: Sequence[Kind]) -> str:
    return goods(kinds).plain


def _field(view: Any, field: int, owner: int | None = None) -> str:  # noqa: ANN401 - each family has its own view
    lies = view.fields[view.seat if owner is None else owner][field]
    kind = getattr(lies, "kind", None) or getattr(lies, "last", None)
    return f"field {field}{f' ({label(kind)})' if kind else ''}"


def _bohnus(view: Any, card: int) -> str:  # noqa: ANN401 - as above
    rule = view.rules.bohnus[card]
    return f"bo(h)nus {'-'.join(map(str, rule.sequence))} ({rule.cents} cents)"


def _giving(view: Any, hand: Sequence[int]) -> str:  # noqa: ANN401 - as above
    return f", giving {_heap([view.hand[i] for i in hand])}" if hand else ""


def _at(cards: Sequence[Kind], card: int) -> str:
    return label(cards[card])


_WORDS: dict[str, _Words] = {
    "Plant": lambda a, v, _: f"plant {_at(v.hand, 0)} in {_field(v, a.field)}",
    "Pass": lambda *_: "go on without",
    "Harvest": lambda a, v, _: f"harvest {_field(v, a.field)} for ${v.earns(a.field)}",
    "BuyField": lambda _, v, __: f"buy a field for ${v.rules.field_price}",
    "Call": lambda *_: "ask all for offers",
    "Stop": lambda *_: "end the trading",
    "Accept": lambda a, v, _: f"accept{_giving(v, a.hand)}",
    "Decline": lambda *_: "decline",
    "Pick": lambda a, v, names: f"take what {names[a.seat]} offers{_giving(v, a.hand)}",
    "Refuse": lambda *_: "take none",
    "PlantAside": lambda a, v, _: f"plant {_at(v.own_aside, a.card)} in {_field(v, a.field)}",
    "PlantOpen": lambda a, v, _: f"plant {_at(v.open, a.card)} in {_field(v, a.field)}",
    "DiscardOpen": lambda a, v, _: f"discard {_at(v.open, a.card)}",
    "DiscardHand": lambda a, v, _: f"discard {_at(v.hand, a.card)}, card {a.card + 1} of your hand",
    "Fulfil": lambda a, v, names: f"fulfil {_bohnus(v, a.card)} with {_field(v, a.field, a.owner)} of {names[a.owner]}",
    "OfferGift": lambda a, *_: f"offer {label(a.kind)}",
    "AcceptGift": lambda *_: "accept",
    "DeclineGift": lambda *_: "decline, and offer one",
    "Give": lambda a, v, _: (
        f"give {_at(v.hand, a.position)}, card {a.position + 1} of your hand"
        if a.source == "hand"
        else f"give the turned-over {_at(v.turned, a.position)}"
    ),
    "PlantTurned": lambda a, v, _: f"plant {_at(v.turned, a.card)} in {_field(v, a.field)}",
    "DiscardTurned": lambda a, v, _: f"discard {_at(v.turned, a.card)}",
    "PlantGift": lambda a, v, _: f"plant {label(v.gift)} in {_field(v, a.field)}",
    "DiscardBohnus": lambda a, v, _: f"discard {_bohnus(v, a.card)}",
    "Save": lambda a, v, _: f"save {_heap([v.faces[die] for die in a.dice])}",
    "RollAgain": lambda *_: "repeat the roll",
    "HarvestTop": lambda _, v, __: f"harvest your card for ${v.earns}",
    "LoseDie": lambda a, v, _: f"lose {_at(v.faces, a.die)}",
}
