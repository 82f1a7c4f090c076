"""Conversion of records to and from messages, and their packed forms."""

import bz2  # noqa: TID251  # `_unpack` limits the size, also for LZMA
import lzma  # noqa: TID251
import zlib
from collections.abc import Container, Iterable, Mapping
from functools import _lru_cache_wrapper, lru_cache
from typing import TypeVar

from google.protobuf.message import DecodeError

from beanleague.games import Event, Fault, Option, RecordError
from beanleague.games.families import load_family
from beanleague.games.records.record import MAX_BYTES, PlayedMove, Record, check_record
from beanleague.games.records.verify import with_events
from beanleague.wire.codec import Codec, WireError, action_from_pb, action_to_pb, event_from_pb, event_to_pb
from beanproto.v1 import referee_pb2 as pb

_MAX_KNOWN = 2**14  # number of cached values; at most 10 MB of events
_MAX_KNOWN_BYTES = 128
_MAX_UNPACKER_BYTES = 64 * 2**20

_T = TypeVar("_T")

FAULT = Codec(Fault, pb.RecordedFault)
"""Codec of the faults in a record."""


def record_to_pb(record: Record) -> pb.Record:
    """Convert a record to a message."""
    message = pb.Record(events=map(event_to_pb, record.events))
    _RECORD.write(record, message)
    for move in record.moves:
        action_to_pb(move.action, message.moves.add(seat=move.seat, by_default=move.by_default).move)
    return message


def record_from_pb(message: pb.Record) -> Record:
    """Convert a message to a record.

    Raises:
        WireError: if a part cannot be decoded, or parts contradict each other.
    """
    load_family(message.ruleset)
    record = _record(message, map(_move, message.moves), map(event_from_pb, message.events))
    try:
        check_record(record)
    except RecordError as error:
        raise WireError(str(error)) from None
    return record


def unpacked(packed: bytes, most: int = MAX_BYTES) -> bytes:
    """Unpack a record of at most `most` bytes. All unpacking happens here, protected against zip bombs.

    Raises:
        WireError: if the data are damaged, or larger.
    """
    unpack = zlib.decompressobj()  # noqa: TID251  # the only allowed place
    try:
        data = unpack.decompress(packed, most)
    except zlib.error as error:
        raise WireError(str(error)) from None
    if len(data) == most and not unpack.eof:
        raise WireError(f"it unpacks to more than {most >> 20} MiB")
    if not unpack.eof or unpack.unused_data:
        raise WireError("it does not end where it should")
    return data


def block_of(records: Mapping[tuple[int, int], bytes]) -> bytes:
    """Return a block (a serialised `RecordBlock`) of serialised records without events, given by (deal, rotation)."""
    old, moves, times = pb.OldRecords(), pb.PackedRecord(), pb.PackedRecord()
    for (deal, rotation), record in records.items():
        message = pb.PackedRecord.FromString(record)
        moves.moves.extend(message.moves)
        times.ms.extend(message.ms)
        each = old.records.add(deal=deal, rotation=rotation, moves=len(message.moves), ms=len(message.ms))
        for field in ("moves", "ms"):
            message.ClearField(field)
        each.record = message.SerializeToString(deterministic=True)
    return pb.RecordBlock(
        records=lzma.compress(old.SerializeToString()),
        moves=bz2.compress(moves.SerializeToString()),  # bz2, which is a fourth smaller than LZMA here
        ms=lzma.compress(times.SerializeToString()),
    ).SerializeToString()


def records_of(block: bytes, deals: Container[int]) -> dict[tuple[int, int], bytes]:
    """Return the serialised records of some deals in a block, without events, by (deal, rotation).

    Raises:
        WireError: if the block is damaged, or unpacks to more than `MAX_BYTES`.
    """
    found = {}
    try:
        packed = pb.RecordBlock.FromString(block)
        old = pb.OldRecords.FromString(_unpack(packed.records, lzma.LZMADecompressor(memlimit=_MAX_UNPACKER_BYTES)))
        moves = pb.PackedRecord.FromString(_unpack(packed.moves, bz2.BZ2Decompressor())).moves
        ms = pb.PackedRecord.FromString(_unpack(packed.ms, lzma.LZMADecompressor(memlimit=_MAX_UNPACKER_BYTES))).ms
        move = time = 0
        for each in old.records:
            if each.deal in deals:
                record = pb.PackedRecord.FromString(each.record)
                record.moves.extend(moves[move : move + each.moves])
                record.ms.extend(ms[time : time + each.ms])
                found[each.deal, each.rotation] = record.SerializeToString(deterministic=True)
            move, time = move + each.moves, time + each.ms
    except (DecodeError, lzma.LZMAError, OSError, EOFError) as error:
        raise WireError(f"this is not a block of records: {error}") from None
    return found


