"""Answers for programs: messages of `league.proto` as JSON, with the names of their fields as keys, and as CSV."""

import csv
import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, cast

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from beanleague.answers.shown import STANDING
from beanleague.names import format_bot
from beanproto.v1.league_pb2 import Deal, OptionValue, RatingsResponse, Standing

DECK = "deck"
"""The option of a game whose value is a whole file."""

_DEAL_FIELDS = ("deal", "table", "seed_digest", "seed", "voids", "published", "played", "node")

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def shape(message: Message) -> dict[str, Json]:
    """Return every field of `message` by its name, in the order of the .proto file.

    Absent messages and optional fields are null, bytes are hex, times ISO 8601, enums their name in lower case
    without the prefix. A list of `OptionValue` becomes one object, from name to shown value.
    """
    return {field.name: _value(message, cast("FieldDescriptor", field)) for field in message.DESCRIPTOR.fields}


def enum_name(enum: EnumDescriptor, number: int) -> str:
    """Return the name of an enum's value, e.g. "done" for LEAGUE_STATE_DONE."""
    prefix = "".join(f"_{letter}" if letter.isupper() else letter for letter in enum.name)[1:].upper()
    return enum.values_by_number[number].name.removeprefix(f"{prefix}_").lower()


def _value(message: Message, field: FieldDescriptor) -> Json:
    value = getattr(message, field.name)
    if field.is_repeated:
        if field.message_type is OptionValue.DESCRIPTOR:
            return {option.name: _option(option) for option in value}
        return [_single(field, each) for each in value]
    if field.has_presence and not message.HasField(field.name):
        return None
    return _single(field, value)


def _single(field: FieldDescriptor, value: object) -> Json:
    if isinstance(value, Timestamp):
        return value.ToJsonString()
    if isinstance(value, Message):
        return shape(value)
    if isinstance(value, bytes):
        return value.hex()
    if field.enum_type is not None:
        assert isinstance(value, int)
        return enum_name(field.enum_type, value)
    assert isinstance(value, bool | int | float | str)
    return value


def _option(option: OptionValue) -> int | str:
    return shown_option(option.name, option.text if option.WhichOneof("value") == "text" else option.number)


def shown_option(name: str, value: int | str) -> int | str:
    """Return the value of a game's option as it is shown; of a deck, which is long, the SHA-256 of its text."""
    return f"sha256:{hashlib.sha256(str(value).encode()).hexdigest()}" if name == DECK else value


def options_line(shown: Mapping[str, object]) -> str:
    """Return options as one line, e.g. "max_rounds=6". `shown`: from names to values by `shown_option`."""
    return ", ".join(f"{name}={value}" for name, value in shown.items()) or "none"


def standings_csv(standings: Iterable[Standing]) -> str:
    """Return the standings as CSV; unknown values are empty."""
    rows = (shape(standing) for standing in standings)
    return _csv([list(STANDING), *([row[name] for name in STANDING] for row in rows)])


def matrix_csv(rated: RatingsResponse) -> str:
    """Return both matrices as CSV, a line for each ordered pair of bots; unknown values are empty."""
    names = [format_bot(standing.bot, standing.version) for standing in rated.standings]
    rows: list[Sequence[object]] = [("bot", "opponent", "better", "pair_score")]
    for name, row in zip(names, rated.matrix, strict=True):
        for opponent, better, score in zip(names, row.better, row.pair_score, strict=True):
            if name != opponent:
                rows.append((name, opponent, better if better >= 0 else "", score if score >= 0 else ""))
    return _csv(rows)


def deals_csv(deals: Iterable[Deal]) -> str:
    """Return deals as CSV. The table is by seat in rotation 0; seed and node are empty until a deal is played."""
    rows: list[Sequence[object]] = [_DEAL_FIELDS]
    for deal in deals:
        table = " ".join(format_bot(entrant.bot, entrant.version) for entrant in deal.table)
        times = (getattr(deal, name).ToJsonString() if deal.HasField(name) else "" for name in ("published", "played"))
        rows.append((deal.number, table, deal.seed_digest.hex(), deal.seed.hex(), deal.voids, *times, deal.node.name))
    return _csv(rows)


def _csv(rows: Sequence[Sequence[object]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
