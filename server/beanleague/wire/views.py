"""Views, and the rules they are played by, as messages and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from beanleague.games import View
from beanleague.games.bohnanza import BohnanzaView, CardRules
from beanleague.games.dice import DiceRules, DiceView
from beanleague.games.duel import DuelRules, DuelView
from beanleague.games.two import BohnanzaTwoView
from beanleague.wire import bohnanza, dice, duel, two
from beanleague.wire.codec import WireError
from beanproto.v1 import referee_pb2 as pb

Rules: TypeAlias = CardRules | DuelRules | DiceRules
"""The rules of a match, whatever is played."""


def rules_to_pb(view: View, start: pb.MatchStart) -> None:
    """Set the rules of `start` to those that `view` is played by; ruleset and seats are told beside them.

    Raises:
        WireError: there is no message for the rules of such a view.
    """
    match view:
        case BohnanzaView() | BohnanzaTwoView():
            start.cards.MergeFrom(bohnanza.rules_to_pb(view.rules))
        case DuelView():
            start.duel.MergeFrom(duel.rules_to_pb(view.rules))
        case DiceView():
            start.dice.MergeFrom(dice.rules_to_pb(view.rules))
        case _:
            raise WireError(f"no message holds the rules of a {type(view).__name__}")


def rules_from_pb(start: pb.MatchStart) -> Rules:
    """Return the rules of the match that `start` begins.

    Raises:
        WireError: it has none, or a number in them stands for nothing.
    """
    match start.WhichOneof("rules"):
        case "cards":
            return bohnanza.rules_from_pb(start.cards, start.ruleset, start.seats)
        case "duel":
            return duel.rules_from_pb(start.duel, start.ruleset, start.seats)
        case "dice":
            return dice.rules_from_pb(start.dice, start.ruleset, start.seats)
        case _:
            raise WireError("the match has no rules that this program knows")


def view_to_pb(view: View, request: pb.Request, news: Iterable[pb.Event] = ()) -> None:
    """Set the view of `request`, with `news` as its news: the caller keeps encoded events, which go to many seats.

    Raises:
        WireError: there is no message for views of this type.
    """
    match view:
        case BohnanzaView():
            bohnanza.view_to_pb(view, request.bohnanza)
            request.bohnanza.news.extend(news)
        case BohnanzaTwoView():
            two.view_to_pb(view, request.two)
            request.two.news.extend(news)
        case DuelView():
            duel.view_to_pb(view, request.duel)
            request.duel.news.extend(news)
        case DiceView():
            dice.view_to_pb(view, request.dice)
            request.dice.news.extend(news)
        case _:
            raise WireError(f"no message holds a {type(view).__name__}")


def view_from_pb(request: pb.Request, rules: Rules, seat: int) -> View:
    """Return the view that `request` holds for `seat` in a match with `rules`.

    Raises:
        WireError: it holds none, or one that does not fit the rules.
    """
    match request.WhichOneof("view"), rules:
        case "bohnanza", CardRules():
            return bohnanza.view_from_pb(request.bohnanza, rules, seat)
        case "two", CardRules():
            return two.view_from_pb(request.two, rules, seat)
        case "duel", DuelRules():
            return duel.view_from_pb(request.duel, rules, seat)
        case "dice", DiceRules():
            return dice.view_from_pb(request.dice, rules, seat)
        case _:
            raise WireError("the request holds no view that fits the rules of the match")
