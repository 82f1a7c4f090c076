"""Record of a match (players, moves, events and result) and its JSON form.

`docs/records.md` describes the JSON and each event.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

from beanleague.games.core.game import Action, Event, Option, RecordError, brief
from beanleague.games.core.kinds import MAX_TEXT
from beanleague.games.core.values import dataclass
from beanleague.games.families import ACTIONS, EVENTS, RULES_VERSION, Classes, load_family, snake
from beanleague.games.lazy import OnDemand
from beanleague.games.records.faults import Fault

JsonObject = dict[str, Any]
Read = Callable[[object, str], Any]
_Readers = dict[str, tuple[str, Read]]

MAX_NUMBER = 2**31 - 1

_T = TypeVar("_T")


class TaggedCodec(Generic[_T]):
    """Codec of dataclasses tagged with their names in snake case: TurnStarted is "turn_started".

    Fields may be int, str, bool and tuples of these. `written`: JSON names of fields, where they differ.
    """

    def __init__(self, classes: Classes[_T], written: Mapping[str, str] | None = None) -> None:
        self._classes = classes
        self._names = OnDemand(self._find_name)
        self._readers = OnDemand[type[_T], _Readers](lambda cls: _readers(cls, written or {}))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the classes."""
        return tuple(map(self._names.__getitem__, self._classes))

    def write(self, tag: str, value: _T) -> JsonObject:
        """Return `value` as a JSON object, with the name of its class under `tag`."""
        entries = {written: getattr(value, field) for field, (written, _) in self._readers[type(value)].items()}
        return {tag: self._names[type(value)], **entries}

    def read(self, tag: str, data: object, place: str, beside: Iterable[str] = ()) -> _T:
        """Return the value of the JSON object `data` at `place`. `beside`: keys handled by the caller.

        Raises:
            RecordError: if `data` has another form.
        """
        found = read_object(data, place)
        name = read_text(found.get(tag), f"{place}.{tag}")
        try:
            cls = self._classes.named[name]
        except KeyError:
            raise RecordError(f"{place}.{tag}: {brief(name)} is unknown; there are: {', '.join(self.names)}") from None
        readers = self._readers[cls]
        check_keys(found, place, required=[tag, *(written for written, _ in readers.values())], optional=beside)
        return cls(*[read(found[written], f"{place}.{written}") for written, read in readers.values()])

    def _find_name(self, cls: type[_T]) -> str:
        if cls not in self._classes:
            raise KeyError(cls)
        return snake(cls.__name__)


def check_keys(data: JsonObject, place: str, required: Iterable[str], optional: Iterable[str] = ()) -> None:
    """Check that an object has all `required` keys, and no others except `optional` keys."""
    required = list(required)
    for key in required:
        if key not in data:
            raise RecordError(f"{_join(place, key)}: missing")
    for key in data:
        if key not in required and key not in optional:
            raise RecordError(f"{_join(place, brief(key)[1:-1])}: unknown entry")


def read_object(value: object, place: str) -> JsonObject:
    """Return `value`, which must be a JSON object."""
    if not isinstance(value, dict):
        raise RecordError(f"{place}: must be an object, not {brief(value)}")
    return value


def read_number(value: object, place: str) -> int:
    """Return `value`, which must be a whole number in range."""
    if type(value) is not int:
        raise RecordError(f"{place}: must be a whole number, not {brief(value)}")
    if not 0 <= value <= MAX_NUMBER:
        raise RecordError(f"{place}: must be 0 to {MAX_NUMBER}, not {brief(value)}")
    return value


def read_bool(value: object, place: str) -> bool:
    """Return `value`, which must be true or false."""
    if type(value) is not bool:
        raise RecordError(f"{place}: must be true or false, not {brief(value)}")
    return value


def read_text(value: object, place: str) -> str:
    """Return `value`, which must be a string of valid text."""
    if not isinstance(value, str):
        raise RecordError(f"{place}: must be a string, not {brief(value)}")
    if len(value) > MAX_TEXT:
        raise RecordError(f"{place}: more than {MAX_TEXT} characters")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise RecordError(f"{place}: contains half of a surrogate pair, which is not valid text")
    return value


