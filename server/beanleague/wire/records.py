"""Records as messages and back."""

from __future__ import annotations

from collections.abc import Mapping

from beanleague.games import Option
from beanleague.games.records.faults import Fault
from beanleague.games.records.record import PlayedMove, Record
from beanleague.wire.codec import Codec, WireError
from beanleague.wire.events import action_from_pb, action_to_pb, event_from_pb, event_to_pb
from beanproto.v1 import referee_pb2 as pb

FAULT = Codec(Fault, pb.RecordedFault)
"""Faults of a record."""


def record_to_pb(record: Record) -> pb.Record:
    """Return `record` as a message."""
    told = pb.Record(
        ruleset=record.ruleset,
        seats=record.seats,
        seed=record.seed,
        players=record.players,
        events=map(event_to_pb, record.events),
        scores=record.scores,
        places=record.places,
    )
    options_to_pb(record.options, told)
    for move in record.moves:
        action_to_pb(move.action, told.moves.add(seat=move.seat, by_default=move.by_default).move)
    for fault in record.faults:
        FAULT.write(fault, told.faults.add())
    return told


def record_from_pb(told: pb.Record) -> Record:
    """Return the record that `told` is.

    Raises:
        WireError: a part of it cannot be understood.
    """
    return Record(
        ruleset=told.ruleset,
        seats=told.seats,
        seed=told.seed,
        options={name: _option(value) for name, value in told.options.items()},
        players=tuple(told.players),
        moves=tuple(PlayedMove(move.seat, action_from_pb(move.move), move.by_default) for move in told.moves),
        events=tuple(map(event_from_pb, told.events)),
        scores=tuple(told.scores),
        places=tuple(told.places),
        faults=tuple(map(FAULT.decode, told.faults)),
    )


def options_to_pb(options: Mapping[str, Option], told: pb.Record) -> None:
    """Set the options of `told`."""
    for name, value in options.items():
        _set_option(told.options[name], value)


def _set_option(told: pb.Option, value: Option) -> None:
    if isinstance(value, str):
        told.text = value
    elif isinstance(value, int):
        told.number = value
    else:
        told.seats.seats.extend(value)
        told.seats.SetInParent()


def _option(told: pb.Option) -> Option:
    match told.WhichOneof("value"):
        case "number":
            return told.number
        case "text":
            return told.text
        case "seats":
            return tuple(told.seats.seats)
        case _:
            raise WireError("an option has no value")
