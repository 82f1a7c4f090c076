"""The conversation with one bot process: a mock transport, and a clock that the tests turn."""

import pytest

from beanleague.model import FaultKind
from beanleague.referee.conversation import AskedSeat, BotFailedError, Conversation
from beanleague.referee.messages import Limits
from beanleague.wire import PROTOCOL
from beanproto.v1 import referee_pb2 as pb

LIMITS = Limits(move_ms=1_000, bank_ms=2_000)


class FakeSeat(AskedSeat):
    """A seat that keeps all that it is sent."""

    def __init__(self, number: int, label: str = "") -> None:
        super().__init__(label, LIMITS.bank_ms / 1000, LIMITS.match_ms / 1000, lambda: None, number)
        self.moves: list[pb.Move] = []
        self.failures: list[BotFailedError] = []

    def take(self, reply: pb.Move | BotFailedError) -> None:
        if isinstance(reply, BotFailedError):
            self.failures.append(reply)
        else:
            self.moves.append(reply)

    @property
    def faults(self) -> list[FaultKind]:
        return [failure.kind for failure in self.failures]


class Table:
    """A conversation whose clock (`now`, `delay`: seconds) and transport the tests control."""

    def __init__(self) -> None:
        self.now = 100.0
        self.delay = 0.0
        self.woken = 0
        self.notes: list[tuple[str, str]] = []
        self.conversation = Conversation(
            LIMITS,
            now=lambda: self.now,
            delay=lambda: self.delay,
            on_hello=lambda: None,
            on_outbox=self._wake,
            note=lambda tag, sentence: self.notes.append((tag, sentence)),
        )
        self.conversation.read(pb.BotMessage(hello=pb.Hello(sdk="test", protocol=PROTOCOL)))

    def _wake(self) -> None:
        self.woken += 1

    def seat(self, label: str = "") -> FakeSeat:
        return FakeSeat(self.conversation.begin().match, label)

    def ask(self, player: FakeSeat, decision: int = 1) -> None:
        self.conversation.ask(player, decision)

    def answer(self, player: FakeSeat, decision: int = 1) -> None:
        self.conversation.read(pb.BotMessage(moves=[pb.Move(match=player.number, decision=decision)]))

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.conversation.tick()


@pytest.fixture
def table() -> Table:
    return Table()


class TestMoves:
    def test_an_answer_reaches_the_seat_that_was_asked(self, table: Table) -> None:
        one, other = table.seat(), table.seat()
        table.ask(one)
        table.ask(other)
        table.answer(other)
        assert [move.match for move in other.moves] == [other.number]
        assert one.moves == []

    def test_a_second_answer_is_dropped(self, table: Table) -> None:
        seat = table.seat()
        table.ask(seat)
        table.answer(seat)
        table.answer(seat)
        assert len(seat.moves) == 1

    @pytest.mark.parametrize("decision", [0, 2, 2**32 - 1])
    def test_an_answer_to_what_was_not_asked_is_dropped(self, table: Table, decision: int) -> None:
        seat = table.seat()
        table.ask(seat)
        table.answer(seat, decision)
        assert seat.moves == []
        assert seat.failures == []

    @pytest.mark.parametrize(
        "message", [pb.BotMessage(), pb.BotMessage(moves=[pb.Move(match=1, decision=9)])], ids=["empty", "not asked"]
    )
    def test_a_flood_of_what_nobody_asked_for_ends_the_process_and_a_few_late_answers_do_not(
        self, table: Table, message: pb.BotMessage
    ) -> None:
        seat = table.seat()
        table.ask(seat)
        for _ in range(1000):
            table.conversation.read(message)
        assert table.conversation.failure is None
        for _ in range(2):
            table.conversation.read(message)
        assert seat.faults == [FaultKind.MALFORMED]

    def test_a_late_answer_is_dropped_by_its_decision(self, table: Table) -> None:
        seat = table.seat()
        table.ask(seat, decision=1)
        table.wait(3.1)
        table.ask(seat, decision=2)
        table.answer(seat, decision=1)
        assert seat.faults == [FaultKind.TIMEOUT]
        assert seat.moves == []
        table.answer(seat, decision=2)
        assert len(seat.moves) == 1

    def test_everything_pending_goes_out_in_one_message(self, table: Table) -> None:
        seats = [table.seat() for _ in range(3)]
        table.conversation.take()
        for seat in seats:
            table.ask(seat)
        message = table.conversation.take()
        assert message is not None
        assert [request.match for request in message.requests] == [seat.number for seat in seats]
        assert table.conversation.take() is None

    def test_nothing_is_sent_to_a_process_at_work_until_it_has_answered_all(self, table: Table) -> None:
        first, second, third = table.seat(), table.seat(), table.seat()
        table.ask(first)
        table.ask(second)
        table.conversation.take()
        table.ask(third)
        table.answer(first)
        assert table.conversation.take() is None
        table.answer(second)
        message = table.conversation.take()
        assert message is not None
        assert [request.match for request in message.requests] == [third.number]

    def test_later_requests_to_a_stuck_process_are_sent_when_the_stuck_one_times_out(self, table: Table) -> None:
        stuck, later = table.seat(), table.seat()
        table.ask(stuck)
        table.conversation.take()
        table.ask(later)
        table.wait(3.1)
        message = table.conversation.take()
        assert message is not None
        assert [request.match for request in message.requests] == [later.number]

    def test_the_first_message_must_be_a_hello(self) -> None:
        conversation = Table().conversation
        fresh = Conversation(LIMITS, lambda: 0.0, lambda: 0.0, lambda: None, lambda: None)
        fresh.read(pb.BotMessage())
        assert fresh.failure is not None
        assert fresh.failure.kind is FaultKind.MALFORMED
        assert conversation.failure is None

    @pytest.mark.parametrize(("spoken", "version"), [(0, 1), (1, 1), (PROTOCOL + 1, PROTOCOL + 1)])
    def test_a_bot_with_a_different_version_of_the_protocol_fails_and_reads_what_to_do(
        self, spoken: int, version: int
    ) -> None:
        fresh = Conversation(LIMITS, lambda: 0.0, lambda: 0.0, lambda: None, lambda: None)
        fresh.read(pb.BotMessage(hello=pb.Hello(sdk="old", protocol=spoken)))
        assert fresh.failure is not None
        assert fresh.failure.kind is FaultKind.MALFORMED
        assert fresh.hello is None
        said = fresh.failure.reason
        assert f"speaks version {version} of the protocol, but this referee speaks version {PROTOCOL}" in said
        assert f"set Hello.protocol to {PROTOCOL}" in said


