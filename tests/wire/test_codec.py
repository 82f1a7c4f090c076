"""Codecs convert dataclasses to messages with the same field names, and back."""

from dataclasses import dataclass

import pytest

from beanleague.games.core.moves import Passed, Planted
from beanleague.wire import WireError
from beanleague.wire.codec import (
    KINDS,
    PROTOCOL,
    Codec,
    News,
    event_from_pb,
    event_to_pb,
    kinds_from_bytes,
    kinds_to_bytes,
    pair,
    timestamp,
    wrong_protocol,
)
from beanproto.v1 import node_pb2, referee_pb2 as pb


@dataclass(frozen=True, slots=True)
class Void:
    """Fields of `NodeAnswer.VoidDeal`, one of them converted by hand."""

    number: int
    why: str
    host: bool
    killed: int | None = None
    lost: bool = False


VOID = Codec(Void, node_pb2.NodeAnswer.VoidDeal, apart=("lost",))


@dataclass(frozen=True, slots=True)
class Lacks:
    """The only field of `NodeAnswer.Lacking`."""

    digests: tuple[str, ...]


class TestCodec:
    @pytest.mark.parametrize("killed", [None, 0, 3])
    def test_an_optional_field_keeps_zero_apart_from_none(self, killed: int | None) -> None:
        void = Void(1, "why", host=True, killed=killed)
        message = VOID.encode(void)
        assert message.HasField("killed") == (killed is not None)
        assert VOID.decode(message, lost=False) == void

    def test_fields_converted_by_hand_are_left_out_and_given_back_by_the_caller(self) -> None:
        void = Void(1, "", host=False, lost=True)
        assert "lost" not in {field.name for field in node_pb2.NodeAnswer.VoidDeal.DESCRIPTOR.fields}
        assert VOID.decode(VOID.encode(void), lost=True) == void

    def test_more_fields_of_the_message_may_be_given(self) -> None:
        codec = Codec(Void, node_pb2.NodeAnswer.VoidDeal, apart=("lost", "why"))
        assert codec.encode(Void(1, "first", host=False), why="another").why == "another"

    @pytest.mark.parametrize("digests", [(), ("a",), ("a", "b")])
    def test_a_list_comes_back_as_a_tuple(self, digests: tuple[str, ...]) -> None:
        codec = Codec(Lacks, node_pb2.NodeAnswer.Lacking)
        assert codec.decode(codec.encode(Lacks(digests))) == Lacks(digests)

    def test_a_field_that_the_message_lacks_is_an_error_of_the_program(self) -> None:
        with pytest.raises(KeyError, match="lost"):
            Codec(Void, node_pb2.NodeAnswer.VoidDeal)


class TestNames:
    def test_kinds_take_a_byte_each_and_none_is_0(self) -> None:
        assert kinds_to_bytes(("blue", None)) == bytes([pb.KIND_BLUE, 0])
        assert kinds_from_bytes(bytes([pb.KIND_BLUE, pb.KIND_GREEN])) == ("blue", "green")
        assert KINDS.name_or_none(0) is None

    @pytest.mark.parametrize("data", [b"\x00", b"\xff"])
    def test_a_byte_that_is_no_kind_is_refused(self, data: bytes) -> None:
        with pytest.raises(WireError, match=f"^{data[0]} is not the number of a kind$"):
            kinds_from_bytes(data)


class TestNews:
    EVENTS = (Planted(0, 1, "blue", "hand", 2), Passed(1))

    def test_events_are_decoded_when_somebody_looks(self) -> None:
        unknown = News([pb.Event()])
        assert len(unknown) == 1
        with pytest.raises(WireError, match="no event"):
            unknown[0]

    def test_news_is_equal_to_the_events_in_it(self) -> None:
        news = News(list(map(event_to_pb, self.EVENTS)))
        assert news == self.EVENTS
        assert news == News(list(map(event_to_pb, self.EVENTS)))
        assert (hash(news), repr(news)) == (hash(self.EVENTS), repr(self.EVENTS))
        assert (news[1], news[:1], [*news]) == (self.EVENTS[1], self.EVENTS[:1], [*self.EVENTS])

    def test_an_event_whose_values_are_all_0_is_still_that_event(self) -> None:
        event = Passed(0)
        assert event_from_pb(pb.Event.FromString(event_to_pb(event).SerializeToString())) == event


@pytest.mark.parametrize("seconds", [0.0, 1_700_000_000.25, -0.5])
def test_a_time_keeps_its_microseconds(seconds: float) -> None:
    assert timestamp(seconds).ToMicroseconds() == seconds * 1e6


def test_a_pair_has_two_values() -> None:
    assert pair([1, 2]) == (1, 2)
    with pytest.raises(ValueError, match="values to unpack"):
        pair([1, 2, 3])


@pytest.mark.parametrize(("spoken", "said"), [(PROTOCOL, None), (0, 1), (PROTOCOL + 1, PROTOCOL + 1)])
def test_a_bot_of_another_version_of_the_protocol_learns_both_versions(spoken: int, said: int | None) -> None:
    why = wrong_protocol(pb.Hello(protocol=spoken))
    assert (why == "") == (said is None)
    assert said is None or why.startswith(
        f"the bot speaks version {said} of the protocol, but this referee speaks version 2"
    )