def _unpack(packed: bytes, unpack: lzma.LZMADecompressor | bz2.BZ2Decompressor) -> bytes:
    data = unpack.decompress(packed, MAX_BYTES)
    if not unpack.eof or unpack.unused_data:
        raise WireError("a block does not end where it should, or is too large")
    return data


def record_from_bytes(data: bytes) -> Record:
    """Return the record in a serialised message.

    Raises:
        WireError: if the data are not a record.
    """
    try:
        message = pb.PackedRecord.FromString(data)
        load_family(message.ruleset)
        return _record(message, _decode(message.moves, _move_from_bytes), _decode(message.events, _event_from_bytes))
    except DecodeError:
        raise WireError("this is not a record") from None


def with_all_events(packed: bytes) -> bytes:
    """Return the serialised message of a packed record with all events, computed from its moves if missing.

    Raises:
        WireError: if the record is damaged, or its moves are illegal.
        RulesVersionError: if it has no events, and was played under another version of the rules.
    """
    data = unpacked(packed)
    try:
        message = pb.Record.FromString(data)
        if not message.events:  # an old match of a ladder, stored without events
            message = record_to_pb(with_events(record_from_bytes(data)))
    except DecodeError:
        raise WireError("this is not a record") from None
    except RecordError as error:
        raise WireError(str(error)) from None
    return message.SerializeToString(deterministic=True)


def times_from_bytes(data: bytes) -> tuple[tuple[int, int], ...]:
    """Return the seat and the milliseconds of each move of a serialised record; empty if it has no times.

    Raises:
        WireError: if the data are not a record.
    """
    try:
        message = pb.PackedRecord.FromString(data)
        seats = (pb.Played.FromString(move).seat for move in message.moves)
        return tuple(zip(seats, message.ms, strict=False))
    except DecodeError:
        raise WireError("this is not a record") from None


def _record(message: pb.Record | pb.PackedRecord, moves: Iterable[PlayedMove], events: Iterable[Event]) -> Record:
    return _RECORD.decode(message, moves=tuple(moves), events=tuple(events))


def _move(message: pb.Played) -> PlayedMove:
    return PlayedMove(message.seat, action_from_pb(message.move), message.by_default)


# Most moves and events occur in many records, and decoding all of them would take longer than playing.


def _decode(parts: Iterable[bytes], decode: "_lru_cache_wrapper[_T]") -> tuple[_T, ...]:
    """Decode parts of a record; `decode` caches recent short parts."""
    return tuple([decode(data) if len(data) <= _MAX_KNOWN_BYTES else decode.__wrapped__(data) for data in parts])


@lru_cache(_MAX_KNOWN)
def _move_from_bytes(data: bytes) -> PlayedMove:
    return _move(pb.Played.FromString(data))


@lru_cache(_MAX_KNOWN)
def _event_from_bytes(data: bytes) -> Event:
    return event_from_pb(pb.Event.FromString(data))


def options_to_pb(options: Mapping[str, Option], message: Mapping[str, pb.Option]) -> None:
    """Write options into `message`, a map field."""
    for name, value in options.items():
        option = message[name]
        if isinstance(value, str):
            option.text = value
        elif isinstance(value, int):
            option.number = value
        else:
            option.seats.seats.extend(value)
            option.seats.SetInParent()


def options_from_pb(message: Mapping[str, pb.Option]) -> dict[str, Option]:
    """Convert a map field to options.

    Raises:
        WireError: if an option has no value.
    """
    return {name: _option(value) for name, value in message.items()}


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


def _write_rules(record: Record, message: pb.Record) -> None:
    message.rules = record.rules if record.rules > 1 else 0


_RECORD = Codec(
    Record,
    pb.Record,
    apart=("moves", "events"),
    parts={
        "options": (
            lambda record, message: options_to_pb(record.options, message.options),
            lambda message: options_from_pb(message.options),
        ),
        "faults": FAULT,
        "rules": (_write_rules, lambda message: message.rules or 1),
    },
)