class TestClock:
    def test_time_within_the_move_limit_costs_nothing(self, table: Table) -> None:
        seat = table.seat()
        table.ask(seat)
        table.wait(1.0)
        table.answer(seat)
        assert seat.bank == 2.0

    def test_time_beyond_the_move_limit_comes_off_the_bank(self, table: Table) -> None:
        seat = table.seat()
        table.ask(seat)
        table.wait(1.5)
        table.answer(seat)
        assert seat.bank == pytest.approx(1.5)

    def test_an_empty_bank_is_a_timeout(self, table: Table) -> None:
        seat = table.seat()
        table.ask(seat)
        table.wait(2.9)
        assert seat.failures == []
        table.wait(0.2)
        assert seat.faults == [FaultKind.TIMEOUT]
        assert seat.bank == 0.0

    def test_a_late_answer_that_comes_before_the_next_tick_is_a_timeout(self, table: Table) -> None:
        seat = table.seat()
        table.ask(seat)
        table.now += 3.1
        table.answer(seat)
        assert seat.faults == [FaultKind.TIMEOUT]
        assert seat.moves == []

    def test_waiting_behind_other_matches_of_the_process_is_not_charged(self, table: Table) -> None:
        seats = [table.seat() for _ in range(5)]
        for seat in seats:
            table.ask(seat)
        for seat in seats:
            table.wait(0.9)
            table.answer(seat)
        assert [seat.bank for seat in seats] == [2.0] * 5

    def test_a_request_sent_to_an_idle_process_starts_its_own_clock(self, table: Table) -> None:
        seat = table.seat()
        table.ask(seat, 1)
        table.answer(seat, 1)
        table.wait(50.0)
        table.ask(seat, 2)
        table.wait(0.9)
        table.answer(seat, 2)
        assert seat.bank == 2.0

    def test_when_one_decision_times_out_the_next_has_its_time_from_then_on(self, table: Table) -> None:
        stuck, next_one = table.seat(), table.seat()
        table.ask(stuck)
        table.ask(next_one)
        table.wait(3.1)
        assert stuck.faults == [FaultKind.TIMEOUT]
        table.wait(2.9)
        assert next_one.failures == []
        table.answer(next_one)
        assert len(next_one.moves) == 1

    def test_delay_by_the_host_is_not_charged(self, table: Table) -> None:
        seat = table.seat()
        table.ask(seat)
        table.delay += 4.0
        table.wait(4.5)
        assert seat.failures == []
        table.answer(seat)
        assert seat.bank == 2.0

    def test_a_delay_before_the_request_is_not_credited_to_it(self, table: Table) -> None:
        seat = table.seat()
        table.delay = 60.0
        table.conversation.look()
        table.ask(seat)
        table.wait(3.1)
        assert seat.faults == [FaultKind.TIMEOUT]

    def test_a_process_that_answers_nothing_is_given_up(self, table: Table) -> None:
        seats = [table.seat() for _ in range(4)]
        for seat in seats:
            table.ask(seat)
        for _ in range(3):
            table.wait(3.1)
        assert table.conversation.failure is not None
        assert [seat.faults for seat in seats] == [[FaultKind.TIMEOUT]] * 4


