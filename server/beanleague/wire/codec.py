"""Codecs between dataclasses and messages with the same field names; the protocol version.

The conversion of a field is derived once from the message's descriptor. Names (of kinds, answers, sources) are sent as
numbers of an enum, called KIND_BLUE for "blue"; the number 0 is None. In views, lists of kinds and of other small
numbers have one byte per entry. Times are sent as timestamps, dataclasses as messages, and all other values unchanged.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, overload

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from beanleague.games import Action, Event, Kind
from beanleague.games.core.values import types_of
from beanleague.games.families import ACTIONS, EVENTS, Classes, snake
from beanleague.games.lazy import OnDemand
from beanproto.v1 import referee_pb2 as pb

if TYPE_CHECKING:
    from google.protobuf.timestamp_pb2 import Timestamp

T = TypeVar("T")
M = TypeVar("M", bound=Message)


class WireError(Exception):
    """Raised for a message that cannot be decoded, or a value that cannot be encoded; the text gives the reason."""


N = TypeVar("N", bound=str)


class Names(Generic[N]):
    """Names of an enum's numbers; None for 0."""

    def __init__(self, enum: EnumDescriptor) -> None:
        prefix = snake(enum.name).upper() + "_"
        self.number: dict[str | None, Any] = {
            value.name.removeprefix(prefix).lower(): value.number for value in enum.values if value.number
        }
        self._name = {number: name for name, number in self.number.items()}
        self.number[None] = 0
        self._what = snake(enum.name).replace("_", " ")

    def name(self, number: int) -> N:
        """Return the name for `number`.

        Raises:
            WireError: if the number is unknown.
        """
        try:
            return self._name[number]  # type: ignore[return-value]  # no name is None
        except KeyError:
            raise WireError(f"{number} is not the number of a {self._what}") from None

    def name_or_none(self, number: int) -> N | None:
        """Return the name for `number`, None for 0."""
        return self.name(number) if number else None

    def numbers(self, names: Iterable[str]) -> list[Any]:
        """Return the numbers of `names`."""
        number = self.number
        return [number[name] for name in names]

    def names(self, numbers: Iterable[int]) -> tuple[N, ...]:
        """Return the names for `numbers`; see `name`."""
        name = self._name
        try:
            return tuple([name[number] for number in numbers])  # type: ignore[misc]  # no name is None
        except KeyError as unknown:
            raise WireError(f"{unknown} is not the number of a {self._what}") from None


KINDS: Names[Kind] = Names(pb.Kind.DESCRIPTOR)
"""Bean kinds and their numbers in messages."""

# Values such as hands repeat from one view to the next, so conversions are cached. A bot's process gets smaller caches
# than a worker, which plays many matches: 0.3 MB each.
SENT, ARRIVED = 4096, 1024


@lru_cache(maxsize=SENT)
def kinds_to_bytes(kinds: Sequence[Kind | None]) -> bytes:
    """Encode kinds with one byte each; 0 for None."""
    return bytes([KINDS.number[kind] for kind in kinds])


@lru_cache(maxsize=ARRIVED)
def kinds_from_bytes(data: bytes) -> tuple[Kind, ...]:
    """Decode kinds from bytes.

    Raises:
        WireError: if a kind is unknown.
    """
    return KINDS.names(data)


def pair(values: Iterable[T]) -> tuple[T, T]:
    """Return the two `values`.

    Raises:
        ValueError: if there are not exactly two.
    """
    one, other = values
    return one, other


Part: TypeAlias = "Codec[Any, Any] | tuple[Callable[[Any, Any], object], Callable[[Any], object]]"
"""Codec of a field: a nested message, or a pair of functions that write it into the message and read it back."""

SET, EXTEND, SET_IF_GIVEN, COPY, WRITE = range(5)
"""Ways to set a field in a message. Empty values are not written."""
WHEN_GIVEN = frozenset({SET_IF_GIVEN, COPY})
"""Ways for optional fields and messages, which None leaves unset."""