def read_tuple(each: Read) -> Read:
    """Return a reader of lists, whose items are read by `each`."""

    def read(value: object, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise RecordError(f"{place}: must be a list, not {brief(value)}")
        return tuple([each(entry, f"{place}[{i}]") for i, entry in enumerate(value)])

    return read


_SIMPLE: dict[type, Read] = {int: read_number, str: read_text, bool: read_bool}


def _readers(cls: type, written: Mapping[str, str]) -> _Readers:
    """Return the JSON name and the reader of each field of the dataclass `cls`."""
    hints = get_type_hints(cls)
    return {field.name: (written.get(field.name, field.name), _reader(hints[field.name])) for field in fields(cls)}


def _reader(hint: type[Any]) -> Read:
    if get_origin(hint) is tuple:
        each, dots = get_args(hint)
        assert dots is ...
        return read_tuple(_reader(each))
    if get_origin(hint) is Literal:  # the game's rules check the kinds later
        return read_text
    return _SIMPLE[hint]


def _join(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


FORMAT = "beanleague record"
VERSION = 2
LUCK_BYTES = 16
MAX_BYTES = 16 * 2**20  # maximum size of a record: a hundred times a long match

_LISTED = frozenset({"moves", "events", "faults"})  # lists written with one element per line

# In JSON "seat" is the seat that moved, so an action's own field `seat` is written as "partner".
_ACTIONS: TaggedCodec[Action] = TaggedCodec(ACTIONS, written={"seat": "partner"})
_EVENTS: TaggedCodec[Event] = TaggedCodec(EVENTS)


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """A move of a match."""

    seat: int
    """The seat that moved."""
    action: Action
    """The action applied."""
    by_default: bool
    """Whether it is the default action, played because the seat failed."""


@dataclass(frozen=True, slots=True)
class Record:
    """Whole match with everything needed to verify it by replay."""

    ruleset: str
    """The id of the ruleset."""
    seats: int
    """The number of seats."""
    seed: bytes
    """The seed: 1 to 64 bytes."""
    options: Mapping[str, Option]
    """The options of the game."""
    players: tuple[str, ...]
    """Players, per seat, e.g. "trader@2"."""
    moves: tuple[PlayedMove, ...]
    """Every action applied, in order."""
    events: tuple[Event, ...]
    """Every event, in order, with nothing hidden."""
    scores: tuple[int, ...]
    """Scores, per seat."""
    places: tuple[int, ...]
    """Places in the match, per seat; seats that forfeited are last."""
    faults: tuple[Fault, ...]
    """Every fault, in order."""
    rules: int = RULES_VERSION
    """The version of the rules; see `RULES_VERSION`."""
    luck: tuple[bytes, ...] = ()
    """Seeds of the bots' own random choices, per seat: 16 bytes. Empty if unknown."""
    ms: tuple[int, ...] = ()
    """Milliseconds of each move, in order: 0 if the bot was not asked, or its process had ended. Empty if unknown.

    `verify` ignores this and `node`, since they differ when a match is repeated.
    """
    node: str = ""
    """Name of the host that played the match; "" if unknown."""


def check_record(record: Record) -> None:
    """Check that the parts of `record` are consistent; `verify` checks the rules.

    Raises:
        RecordError: if they contradict each other.
    """
    for name in ("players", "scores", "places"):
        if len(getattr(record, name)) != record.seats:
            raise RecordError(f"{name}: must have an entry for each of {record.seats} seats")
    if len(record.luck) not in {0, record.seats} or any(len(luck) != LUCK_BYTES for luck in record.luck):
        raise RecordError(f"luck: must have {LUCK_BYTES} bytes for each of {record.seats} seats, or be empty")
    if len(record.ms) not in {0, len(record.moves)}:
        raise RecordError(f"ms: must have an entry for each of {len(record.moves)} moves, or be empty")
    _check_seats(record.seats, "moves", [move.seat for move in record.moves])
    _check_seats(record.seats, "faults", [fault.seat for fault in record.faults])
    excused = set[int]()  # numbers of the moves that were played by default because of a fault
    gone: dict[int, int] = {}  # move at which each seat forfeited
    for i, fault in enumerate(record.faults):
        if not 0 <= fault.move < len(record.moves):
            raise RecordError(f"faults[{i}].move: moves[{fault.move}] does not exist")
        if record.moves[fault.move].seat != fault.seat or not record.moves[fault.move].by_default:
            raise RecordError(f"faults[{i}].move: moves[{fault.move}] is not a default move of seat {fault.seat}")
        excused.add(fault.move)
        if fault.forfeited:
            gone[fault.seat] = min(fault.move, gone.get(fault.seat, fault.move))
    for i, move in enumerate(record.moves):
        if move.seat in gone and i > gone[move.seat]:
            if not move.by_default:
                raise RecordError(f"moves[{i}]: seat {move.seat} had forfeited, so this must be a default move")
        elif move.by_default and i not in excused:
            raise RecordError(f"moves[{i}]: a default move, but seat {move.seat} has no fault at this move")


def record_to_object(record: Record) -> JsonObject:
    """Return `record` as a JSON object."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "rules": record.rules,
        "ruleset": record.ruleset,
        "seats": record.seats,
        "seed": record.seed.hex(),
        "options": dict(sorted(record.options.items())),  # messages do not preserve the order of options
        "players": record.players,
        "luck": [luck.hex() for luck in record.luck],
        "node": record.node,
        "moves": list(map(_move_to_json, record.moves)),
        "events": list(map(event_to_json, record.events)),
        "scores": record.scores,
        "places": record.places,
        "faults": [{name: getattr(fault, name) for name in Fault.__dataclass_fields__} for fault in record.faults],
        "ms": record.ms,
    }


def record_to_json(record: Record) -> str:
    """Return `record` as JSON, with one line per move and event."""
    parts = [
        f'"{name}": {_lines(value) if name in _LISTED else _dump(value)}'
        for name, value in record_to_object(record).items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def action_to_json(action: Action) -> JsonObject:
    """Return `action` as a JSON object, as in the moves of a record."""
    return _ACTIONS.write("action", action)


def action_from_json(data: object) -> Action:
    """Return the action in a JSON object.

    Raises:
        RecordError: if no loaded game has such an action.
    """
    return _ACTIONS.read("action", data, "action")


def event_to_json(event: Event) -> JsonObject:
    """Return `event` as a JSON object, as in a record."""
    return _EVENTS.write("event", event)


def record_from_json(text: str | bytes) -> Record:
    """Return the record in the JSON text `text`.

    Raises:
        RecordError: if it is not a valid record; the message names the place.
    """
    data = read_object(_parsed(text), "record")
    if data.get("format") != FORMAT:
        raise RecordError(f"format: must be {FORMAT!r}, not {brief(data.get('format'))}; is this a match record?")
    if data.get("version") != VERSION or type(data["version"]) is not int:
        raise RecordError(f"version: this program reads version {VERSION}, not {brief(data.get('version'))}")
    check_keys(data, "", required=("format", "version", *Record.__dataclass_fields__))
    ruleset = read_text(data["ruleset"], "ruleset")
    load_family(ruleset)
    record = Record(
        ruleset=ruleset,
        seats=read_number(data["seats"], "seats"),
        seed=_read_hex(data["seed"], "seed"),
        options={
            read_text(name, "options"): _read_option(value, f"options.{name}")
            for name, value in read_object(data["options"], "options").items()
        },
        players=read_tuple(read_text)(data["players"], "players"),
        moves=read_tuple(_read_move)(data["moves"], "moves"),
        events=read_tuple(lambda event, place: _EVENTS.read("event", event, place))(data["events"], "events"),
        scores=read_tuple(read_number)(data["scores"], "scores"),
        places=read_tuple(read_number)(data["places"], "places"),
        faults=read_tuple(_read_fault)(data["faults"], "faults"),
        rules=read_number(data["rules"], "rules"),
        luck=read_tuple(_read_hex)(data["luck"], "luck"),
        ms=read_tuple(read_number)(data["ms"], "ms"),
        node=read_text(data["node"], "node"),
    )
    check_record(record)
    return record


def _move_to_json(move: PlayedMove) -> JsonObject:
    default = {"default": True} if move.by_default else {}
    return {"seat": move.seat, **action_to_json(move.action), **default}


def _read_move(data: object, place: str) -> PlayedMove:
    action = _ACTIONS.read("action", data, place, beside=("seat", "default"))
    found = read_object(data, place)
    by_default = read_bool(found.get("default", False), f"{place}.default")
    return PlayedMove(read_number(found.get("seat"), f"{place}.seat"), action, by_default)


def _read_fault(data: object, place: str) -> Fault:
    found = read_object(data, place)
    check_keys(found, place, required=Fault.__dataclass_fields__)
    return Fault(*[read(found[name], f"{place}.{name}") for name, (_, read) in _readers(Fault, {}).items()])


def _read_hex(value: object, place: str) -> bytes:
    try:
        return bytes.fromhex(read_text(value, place))
    except ValueError:
        raise RecordError(f"{place}: must be hexadecimal, not {brief(value)}") from None


def _read_option(value: object, place: str) -> Option:
    if isinstance(value, str):
        return read_text(value, place)
    option: Option = (read_tuple(read_number) if isinstance(value, list) else read_number)(value, place)
    return option


def _check_seats(seats: int, name: str, found: Sequence[int]) -> None:
    for i, seat in enumerate(found):
        if not 0 <= seat < seats:
            raise RecordError(f"{name}[{i}].seat: must be 0 to {seats - 1}, not {seat}")


def _parsed(text: str | bytes) -> object:
    if len(text) > MAX_BYTES:
        raise RecordError(f"record: larger than {MAX_BYTES >> 20} MiB")
    try:
        return json.loads(text.decode() if isinstance(text, bytes) else text, object_pairs_hook=_unique)
    except UnicodeDecodeError as problem:
        raise RecordError(f"record: not UTF-8 text at byte {problem.start}") from None
    except RecursionError:
        raise RecordError("record: nested too deeply") from None
    except json.JSONDecodeError as problem:
        raise RecordError(f"record: not JSON at line {problem.lineno}, column {problem.colno}: {problem.msg}") from None
    except ValueError:  # a number exceeds Python's limit on digits
        raise RecordError("record: a number has too many digits") from None


def _unique(pairs: list[tuple[str, Any]]) -> JsonObject:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise RecordError(f"record: an object has a duplicate key, one of {brief(list(found))}")
    return found


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _lines(values: Iterable[object]) -> str:
    lines = ",\n".join(f"  {_dump(value)}" for value in values)
    return f"[\n{lines}\n]" if lines else "[]"