class TestThinking:
    """All decisions of a seat in a match together."""

    def think(self, table: Table, seat: FakeSeat, seconds: float, delay: float = 0.0) -> None:
        """Let a seat take `seconds` for a decision, in `delay` of which the host kept its process waiting."""
        table.ask(seat)
        table.delay += delay
        table.wait(seconds)
        table.answer(seat)
        table.conversation.look()

    def test_many_decisions_within_their_limit_are_too_long_together(self, table: Table) -> None:
        seat = table.seat()
        for _ in range(66):
            self.think(table, seat, 0.9)
        assert seat.thinking == pytest.approx(60 - 66 * 0.9)
        table.ask(seat)
        table.wait(0.7)
        table.conversation.look()
        table.wait(0.1)
        assert seat.bank == 2.0
        assert [(failure.kind, failure.reason, failure.final) for failure in seat.failures] == [
            (FaultKind.TIMEOUT, "thought for more than 60 s in this match", True)
        ]

    def test_the_hosts_delay_is_not_counted(self, table: Table) -> None:
        seat = table.seat()
        for _ in range(80):
            self.think(table, seat, 0.9, delay=0.6)
        assert seat.thinking == pytest.approx(60 - 80 * 0.3)
        assert seat.failures == []

    def test_each_match_is_charged_for_its_own_decisions_and_its_share_of_the_delay(self, table: Table) -> None:
        seats = [table.seat() for _ in range(3)]
        for seat in seats:
            table.ask(seat)
        for seat, seconds in zip(seats, (0.1, 0.2, 0.3), strict=True):
            table.wait(seconds)
            table.answer(seat)
        table.delay += 0.3
        table.conversation.look()
        assert [60 - seat.thinking for seat in seats] == pytest.approx([0.05, 0.1, 0.15])

    def test_a_decision_that_lasts_is_charged_while_it_lasts_and_only_once(self, table: Table) -> None:
        seat = table.seat()
        table.ask(seat)
        for _ in range(4):
            table.wait(0.2)
            table.conversation.look()
        table.answer(seat)
        table.conversation.look()
        table.wait(5.0)
        table.conversation.look()
        assert seat.thinking == pytest.approx(60 - 0.8)


class TestFailure:
    def test_all_pending_requests_fail_with_the_process(self, table: Table) -> None:
        seats = [table.seat() for _ in range(2)]
        for seat in seats:
            table.ask(seat)
        table.conversation.fail(FaultKind.CRASH, "the process exited with 1")
        assert [seat.faults for seat in seats] == [[FaultKind.CRASH]] * 2

    def test_only_the_first_reason_counts(self, table: Table) -> None:
        table.conversation.fail(FaultKind.CRASH, "first")
        table.conversation.fail(FaultKind.DISCONNECTED, "second")
        assert str(table.conversation.failure) == "first"


class TestTags:
    """Which decision a process works on, for the lines that it writes."""

    def test_before_the_first_request_there_is_none(self) -> None:
        assert Table().conversation.tag() == ""

    def test_the_tag_is_of_the_oldest_unanswered_request(self) -> None:
        table = Table()
        one, other = table.seat("l/12.0"), table.seat("l/7.2")
        one.move, other.move = 34, 5
        table.ask(one, 1)
        table.ask(other, 1)
        assert table.conversation.tag() == "[l/12.0, move 34] "
        table.answer(one, 1)
        assert table.conversation.tag() == "[l/7.2, move 5] "

    def test_when_all_are_answered_it_is_the_last_one(self) -> None:
        table = Table()
        player = table.seat("l/12.0")
        player.move = 3
        table.ask(player, 3)
        table.answer(player, 3)
        assert table.conversation.tag() == "[l/12.0, move 3] "

    def test_a_fault_is_noted_with_its_own_move(self) -> None:
        table = Table()
        one, other = table.seat("l/12.0"), table.seat("l/7.2")
        table.ask(other)
        one.move = 34
        fault = pb.Fault(match=one.number, kind=pb.FAULT_KIND_ILLEGAL, reason="no such field", forfeited=True)
        table.conversation.send_fault(one, fault)
        assert table.notes == [("[l/12.0, move 34] ", "illegal: no such field; the match is forfeited")]


def test_a_reason_written_by_a_bot_can_be_stored_anywhere() -> None:
    """PostgreSQL takes no NUL, and what is stored beside a record must be equal to what the record says."""
    assert BotFailedError(FaultKind.ERROR, "a\0b").reason == "a\N{REPLACEMENT CHARACTER}b"


def test_a_player_learns_how_long_its_answer_took() -> None:
    table = Table()
    player = table.seat()
    table.ask(player)
    table.now += 0.25
    table.answer(player)
    assert player.spent == pytest.approx(0.25)
