"""Views, and the rules they are played by, as messages and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from beanleague.games import Rules, View
from beanleague.games.families import FAMILIES, family_of_view
from beanleague.games.lazy import OnDemand
from beanleague.wire.codec import WireError
from beanproto.v1 import referee_pb2 as pb

_Function: TypeAlias = Callable[..., Any]  # each family has its own classes

# Families that share rules share the field of `MatchStart.rules`, whose message has the name of the rules' class.
_FIELDS = {
    field.message_type.name: field.name
    for field in pb.MatchStart.DESCRIPTOR.oneofs_by_name["rules"].fields
    if field.message_type
}


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
    try:
        decode = _RULES_FROM_PB[field]
    except KeyError:
        raise WireError("the match has no rules that this program supports") from None
    rules: Rules = decode(getattr(start, field or ""), start.ruleset, start.seats)
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
    if news:
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


# Each family has a module of its name here, which is loaded when the family is first met, and a field of its name in
# `Request.view`.


def _rules_to_pb(rules: type[Rules]) -> tuple[str, _Function]:
    for family in FAMILIES:
        if family.rules_name == rules.__name__ and family.rules is rules:
            return _FIELDS[family.rules_name], family.module(__package__).rules_to_pb
    raise KeyError(rules)


def _rules_from_pb(field: str | None) -> _Function:
    for family in FAMILIES:
        if _FIELDS[family.rules_name] == field:
            decode: _Function = family.module(__package__).rules_from_pb
            return decode
    raise KeyError(field)


def _view_to_pb(view: type[View]) -> tuple[str, _Function]:
    family = family_of_view(view)
    if family is None:
        raise KeyError(view)
    return family.name, family.module(__package__).view_to_pb


def _view_from_pb(field: str) -> tuple[type[Rules], _Function]:
    (family,) = [family for family in FAMILIES if family.name == field]
    return family.rules, family.module(__package__).view_from_pb


_RULES_TO_PB = OnDemand(_rules_to_pb)
_RULES_FROM_PB = OnDemand(_rules_from_pb)
_VIEW_TO_PB = OnDemand(_view_to_pb)
_VIEW_FROM_PB = OnDemand(_view_from_pb)
