"""The seat of a guest: no clock, but some patience."""

import asyncio
from collections.abc import Awaitable, Callable

from beanleague.games.records.faults import FaultKind
from beanleague.referee.conversation import ANSWER_TIMEOUT_S, GUEST_LIMITS, AskedSeat, BotFailedError, Guest
from beanleague.wire import PROTOCOL
from beanproto.v1 import referee_pb2 as pb

HELLO = pb.BotMessage(hello=pb.Hello(protocol=PROTOCOL)).SerializeToString()


def with_guest(
    answer_timeout: float, play: Callable[[Guest, AskedSeat], Awaitable[None]]
) -> tuple[Guest, AskedSeat, list[bytes]]:
    """Ask a guest who has said hello, then `play`; return it, its seat, and what was sent to it."""
    sent: list[bytes] = []

    async def run() -> tuple[Guest, AskedSeat, list[bytes]]:
        guest, seat = (
            Guest(sent.append, answer_timeout),
            AskedSeat("friendly", 0.0, GUEST_LIMITS.match_ms / 1000, lambda: None, number=1),
        )
        guest.read(HELLO)
        await guest.until_ready(30)
        guest.conversation.ask(seat, 1)
        await asyncio.sleep(0.02)
        guest.tick()
        await play(guest, seat)
        return guest, seat, sent

    return asyncio.run(run())


async def nothing(guest: Guest, seat: AskedSeat) -> None:
    """Only wait."""


def test_a_guest_has_ten_minutes_for_a_decision() -> None:
    assert ANSWER_TIMEOUT_S == 600
    guest, seat, sent = with_guest(ANSWER_TIMEOUT_S, nothing)
    assert guest.conversation.failure is None
    assert seat.reply is None
    assert [message.requests[0].decision for message in map(pb.RefereeMessage.FromString, sent)] == [1]


def test_a_guest_that_is_waited_for_in_vain_has_failed() -> None:
    _, seat, _ = with_guest(0.01, nothing)
    assert isinstance(seat.reply, BotFailedError)
    assert seat.reply.kind is FaultKind.TIMEOUT
    assert "decided nothing" in seat.reply.reason


def test_moves_that_nobody_asked_for_do_not_prolong_the_patience() -> None:
    async def pester(guest: Guest, seat: AskedSeat) -> None:
        while not seat.reply:
            guest.read(pb.BotMessage(moves=[pb.Move(match=1, decision=7)]).SerializeToString())
            await asyncio.sleep(0.01)
            guest.tick()

    _, seat, _ = with_guest(0.05, pester)
    assert isinstance(seat.reply, BotFailedError)
    assert seat.reply.kind is FaultKind.TIMEOUT


def test_a_guest_that_says_nothing_has_failed() -> None:
    async def run() -> Guest:
        guest = Guest(lambda _: None)
        await guest.until_ready(0.01)
        return guest

    failure = asyncio.run(run()).conversation.failure
    assert failure is not None
    assert "said no hello" in failure.reason


def test_a_message_that_cannot_be_read_is_the_last() -> None:
    async def garble(guest: Guest, seat: AskedSeat) -> None:
        guest.read(b"\xff\xff")
        guest.read(pb.BotMessage(moves=[pb.Move(match=1, decision=1)]).SerializeToString())

    _, seat, _ = with_guest(ANSWER_TIMEOUT_S, garble)
    assert isinstance(seat.reply, BotFailedError)
    assert seat.reply.kind is FaultKind.MALFORMED
