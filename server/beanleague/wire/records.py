"""Records as messages and back."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.message import DecodeError

from beanleague.games import Option
from beanleague.games.families import load_family
from beanleague.games.records.faults import Fault
from beanleague.games.records.record import PlayedMove, Record
from beanleague.wire.codec import Codec, WireError
from beanleague.wire.events import action_from_pb, action_to_pb, event_from_pb, event_to_pb
from beanproto.v1 import referee_pb2 as pb

FAULT = Codec(Fault, pb.RecordedFault)
"""Faults of a record."""


def record_to_pb(record: Record) -> pb.Record:
    """Return `record` as a message."""
    message = pb.Record(
        ruleset=record.ruleset,
        seats=record.seats,
        seed=record.seed,
        players=record.players,
        events=map(event_to_pb, record.events),
        scores=record.scores,
        places=record.places,
        rules=record.rules if record.rules > 1 else 0,
        luck=record.luck,
        ms=record.ms,
        node=record.node,
    )
    options_to_pb(record.options, message)
    for move in record.moves:
        action_to_pb(move.action, message.moves.add(seat=move.seat, by_default=move.by_default).move)
    for fault in record.faults:
        FAULT.write(fault, message.faults.add())
    return message


def record_from_pb(message: pb.Record) -> Record:
    """Return the record in `message`.

    Raises:
        WireError: if a part of it cannot be decoded.
    """
    load_family(message.ruleset)
    return Record(
        ruleset=message.ruleset,
        seats=message.seats,
        seed=message.seed,
        options={name: _option(value) for name, value in message.options.items()},
        players=tuple(message.players),
        moves=tuple(PlayedMove(move.seat, action_from_pb(move.move), move.by_default) for move in message.moves),
        events=tuple(map(event_from_pb, message.events)),
        scores=tuple(message.scores),
        places=tuple(message.places),
        faults=tuple(map(FAULT.decode, message.faults)),
        rules=message.rules or 1,
        luck=tuple(message.luck),
        ms=tuple(message.ms),
        node=message.node,
    )


def record_from_bytes(data: bytes) -> Record:
    """Return the record in a serialised message.

    Raises:
        WireError: if it is not a record.
    """
    try:
        return record_from_pb(pb.Record.FromString(data))
    except DecodeError:
        raise WireError("this is not a record") from None


def options_to_pb(options: Mapping[str, Option], message: pb.Record) -> None:
    """Set the options of `message`."""
    for name, value in options.items():
        _set_option(message.options[name], value)


def _set_option(message: pb.Option, value: Option) -> None:
    if isinstance(value, str):
        message.text = value
    elif isinstance(value, int):
        message.number = value
    else:
        message.seats.seats.extend(value)
        message.seats.SetInParent()


def _option(message: pb.Option) -> Option:
    match message.WhichOneof("value"):
        case "number":
            return message.number
        case "text":
            return message.text
        case "seats":
            return tuple(message.seats.seats)
        case _:
            raise WireError("an option has no value")