class Codec(Generic[T, M]):
    """Converter of one dataclass. `message`: its message class.

    `apart`: fields of the dataclass that the caller converts, or that are not sent; all others must be in the message.
    `parts`: converters of fields that hold dataclasses or tuples of them, or have another name in the message. Times
    are seconds since 1970.
    """

    def __init__(
        self, value: type[T], message: type[M], *, apart: Collection[str] = (), parts: Mapping[str, Part] | None = None
    ) -> None:
        self._value = value
        self._message = message
        described: Mapping[str, Any] = message.DESCRIPTOR.fields_by_name
        self.plan: list[tuple[str, int, Callable[..., Any] | None, Callable[[Any], Any] | None]] = []
        """Per field: its name, the way to set it, its encoder and decoder; None if it is sent unchanged."""
        for name, written in types_of(value).items():
            if name not in apart:
                part = (parts or {}).get(name)
                if isinstance(part, tuple):
                    self.plan.append((name, WRITE, *part))
                else:
                    self.plan.append((name, *_translation(described[name], written, part)))
        self._in_order = not apart and all(how in {SET, EXTEND} for _, how, *_ in self.plan)

    def encode(self, value: T, /, **more: Any) -> M:  # arguments of any type that a field can have
        """Convert `value` to a message. `more`: further fields of the message."""
        message = self._message(**more)
        self.write(value, message)
        return message

    def write(self, value: T, message: Message) -> None:
        """Write `value` into `message`, whose fields for it must be empty."""
        for name, how, encode, _ in self.plan:
            data = getattr(value, name)
            if how == SET:
                setattr(message, name, data if encode is None else encode(data))
            elif not data and (data is None or how not in WHEN_GIVEN):
                continue
            elif how == WRITE:
                assert encode is not None
                encode(value, message)
            elif how == EXTEND:
                getattr(message, name).extend(data if encode is None else encode(data))
            elif how == SET_IF_GIVEN:
                setattr(message, name, data)
            else:
                assert encode is not None
                getattr(message, name).CopyFrom(encode(data))

    def decode(self, message: Message, **apart: object) -> T:
        """Convert a message to a value. `apart`: values of the fields that the caller converts.

        Raises:
            WireError: if an enum has an unknown number.
        """
        if self._in_order:
            return self._value(
                *[
                    getattr(message, name) if decode is None else decode(getattr(message, name))
                    for name, _, _, decode in self.plan
                ]
            )
        for name, how, _, decode in self.plan:
            if how == WRITE:
                assert decode is not None
                apart[name] = decode(message)
            elif how in WHEN_GIVEN and not message.HasField(name):
                apart[name] = None
            else:
                data = getattr(message, name)
                apart[name] = data if decode is None else decode(data)
        return self._value(**apart)


def _translation(
    field: FieldDescriptor, written: str, part: Codec[Any, Any] | None
) -> tuple[int, Callable[[Any], Any] | None, Callable[[Any], Any] | None]:
    """Return the way to set `field`, its encoder and its decoder. `written`: type of the field as in the source."""
    optional = "None" in written or "Optional" in written
    if part is not None:
        if field.is_repeated:
            return EXTEND, lambda values: map(part.encode, values), lambda messages: tuple(map(part.decode, messages))
        return COPY, part.encode, part.decode
    if field.enum_type is not None:
        names: Names[str] = Names(field.enum_type)
        if field.is_repeated:
            return EXTEND, names.numbers, names.names
        return SET, names.number.__getitem__, names.name_or_none if optional else names.name
    if field.message_type is not None:
        return COPY, timestamp, lambda message: message.ToMicroseconds() / 1e6
    if field.is_repeated:
        return EXTEND, None, tuple
    if field.type == FieldDescriptor.TYPE_BYTES and written.startswith("tuple"):
        collect: Callable[[Any], Any] = tuple if written.endswith(", ...]") else pair
        if written.startswith("tuple[int"):
            return SET, bytes, collect
        if optional:
            return SET, kinds_to_bytes, lambda data: collect(map(KINDS.name_or_none, data))
        return SET, kinds_to_bytes, kinds_from_bytes
    return (SET_IF_GIVEN if optional else SET), None, None


def timestamp(seconds: float) -> "Timestamp":
    """Convert seconds since 1970 to a timestamp."""
    from google.protobuf.timestamp_pb2 import Timestamp  # imported late: bots' messages have no times

    message = Timestamp()
    message.FromMicroseconds(round(seconds * 1e6))
    return message


