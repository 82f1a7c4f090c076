"""Views, and the rules they are played by, as messages and back."""

from __future__ import annotations

from collections.abc import Iterable

from beanleague.games import Rules, View
from beanleague.games.families import FAMILIES
from beanleague.wire.codec import WireError
from beanproto.v1 import referee_pb2 as pb

# Each family has a module of its name here, and a field of its name in `Request.view`.
_MODULES = [(family, family.module(__package__)) for family in FAMILIES]
_VIEW_TO_PB = {family.view: (family.name, module.view_to_pb) for family, module in _MODULES}
_VIEW_FROM_PB = {family.name: (family.rules, module.view_from_pb) for family, module in _MODULES}

# Families that share rules share the field of `MatchStart.rules`, whose message has the name of the rules' class.
_FIELDS = {
    field.message_type.name: field.name
    for field in pb.MatchStart.DESCRIPTOR.oneofs_by_name["rules"].fields
    if field.message_type
}
_RULES_TO_PB = {family.rules: (_FIELDS[family.rules.__name__], module.rules_to_pb) for family, module in _MODULES}
_RULES_FROM_PB = {_FIELDS[family.rules.__name__]: module.rules_from_pb for family, module in _MODULES}


def rules_to_pb(view: View, start: pb.MatchStart) -> None:
    """Set the rules of `start` to those that `view` is played by; ruleset and seats are set beside them.

    Raises:
        WireError: if there is no message for such rules.
    """
    try:
        field, encode = _RULES_TO_PB[type(view.rules)]
    except KeyError:
        raise WireError(f"no message holds the rules of a {type(view).__name__}") from None
    getattr(start, field).MergeFrom(encode(view.rules))


def rules_from_pb(start: pb.MatchStart) -> Rules:
    """Return the rules of the match that `start` begins.

    Raises:
        WireError: if it has none, or they have an unknown number.
    """
    field = start.WhichOneof("rules")
    if field not in _RULES_FROM_PB:
        raise WireError("the match has no rules that this program supports")
    rules: Rules = _RULES_FROM_PB[field](getattr(start, field), start.ruleset, start.seats)
    return rules


def view_to_pb(view: View, request: pb.Request, news: Iterable[pb.Event] = ()) -> None:
    """Set the view of `request`, with `news` as its news: the caller keeps encoded events, which go to many seats.

    Raises:
        WireError: if there is no message for views of this type.
    """
    try:
        field, encode = _VIEW_TO_PB[type(view)]
    except KeyError:
        raise WireError(f"no message holds a {type(view).__name__}") from None
    message = getattr(request, field)
    encode(view, message)
    message.news.extend(news)


def view_from_pb(request: pb.Request, rules: Rules, seat: int) -> View:
    """Return the view that `request` holds for `seat` in a match with `rules`.

    Raises:
        WireError: if it holds no view, or one that does not fit the rules.
    """
    field = request.WhichOneof("view")
    if field is not None:
        played_by, decode = _VIEW_FROM_PB[field]
        if type(rules) is played_by:
            view: View = decode(getattr(request, field), rules, seat)
            return view
    raise WireError("the request holds no view that fits the rules of the match")
