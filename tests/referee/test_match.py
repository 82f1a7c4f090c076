"""A match between conversations, with bots that are functions: no processes and no sockets."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

import pytest

from beanleague import wire
from beanleague.games import Action, Event, Option, Outcome, View, new_game, ruleset
from beanleague.games.bohnanza import Decision, Offered
from beanleague.games.core import TurnStarted
from beanleague.games.core.game import nothing_new
from beanleague.games.core.phased_game import AskingGame, Step
from beanleague.games.families import _RULESETS as RULESETS
from beanleague.games.records.trade_flow import trade_flows
from beanleague.games.records.verify import verify
from beanleague.model import FaultKind
from beanproto.v1 import referee_pb2 as pb
from tests.matches import column
from tests.referee.helpers import Desk, Policy, dull, erring, garrulous, illegal, lively, record_of


class Together(AskingGame):
    """All plant the first card of their hands at once, three times; then the game is over."""

    _WAIT, _FREE, _HIDDEN = Decision.WAIT, {}, frozenset()

    def __init__(self, seats: int, seed: bytes, options: Mapping[str, Option]) -> None:
        super().__init__("bohnanza", seats, seed, options)
        self._shown = new_game("bohnanza-classic", seats=seats, seed=seed)
        self._start_turn()

    def view(self, seat: int, *, news: bool = True) -> View:
        return replace(self._shown.view(seat), turn=self._turn, decision=self._decision, news=())  # type: ignore[call-arg]

    def _start_turn(self) -> None:
        self._turn += 1
        self._events.append(TurnStarted(self._turn, 0))
        if self._turn > 3:
            self._asked, self._outcome = (), Outcome((0,) * self.seats, (1,) * self.seats)
        else:
            self._ask(Decision.PLANT_FIRST, *range(self.seats))

    def _plant(self, seat: int, action: Action) -> None:
        assert action == self.default(seat)
        if not self._await_others(seat):
            self._start_turn()

    _PHASES: ClassVar[Mapping[Decision, Step]] = {Decision.PLANT_FIRST: _plant}


class TestAMatch:
    def test_is_recorded_so_that_it_can_be_verified(self) -> None:
        result = Desk([lively(seat) for seat in range(4)]).play()
        record = record_of(result)
        assert verify(record).problem == ""
        assert (record.scores, record.places) == (column(result, "score"), column(result, "place"))
        assert result.faults == ()
        assert sum(seat.decisions for seat in result.seats) == len(record.moves)

    def test_tells_what_was_given_in_trades_as_its_record_does(self) -> None:
        result = Desk([lively(seat) for seat in range(4)]).play()
        assert result.flows
        assert result.flows == trade_flows(4, record_of(result).events)

    @pytest.mark.parametrize("shuffle", [1, 2, 3])
    def test_is_the_same_to_the_byte_whatever_order_simultaneous_answers_come_in(self, shuffle: int) -> None:
        first, second = (Desk([lively(seat) for seat in range(5)], shuffle=order).play() for order in (0, shuffle))
        assert first.record == second.record

    def test_sends_news_that_are_what_each_seat_may_see(self) -> None:
        desk = Desk([lively(seat) for seat in range(3)])
        record = record_of(desk.play())
        for seat in range(3):
            news = [
                event for message in desk.heard[seat] for request in message.requests for event in request.bohnanza.news
            ]
            seen = [event.seen_by(seat) for event in record.events]
            assert list(map(wire.event_from_pb, news)) == seen[: len(news)]

    @pytest.mark.parametrize("seats", [3, 5, 7])
    def test_asks_all_who_hear_an_offer_at_once_so_that_idle_seats_cost_no_round_trip_each(self, seats: int) -> None:
        """However many decline, a round of trading takes two exchanges of messages: the offer, and all answers."""

        def calls(view: View, move: pb.Move) -> None:
            if getattr(view, "decision", None) is Decision.TRADE:
                move.call.to.extend(seat for seat in range(seats) if seat != view.seat)
            else:
                dull(view, move)

        desk = Desk([calls] * seats)
        record = record_of(desk.play("bohnanza-extended", max_rounds=2))
        rounds = sum(isinstance(event, Offered) for event in record.events)
        together = [asked for asked in desk.exchanges if len(asked) > 1]
        assert rounds > 20
        assert [len(asked) for asked in together] == [seats - 1] * rounds
        assert len(desk.exchanges) == len(record.moves) - rounds * (seats - 2)

    @pytest.mark.parametrize("ruleset", ["duel", "bohnanza"])
    def test_numbers_the_decisions_of_a_seat_one_by_one_so_that_they_do_not_tell_how_often_others_are_asked(
        self, ruleset: str
    ) -> None:
        """Who is asked which of several beans to give, or whether to fulfil a card just drawn, holds them."""
        desk = Desk([lively(seat) for seat in range(2 if ruleset == "duel" else 3)])
        result = desk.play(ruleset)
        for heard, asked in zip(desk.heard, column(result, "decisions"), strict=True):
            numbers = [request.decision for message in heard for request in message.requests]
            assert numbers == list(range(1, asked + 1))

    def test_is_forfeited_at_once_by_a_seat_that_thought_for_too_long(self) -> None:
        """Though it still has strikes. The limit was sent to it."""
        desk = Desk([dull] * 3, match_ms=5_000)

        def slow(view: View, move: pb.Move) -> None:
            desk.now += 0.9
            dull(view, move)
            desk.bots[1].look()

        desk.policies = [dull, slow, dull]
        result = desk.play()
        assert [(fault.seat, fault.kind, fault.forfeited) for fault in result.faults] == [(1, FaultKind.TIMEOUT, True)]
        assert [seat.forfeited for seat in result.seats] == [False, True, False]
        starts = [start for message in desk.heard[1] for start in message.starts]
        assert [start.match_ms for start in starts] == [5_000]

    def test_sends_no_news_to_bots_that_want_none(self) -> None:
        desk = Desk([dull] * 3, news=False)
        desk.play()
        assert not any(
            request.bohnanza.news for heard in desk.heard for message in heard for request in message.requests
        )

    def test_writes_events_for_the_record_alone_if_no_bot_wants_news(self, monkeypatch: pytest.MonkeyPatch) -> None:
        written: list[Event] = []

        def event_to_pb(event: Event) -> pb.Event:
            written.append(event)
            return encode(event)

        encode = wire.event_to_pb
        monkeypatch.setattr(wire, "event_to_pb", event_to_pb)
        result = Desk([dull] * 3, news=False).play()
        assert written == list(record_of(result).events)

    def test_ends_with_scores_and_places_for_every_bot(self) -> None:
        desk = Desk([dull] * 3)
        result = desk.play()
        for heard in desk.heard:
            ends = [end for message in heard for end in message.ends]
            assert [(tuple(end.scores), tuple(end.places)) for end in ends] == [
                (column(result, "score"), column(result, "place"))
            ]


class Hesitant:
    """A guest that takes back its moves, once each, where it may, and notes what it is asked then."""

    MOST = 20
    """Moves taken back; for each the match begins anew."""

    def __init__(self, seed: int) -> None:
        self.choose = lively(seed)
        self.desk = Desk([self, *(lively(seat) for seat in (1, 2))])
        self.before: View
        self.backs: list[tuple[View, View]] = []
        """Per move taken back, what was asked before it and what was asked again."""
        self._again = False
        self._went_on = False  # after a move that was taken back

    def __call__(self, view: View, move: pb.Move) -> None:
        if self._again:
            self.backs.append((self.before, view))
        elif self.desk.request.may_take_back and not self._went_on and len(self.backs) < self.MOST:
            assert nothing_new(view.news, 0)
            move.take_back = self._again = True
            return
        self._again, self._went_on = False, self._again
        self.before = view
        self.choose(view, move)


class TestTakingBack:
    @pytest.mark.parametrize("ruleset", ["bohnanza", "bohnanza-classic"])
    def test_a_match_with_moves_taken_back_is_recorded_as_if_they_were_never_made(self, ruleset: str) -> None:
        guest = Hesitant(5)
        record = record_of(guest.desk.play(ruleset, guest=True))
        assert len(guest.backs) > 10
        assert verify(record).problem == ""
        assert record.faults == ()

    def test_the_guest_is_asked_the_same_again(self) -> None:
        guest = Hesitant(6)
        guest.desk.play(guest=True)
        for before, again in guest.backs:
            assert replace(again, news=()) == replace(before, news=())  # type: ignore[call-arg]
            assert again.news == ()

    def test_bots_may_take_back_nothing(self) -> None:
        guest = Hesitant(7)
        guest.desk.play(guest=True)
        asked = [request for heard in guest.desk.heard[1:] for message in heard for request in message.requests]
        assert asked
        assert not any(request.may_take_back for request in asked)

    def test_a_move_cannot_be_taken_back_once_others_were_asked(self) -> None:
        def impatient(view: View, move: pb.Move) -> None:
            del view
            move.take_back = True

        desk = Desk([impatient, dull, dull], strikes=0)
        result = desk.play(guest=True)
        assert {fault.kind for fault in result.faults} == {FaultKind.MALFORMED}


class TestFaults:
    def test_an_illegal_action_is_reported_to_its_bot_and_the_default_action_played(self) -> None:
        desk = Desk([dull, illegal, dull])
        result = desk.play()
        record = record_of(result)
        first = result.faults[0]
        assert first.kind is FaultKind.ILLEGAL
        assert record.moves[first.move].by_default
        assert record.moves[first.move].seat == 1
        sent = [fault for message in desk.heard[1] for fault in message.faults]
        assert [fault.reason for fault in sent] == [fault.reason for fault in result.faults]
        assert verify(record).problem == ""

    def test_three_strikes_are_forgiven_and_the_fourth_forfeits(self) -> None:
        result = Desk([dull, illegal, dull]).play()
        assert [fault.forfeited for fault in result.faults] == [False, False, False, True]
        assert [seat.forfeited for seat in result.seats] == [False, True, False]
        assert result.seats[1].place == 3

    def test_a_seat_that_forfeited_is_asked_no_more(self) -> None:
        assert Desk([dull, illegal, dull]).play().seats[1].decisions == 4

    def test_a_bot_that_says_it_failed_has_a_strike(self) -> None:
        result = Desk([erring, dull, dull]).play()
        assert {fault.kind for fault in result.faults} == {FaultKind.ERROR}
        assert result.faults[0].reason == "KeyError: 'beans'"

    def test_of_two_seats_that_forfeit_the_later_is_placed_higher(self) -> None:
        def later(view: View, move: pb.Move) -> None:
            if getattr(view, "turn", 0) < 10:
                dull(view, move)
            else:
                illegal(view, move)

        result = Desk([illegal, dull, later]).play()
        assert [seat.place for seat in result.seats] == [3, 1, 2]

    def test_a_long_error_of_a_bot_is_stored_in_part(self) -> None:
        result = Desk([garrulous, dull, dull]).play()
        assert [len(fault.reason) for fault in result.faults] == [1003] * 4
        assert len(result.record) < 50_000

    def test_seats_that_forfeit_with_the_same_answer_share_the_last_place(self) -> None:
        def calls(view: View, move: pb.Move) -> None:
            if getattr(view, "decision", None) is Decision.TRADE:
                move.call.to.extend([1, 2])
            else:
                dull(view, move)

        def fails_to_answer(view: View, move: pb.Move) -> None:
            if getattr(view, "decision", None) is Decision.ANSWER:
                illegal(view, move)
            else:
                dull(view, move)

        result = Desk([calls, fails_to_answer, fails_to_answer]).play()
        assert [seat.place for seat in result.seats] == [1, 2, 2]
        assert verify(record_of(result)).problem == ""

    @pytest.mark.parametrize(
        ("failing_from_turn", "places"),
        [
            ({0: 2, 1: 2}, (2, 2, 1)),
            ({0: 3, 1: 2}, (2, 3, 1)),
            ({0: 1, 2: 3}, (3, 1, 2)),
            ({0: 1, 1: 1, 2: 1}, (1, 1, 1)),
        ],
    )
    def test_whatever_is_answered_at_once_the_referee_and_verify_agree_on_who_forfeits_together(
        self, monkeypatch: pytest.MonkeyPatch, failing_from_turn: Mapping[int, int], places: tuple[int, ...]
    ) -> None:
        """In a game where all plant at once: who fails in the same turn ties, who fails later is placed higher."""
        patched = replace(ruleset("bohnanza"), new=Together)
        monkeypatch.setitem(RULESETS, "bohnanza", patched)

        def failing(seat: int) -> Policy:
            first = failing_from_turn.get(seat, 99)
            return lambda view, move: (erring if view.turn >= first else dull)(view, move)

        result = Desk([failing(seat) for seat in range(3)], strikes=0).play()
        record = record_of(result)
        assert column(result, "place") == places
        assert verify(record).problem == ""

    def test_a_dead_process_forfeits_when_it_is_asked_next(self) -> None:
        desk = Desk([dull, dull, dull])
        desk.bots[2].fail(FaultKind.CRASH, "the process exited with 1")
        result = desk.play()
        assert [(fault.seat, fault.kind, fault.forfeited) for fault in result.faults] == [(2, FaultKind.CRASH, True)]
        assert result.seats[2].place == 3
        assert result.seats[2].decisions == 0

    def test_the_others_play_on_as_against_the_default_action(self) -> None:
        with_faults = record_of(Desk([dull, illegal, dull]).play())
        without = record_of(Desk([dull, dull, dull]).play())
        assert with_faults.events == without.events