class OneofField(Generic[T]):
    """Converter of the dataclasses `values`, each to the field of a oneof named like its class."""

    def __init__(self, values: Classes[T], message: type[Message], oneof: str) -> None:
        self._values = values
        self._oneof = oneof
        self._members = {field.name: field for field in message.DESCRIPTOR.oneofs_by_name[oneof].fields}
        self._encode = OnDemand(self._name_and_codec)
        self._decode = OnDemand[Any, Codec[T, Message]](lambda name: self._encode[values.named[name]][1])

    def set(self, value: T, message: Message) -> None:
        """Set the oneof of `message` to `value`.

        Raises:
            WireError: if the oneof has no field for this class, or a part of `value` has a wrong type or size.
        """
        try:
            name, codec = self._encode[type(value)]
        except KeyError:
            raise WireError(f"{value!r:.200} is not an {self._oneof} that can be sent") from None
        member = getattr(message, name)
        try:
            codec.write(value, member)
        except (KeyError, TypeError, ValueError) as problem:
            message.ClearField(name)
            raise WireError(f"{value!r:.200} cannot be sent: {problem}") from None
        member.SetInParent()  # marks the field as set even if all its values are 0 or empty

    def decode(self, message: Message) -> T:
        """Return the value in the oneof of a message.

        Raises:
            WireError: if the oneof is empty or of an unknown type, or contains an unknown number.
        """
        name = message.WhichOneof(self._oneof)
        try:
            codec = self._decode[name]
        except KeyError:
            raise WireError(f"the message has no {self._oneof} that this program supports") from None
        return codec.decode(getattr(message, name))

    def _name_and_codec(self, value: type[T]) -> tuple[str, Codec[T, Message]]:
        if value not in self._values:
            raise KeyError(value)
        name = snake(value.__name__)
        return name, Codec(value, GetMessageClass(self._members[name].message_type))  # type: ignore[arg-type]  # a message, too


PROTOCOL = 2
"""Protocol version of `referee.proto` spoken by referee and SDK. It rises with changes that older versions would
misread."""


def wrong_protocol(hello: pb.Hello) -> str:
    """Return the reason why a bot with this hello cannot play, and the remedy; "" if it can."""
    if hello.protocol == PROTOCOL:
        return ""
    return (
        f"the bot speaks version {hello.protocol or 1} of the protocol, but this referee speaks version "
        f"{PROTOCOL}: build the bot with the referee.proto of this server's release, and set Hello.protocol to "
        f"{PROTOCOL}"
    )


_ACTIONS: OneofField[Action] = OneofField(ACTIONS, pb.Move, "action")
_EVENTS: OneofField[Event] = OneofField(EVENTS, pb.Event, "event")


def action_to_pb(action: Action, move: pb.Move) -> None:
    """Set the action of `move`.

    Raises:
        WireError: if `action` is not an action, or one of its fields has a wrong type or size.
    """
    _ACTIONS.set(action, move)


def action_from_pb(move: pb.Move) -> Action:
    """Return the action of `move`.

    Raises:
        WireError: if there is no action, or it contains an unknown kind.
    """
    return _ACTIONS.decode(move)


def event_to_pb(event: Event) -> pb.Event:
    """Convert an event to a message."""
    message = pb.Event()
    _EVENTS.set(event, message)
    return message


def event_from_pb(message: pb.Event) -> Event:
    """Convert a message to an event.

    Raises:
        WireError: if there is no event, or it contains an unknown kind or answer.
    """
    return _EVENTS.decode(message)


class News(Sequence[Event]):
    """Events of a message, decoded at the first access."""

    __slots__ = ("_events", "_messages")

    def __init__(self, messages: Sequence[pb.Event]) -> None:
        self._messages = messages
        self._events: tuple[Event, ...] | None = None

    def _all(self) -> tuple[Event, ...]:
        if self._events is None:
            self._events = tuple(map(event_from_pb, self._messages))
        return self._events

    def __len__(self) -> int:
        return len(self._messages)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | Sequence[Event]:
        return self._all()[index]

    def __iter__(self) -> Iterator[Event]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        return self._all() == (other._all() if isinstance(other, News) else other)

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return repr(self._all())

    def __reduce__(self) -> tuple[object, ...]:
        return tuple, (self._all(),)  # messages cannot be pickled, so their values are
