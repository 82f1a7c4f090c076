"""The games' types as protobuf messages and back. The only module that knows both.

Speed matters here: a view is encoded and decoded for every decision. Kinds travel as packed enums, so that
a hand is one list comprehension, and news is decoded only when a bot looks at it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, overload

from beanleague.games import (
    Accept,
    Action,
    Answered,
    BohnanzaView,
    Call,
    CardRules,
    Counter,
    Dealt,
    Decision,
    Decline,
    Drew,
    Event,
    Field,
    GameEnded,
    Harvest,
    Harvested,
    Kind,
    KindRule,
    Offer,
    Offered,
    Pass,
    Passed,
    Pick,
    Plant,
    PlantAside,
    Planted,
    RanOut,
    Refuse,
    Refused,
    Shuffled,
    Stop,
    Traded,
    TradingEnded,
    TurnedOver,
    TurnStarted,
    View,
)
from beanproto.v1 import referee_pb2 as pb


class WireError(Exception):
    """A message that does not say what it should; the text says what is wrong with it."""


# Kinds

_KIND_NUMBER: dict[Kind | None, int] = {
    name.removeprefix("KIND_").lower(): number for name, number in pb.Kind.items() if number
}
_KIND_NUMBER[None] = pb.KIND_UNSPECIFIED
_KIND_NAME = {number: name for name, number in _KIND_NUMBER.items()}


def _numbers(kinds: Iterable[Kind]) -> list[Any]:
    return [_KIND_NUMBER[kind] for kind in kinds]


def _kinds(numbers: Iterable[int]) -> tuple[Kind, ...]:
    try:
        kinds = tuple([_KIND_NAME[number] for number in numbers])
    except KeyError as unknown:
        raise WireError(f"{unknown} is not the number of a kind") from None
    if None in kinds:
        raise WireError("a kind is unspecified")
    return kinds  # type: ignore[return-value]  # the None is excluded just above


def _kind(number: int) -> Kind:
    return _kinds((number,))[0]


# Faults

FAULT_NUMBER = {name.removeprefix("FAULT_KIND_").lower(): number for name, number in pb.FaultKind.items() if number}
"""The number of each kind of fault, by the names of `beanleague.referee.match.FaultKind`."""

FAULT_NAME = {number: name for name, number in FAULT_NUMBER.items()}
"""The other way round."""

# Rules


def rules_to_pb(rules: CardRules) -> pb.CardRules:
    """Return `rules` as a message; ruleset and seats are told beside it."""
    return pb.CardRules(
        kinds=[
            pb.KindRule(kind=_numbers((kind.name,))[0], cards=kind.cards, beanometer=kind.beanometer)
            for kind in rules.kinds
        ],
        fields=rules.fields,
        start_hand=rules.start_hand,
        turned=rules.turned,
        draws=rules.draws,
        run_outs=rules.run_outs,
    )


def rules_from_pb(start: pb.MatchStart) -> CardRules:
    """Return the rules of the match that `start` begins."""
    told = start.rules
    return CardRules(
        ruleset=start.ruleset,
        seats=start.seats,
        kinds=tuple(KindRule(_kind(kind.kind), kind.cards, tuple(kind.beanometer)) for kind in told.kinds),
        fields=told.fields,
        start_hand=told.start_hand,
        draws=told.draws,
        turned=told.turned,
        run_outs=told.run_outs,
    )


# Actions


def action_to_pb(action: Action, move: pb.Move) -> None:
    """Set the action of `move`.

    Raises:
        WireError: `action` cannot be sent: it is of no known type, or has fields of wrong types or sizes.
    """
    try:
        _ENCODE_ACTION[type(action)](action, move)
    except KeyError:
        raise WireError(f"{action!r:.200} is not an action that can be sent") from None
    except (TypeError, ValueError) as problem:
        raise WireError(f"{action!r:.200} cannot be sent: {problem}") from None


def action_from_pb(move: pb.Move) -> Action:
    """Return the action of `move`.

    Raises:
        WireError: it has none, or one with an unknown kind.
    """
    name = move.WhichOneof("action")
    if name is None:
        raise WireError("the move has no action")
    return _DECODE_ACTION[name](move)


def _set_plant(action: Plant, move: pb.Move) -> None:
    move.plant.field = action.field


def _set_harvest(action: Harvest, move: pb.Move) -> None:
    move.harvest.field = action.field


def _set_offer(action: Offer, move: pb.Move) -> None:
    wants = _numbers(action.wants)
    move.offer.MergeFrom(pb.Offer(to=action.to, turned=action.turned, hand=action.hand, wants=wants))
    move.offer.SetInParent()


def _set_call(action: Call, move: pb.Move) -> None:
    move.call.to.extend(action.to)
    move.call.SetInParent()


def _set_accept(action: Accept, move: pb.Move) -> None:
    move.accept.hand.extend(action.hand)
    move.accept.SetInParent()


def _set_counter(action: Counter, move: pb.Move) -> None:
    wants = _numbers(action.wants)
    move.counter.MergeFrom(pb.Counter(hand=action.hand, turned=action.turned, wants=wants))
    move.counter.SetInParent()


def _set_pick(action: Pick, move: pb.Move) -> None:
    move.pick.seat = action.seat
    move.pick.hand.extend(action.hand)


def _set_plant_aside(action: PlantAside, move: pb.Move) -> None:
    move.plant_aside.card = action.card
    move.plant_aside.field = action.field


_ENCODE_ACTION: dict[type[Action], Callable[[Any, pb.Move], None]] = {
    Plant: _set_plant,
    Pass: lambda _, move: move.__getattribute__("pass").SetInParent(),  # `pass` is a word of Python
    Harvest: _set_harvest,
    Offer: _set_offer,
    Call: _set_call,
    Stop: lambda _, move: move.stop.SetInParent(),
    Accept: _set_accept,
    Decline: lambda _, move: move.decline.SetInParent(),
    Counter: _set_counter,
    Pick: _set_pick,
    Refuse: lambda _, move: move.refuse.SetInParent(),
    PlantAside: _set_plant_aside,
}

_DECODE_ACTION: dict[str, Callable[[pb.Move], Action]] = {
    "plant": lambda move: Plant(move.plant.field),
    "pass": lambda _: Pass(),
    "harvest": lambda move: Harvest(move.harvest.field),
    "offer": lambda move: _offer(move.offer),
    "call": lambda move: Call(tuple(move.call.to)),
    "stop": lambda _: Stop(),
    "accept": lambda move: Accept(tuple(move.accept.hand)),
    "decline": lambda _: Decline(),
    "counter": lambda move: _counter(move.counter),
    "pick": lambda move: Pick(move.pick.seat, tuple(move.pick.hand)),
    "refuse": lambda _: Refuse(),
    "plant_aside": lambda move: PlantAside(move.plant_aside.card, move.plant_aside.field),
}


def _offer(told: pb.Offer) -> Offer:
    return Offer(tuple(told.to), tuple(told.turned), tuple(told.hand), _kinds(told.wants))


def _counter(told: pb.Counter) -> Counter:
    return Counter(tuple(told.hand), tuple(told.turned), _kinds(told.wants))


# Events


def event_to_pb(event: Event) -> pb.Event:
    """Return `event` as a message."""
    return _ENCODE_EVENT[type(event)](event)


def event_from_pb(told: pb.Event) -> Event:
    """Return the event that `told` is.

    Raises:
        WireError: it is none, or has an unknown kind or answer.
    """
    name = told.WhichOneof("event")
    if name is None:
        raise WireError("the event is of no known kind")
    return _DECODE_EVENT[name](getattr(told, name))


def _offered_to_pb(event: Offered) -> pb.Offered:
    return pb.Offered(
        seat=event.seat,
        to=event.to,
        turned=event.turned,
        hand=event.hand,
        gives=_numbers(event.gives),
        wants=_numbers(event.wants),
    )


def _offered_from_pb(told: pb.Offered) -> Offered:
    return Offered(
        told.seat,
        tuple(told.to),
        tuple(told.turned),
        tuple(told.hand),
        _kinds(told.gives),
        _kinds(told.wants),
    )


def _answered_to_pb(event: Answered) -> pb.Answered:
    return pb.Answered(
        seat=event.seat,
        answer=_ANSWER_NUMBER[event.answer],
        hand=event.hand,
        gives=_numbers(event.gives),
        turned=event.turned,
        wants=_numbers(event.wants),
    )


def _answered_from_pb(told: pb.Answered) -> Answered:
    if told.answer not in _ANSWER_NAME:
        raise WireError(f"{told.answer} is not the number of an answer")
    return Answered(
        told.seat,
        _ANSWER_NAME[told.answer],
        tuple(told.hand),
        _kinds(told.gives),
        tuple(told.turned),
        _kinds(told.wants),
    )


def _traded_to_pb(event: Traded) -> pb.Traded:
    return pb.Traded(
        seat=event.seat,
        partner=event.partner,
        turned=event.turned,
        hand=event.hand,
        gives=_numbers(event.gives),
        partner_hand=event.partner_hand,
        receives=_numbers(event.receives),
    )


def _traded_from_pb(told: pb.Traded) -> Traded:
    return Traded(
        told.seat,
        told.partner,
        tuple(told.turned),
        tuple(told.hand),
        _kinds(told.gives),
        tuple(told.partner_hand),
        _kinds(told.receives),
    )


def _received_to_pb(event: Dealt | Drew) -> pb.Received:
    return pb.Received(seat=event.seat, count=event.count, cards=_numbers(event.cards))


def _planted_to_pb(event: Planted) -> pb.Planted:
    return pb.Planted(
        seat=event.seat,
        field=event.field,
        kind=_KIND_NUMBER[event.kind],  # type: ignore[arg-type]  # an enum's number
        aside=event.source == "aside",
        position=event.position,
    )


def _harvested_to_pb(event: Harvested) -> pb.Harvested:
    return pb.Harvested(
        seat=event.seat,
        field=event.field,
        kind=_KIND_NUMBER[event.kind],  # type: ignore[arg-type]  # an enum's number
        cards=event.cards,
        dollars=event.dollars,
    )


_ANSWER_NUMBER = {
    "accept": pb.ANSWER_KIND_ACCEPT,
    "decline": pb.ANSWER_KIND_DECLINE,
    "counter": pb.ANSWER_KIND_COUNTER,
}
_ANSWER_NAME: dict[int, str] = {number: name for name, number in _ANSWER_NUMBER.items()}

_ENCODE_EVENT: dict[type[Event], Callable[[Any], pb.Event]] = {
    Dealt: lambda e: pb.Event(dealt=_received_to_pb(e)),
    Drew: lambda e: pb.Event(drew=_received_to_pb(e)),
    TurnStarted: lambda e: pb.Event(turn_started=pb.TurnStarted(turn=e.turn, seat=e.seat)),
    Planted: lambda e: pb.Event(planted=_planted_to_pb(e)),
    Passed: lambda e: pb.Event(passed=pb.Passed(seat=e.seat)),
    Harvested: lambda e: pb.Event(harvested=_harvested_to_pb(e)),
    TurnedOver: lambda e: pb.Event(turned_over=pb.TurnedOver(seat=e.seat, cards=_numbers(e.cards))),
    Offered: lambda e: pb.Event(offered=_offered_to_pb(e)),
    Answered: lambda e: pb.Event(answered=_answered_to_pb(e)),
    Traded: lambda e: pb.Event(traded=_traded_to_pb(e)),
    Refused: lambda e: pb.Event(refused=pb.Refused(seat=e.seat)),
    TradingEnded: lambda e: pb.Event(trading_ended=pb.TradingEnded(seat=e.seat, left=_numbers(e.left))),
    RanOut: lambda e: pb.Event(ran_out=pb.RanOut(time=e.time)),
    Shuffled: lambda e: pb.Event(shuffled=pb.Shuffled(number=e.number, cards=e.cards)),
    GameEnded: lambda e: pb.Event(game_ended=pb.GameEnded(dollars=e.dollars, places=e.places)),
}

_DECODE_EVENT: dict[str, Callable[[Any], Event]] = {
    "dealt": lambda e: Dealt(e.seat, e.count, _kinds(e.cards)),
    "drew": lambda e: Drew(e.seat, e.count, _kinds(e.cards)),
    "turn_started": lambda e: TurnStarted(e.turn, e.seat),
    "planted": lambda e: Planted(e.seat, e.field, _kind(e.kind), "aside" if e.aside else "hand", e.position),
    "passed": lambda e: Passed(e.seat),
    "harvested": lambda e: Harvested(e.seat, e.field, _kind(e.kind), e.cards, e.dollars),
    "turned_over": lambda e: TurnedOver(e.seat, _kinds(e.cards)),
    "offered": _offered_from_pb,
    "answered": _answered_from_pb,
    "traded": _traded_from_pb,
    "refused": lambda e: Refused(e.seat),
    "trading_ended": lambda e: TradingEnded(e.seat, _kinds(e.left)),
    "ran_out": lambda e: RanOut(e.time),
    "shuffled": lambda e: Shuffled(e.number, e.cards),
    "game_ended": lambda e: GameEnded(tuple(e.dollars), tuple(e.places)),
}


class _News(Sequence[Event]):
    """Events as they came over the wire, decoded when first looked at."""

    __slots__ = ("_events", "_told")

    def __init__(self, told: Sequence[pb.Event]) -> None:
        self._told = told
        self._events: tuple[Event, ...] | None = None

    def _all(self) -> tuple[Event, ...]:
        if self._events is None:
            self._events = tuple(map(event_from_pb, self._told))
        return self._events

    def __len__(self) -> int:
        return len(self._told)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | Sequence[Event]:
        return self._all()[index]

    def __iter__(self) -> Iterator[Event]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        return self._all() == (other._all() if isinstance(other, _News) else other)

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return repr(self._all())


# Views


def view_to_pb(view: View, request: pb.Request, news: Iterable[pb.Event] = ()) -> None:
    """Set the view of `request`, with `news` as its news: the caller keeps encoded events, which go to many seats.

    Raises:
        WireError: there is no message for views of this type.
    """
    if not isinstance(view, BohnanzaView):
        raise WireError(f"no message holds a {type(view).__name__}")
    number = _KIND_NUMBER
    told = request.bohnanza
    told.MergeFrom(
        pb.BohnanzaView(
            decision=int(view.decision),  # type: ignore[arg-type]  # an enum's number
            turn=view.turn,
            active=view.active,
            hand=[number[kind] for kind in view.hand],  # type: ignore[misc]
            hand_sizes=view.hand_sizes,
            dollars=view.dollars,
            field_kinds=[number[field.kind] for fields in view.fields for field in fields],  # type: ignore[misc]
            field_counts=[field.count for fields in view.fields for field in fields],
            rounds_left=view.rounds_left,
            pile=view.pile,
            discard=view.discard,
            run_outs=view.run_outs,
            harvestable=view.harvestable,
        )
    )
    if any(view.aside):
        told.aside_counts.extend([len(cards) for cards in view.aside])
        told.aside.extend([number[kind] for cards in view.aside for kind in cards])  # type: ignore[misc]
    if view.turned:
        told.turned.extend([number[kind] for kind in view.turned])  # type: ignore[misc]
    if view.offer is not None:
        told.offer.MergeFrom(_offered_to_pb(view.offer))
    if view.answers:
        told.answers.extend(map(_answered_to_pb, view.answers))
    told.news.extend(news)


def view_from_pb(request: pb.Request, rules: CardRules, seat: int) -> BohnanzaView:
    """Return the view that `request` holds for `seat` in a match with `rules`.

    Raises:
        WireError: it holds none, or one that does not fit the rules.
    """
    if request.WhichOneof("view") != "bohnanza":
        raise WireError("the request holds no view that this program knows")
    told = request.bohnanza
    name = _KIND_NAME
    try:
        fields = [Field(name[kind], count) for kind, count in zip(told.field_kinds, told.field_counts, strict=True)]
        decision = Decision(told.decision)
    except (KeyError, ValueError) as problem:
        raise WireError(f"the view does not fit the rules: {problem}") from None
    each = rules.fields
    return BohnanzaView(
        rules,
        seat,
        decision,
        told.turn,
        told.active,
        _kinds(told.hand),
        tuple(told.hand_sizes),
        tuple([tuple(fields[i : i + each]) for i in range(0, len(fields), each)]),
        tuple(told.dollars),
        _aside(told, rules.seats),
        _kinds(told.turned),
        _offered_from_pb(told.offer) if told.HasField("offer") else None,
        tuple(map(_answered_from_pb, told.answers)),
        told.rounds_left,
        told.pile,
        tuple(told.discard),
        told.run_outs,
        tuple(told.harvestable),
        _News(told.news),
    )


def _aside(told: pb.BohnanzaView, seats: int) -> tuple[tuple[Kind, ...], ...]:
    if not told.aside_counts:
        return ((),) * seats
    cards = _kinds(told.aside)
    ends = accumulate(told.aside_counts, initial=0)
    return tuple([cards[start:end] for start, end in pairwise(ends)])
