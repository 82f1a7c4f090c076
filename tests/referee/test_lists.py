"""Matches with bots that answer with lists of actions, and with bots that never trade."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from zlib import crc32

import pytest

from beanleague import wire
from beanleague.games import Action, Game, View, rulesets, verify
from beanleague.games.bohnanza import Answered, Call, Decision, Decline, Stop
from beanleague.games.core import Harvest, Pass, Plant
from beanleague.games.core.game import MAX_ACTIONS
from beanleague.model import FaultKind, PlayedMatch
from beanproto.v1 import referee_pb2 as pb
from tests.games.hidden import rearranged
from tests.matches import column
from tests.referee.helpers import Desk, Policy, dull, lively, record_of

ILLEGAL = Harvest(99)
SEATS = {rules.id: min(3, rules.most_seats) for rules in rulesets()}
FAMILIES_WITH_LISTS = ("bohnanza", "duel")
"""How the ids begin of the rulesets in which much can be decided at once."""


def say(move: pb.Move, actions: Sequence[Action]) -> None:
    """Answer with `actions`."""
    wire.action_to_pb(actions[0], move)
    for action in actions[1:]:
        wire.action_to_pb(action, move.then.add())


def chosen(view: Any) -> Action:
    """Return a legal action that follows from all that the seat may know now."""
    legal: tuple[Action, ...] = view.legal()
    return legal[crc32(repr(replace(view, news=(), rules=None)).encode()) % len(legal)]


def guessed(game: Game, seat: int, most: int = 6) -> list[Action]:
    """Return what `seat` chooses, then what it would if all that is hidden were otherwise; at last, an illegal action.

    So the list is right as long as nothing hidden shows, and likely to be wrong after that. What a pick brings is
    known. Only at every third moment, for it takes long.
    """
    view: Any = game.view(seat)
    actions = [chosen(view)]
    if game.moment % 3:
        return actions
    guess = game.copy() if view.decision is Decision.PICK else rearranged(game, seat, len(game.events))
    guess.apply(seat, actions[0])
    while seat in guess.to_act() and len(actions) < most:
        actions.append(chosen(guess.view(seat)))
        guess.apply(seat, actions[-1])
    return actions if len(actions) == most else [*actions, ILLEGAL]


def match(ruleset: str, actions: Callable[[Game, int], Sequence[Action]]) -> PlayedMatch:
    """Play a match in which each seat answers with `actions` of the game and its seat."""
    desk = Desk([dull] * SEATS[ruleset], interludes=True)

    def answer(view: View, move: pb.Move) -> None:
        say(move, actions(desk.game, view.seat))

    desk.policies = [answer] * SEATS[ruleset]
    return desk.play(ruleset, max_rounds=1) if ruleset in TRADING else desk.play(ruleset)


TRADING = ("bohnanza", "bohnanza-extended", "bohnanza-classic")


class TestAList:
    @pytest.mark.parametrize("ruleset", SEATS)
    def test_gives_the_record_of_the_same_actions_one_by_one(self, ruleset: str) -> None:
        """To the byte, in every ruleset: it goes no further than the seat, asked again, would do the same."""
        lists = match(ruleset, guessed)
        singles = match(ruleset, lambda game, seat: [chosen(game.view(seat))])
        assert lists.record == singles.record
        assert lists.faults == ()
        assert verify(record_of(lists)).problem == ""
        assert sum(column(singles, "decisions")) == len(record_of(singles).moves)
        if ruleset.startswith(FAMILIES_WITH_LISTS):
            assert sum(column(lists, "decisions")) < 0.98 * sum(column(singles, "decisions"))


class TestTheDefaultAction:
    @pytest.mark.parametrize("ruleset", SEATS)
    def test_need_not_be_known_to_the_bot_and_gives_the_record_of_what_was_played(self, ruleset: str) -> None:
        """To the byte, and without a fault: no bot has to know more of a game than it wants to decide."""
        plain = Desk([dull] * SEATS[ruleset], interludes=True).play(ruleset)
        asked = Desk([defaulting] * SEATS[ruleset], interludes=True).play(ruleset)
        assert asked.record == plain.record
        assert asked.faults == ()

    def test_may_follow_an_action_and_another_default_action(self) -> None:
        def twice(view: View, move: pb.Move) -> None:
            defaulting(view, move)
            defaulting(view, move.then.add())

        plain, lists = Desk([dull] * 3).play(), Desk([twice] * 3).play()
        assert lists.record == plain.record
        assert sum(column(lists, "decisions")) < sum(column(plain, "decisions"))


def defaulting(view: View, move: pb.Move) -> None:
    """Leave the decision to the referee."""
    del view
    move.default_action.SetInParent()


def first_turn(*actions: Action, otherwise: Policy = dull) -> Policy:
    """Answer the first question of the match with `actions`, all others as `otherwise` does."""

    def choose(view: View, move: pb.Move) -> None:
        if view.turn == 1 and view.decision == Decision.PLANT_FIRST:
            say(move, actions)
        else:
            otherwise(view, move)

    return choose


class TestAnActionOfAList:
    def test_an_illegal_action_counts_as_alone_and_the_rest_is_dropped(self) -> None:
        """The record is that of the bot that was asked for it: a fault, the default action, a strike."""

        def singly(view: View, move: pb.Move) -> None:
            if view.turn == 1 and view.decision == Decision.PLANT_SECOND:
                wire.action_to_pb(ILLEGAL, move)
            else:
                dull(view, move)

        desk = Desk([first_turn(Plant(0), ILLEGAL, Pass()), dull, dull])
        result = desk.play()
        alone = Desk([first_turn(Plant(0), otherwise=singly), dull, dull]).play()
        assert [(fault.move, fault.kind, fault.forfeited) for fault in result.faults] == [(1, FaultKind.ILLEGAL, False)]
        assert result.record == alone.record
        faults = [fault for message in desk.heard[0] for fault in message.faults]
        assert [(fault.decision, fault.step) for fault in faults] == [(1, 1)]

    def test_a_move_without_an_action_counts_only_when_its_turn_comes(self) -> None:
        def empty(*before: Action) -> Policy:
            def choose(view: View, move: pb.Move) -> None:
                if view.turn == 1 and view.decision == Decision.PLANT_FIRST:
                    say(move, before)
                    move.then.add()
                else:
                    dull(view, move)

            return choose

        reached = Desk([empty(Plant(0)), dull, dull]).play()
        assert [(fault.move, fault.kind) for fault in reached.faults] == [(1, FaultKind.MALFORMED)]
        assert Desk([empty(Plant(0), Pass()), dull, dull]).play().faults == ()

    def test_forfeits_when_no_strike_is_left(self) -> None:
        result = Desk([first_turn(Plant(0), ILLEGAL, Pass()), dull, dull], strikes=0).play()
        assert [seat.forfeited for seat in result.seats] == [True, False, False]
        assert result.seats[0].decisions == 1
        assert verify(record_of(result)).problem == ""

    def test_has_its_time_in_that_of_the_first(self) -> None:
        desk = Desk([dull] * 3)

        def slow(view: View, move: pb.Move) -> None:
            desk.now += 0.7
            first_turn(Plant(0), ILLEGAL)(view, move)

        desk.policies = [slow, dull, dull]
        assert record_of(desk.play()).ms[:2] == (700, 0)


class TestTheRestOfAList:
    def test_is_dropped_without_a_fault_when_something_is_revealed(self) -> None:
        desk = Desk([first_turn(Plant(0), Pass(), Stop(), ILLEGAL), dull, dull])
        assert desk.play().faults == ()

    def test_and_what_was_played_of_it_is_in_the_next_news_of_the_seat(self) -> None:
        """And its requests are numbered one by one, as they come."""
        desk = Desk([first_turn(Plant(0), Pass(), ILLEGAL), dull, dull])
        record = record_of(desk.play())
        requests = [request for message in desk.heard[0] for request in message.requests]
        news = [wire.event_from_pb(event) for request in requests for event in request.bohnanza.news]
        assert news == [event.seen_by(0) for event in record.events][: len(news)]
        assert requests[1].bohnanza.decision == pb.DECISION_TRADE
        assert [request.decision for request in requests] == list(range(1, len(requests) + 1))

    def test_is_dropped_in_answers_to_an_offer(self) -> None:
        def calling(view: View, move: pb.Move) -> None:
            say(move, [Call((1, 2))] if view.decision == Decision.TRADE else [view.default()])

        def answering(view: View, move: pb.Move) -> None:
            say(move, [view.default(), ILLEGAL] if view.decision == Decision.ANSWER else [view.default()])

        policies = [calling, answering, answering]
        result = Desk(policies, shuffle=1).play(max_rounds=1)
        assert result.faults == ()
        assert result.record == Desk([calling, dull, dull]).play(max_rounds=1).record


def test_a_list_that_is_too_long_is_malformed_as_a_whole() -> None:
    full = [Plant(0), Pass(), *[ILLEGAL] * (MAX_ACTIONS - 2)]
    assert Desk([first_turn(*full), dull, dull]).play().faults == ()
    (fault,) = Desk([first_turn(*full, ILLEGAL), dull, dull]).play().faults
    assert (fault.move, fault.kind) == (0, FaultKind.MALFORMED)
    assert fault.reason == "a list of 33 actions; there may be at most 32"


class TestABotThatNeverTrades:
    def stubborn(self, seed: int) -> Policy:
        """Choose by chance, but stop and decline."""
        choose = lively(seed)

        def answer(view: View, move: pb.Move) -> None:
            (dull if view.decision in {Decision.TRADE, Decision.ANSWER} else choose)(view, move)

        return answer

    def test_is_recorded_and_shown_to_others_as_one_that_stops_and_declines(self) -> None:
        """Nobody else can tell: the record is the same, and so is every message to the others."""

        def desk(no_trades: tuple[int, ...]) -> Desk:
            return Desk([lively(0), self.stubborn(1), lively(2), self.stubborn(3)], no_trades=no_trades)

        silent, asked = desk((1, 3)), desk(())
        result = silent.play()
        assert result.record == asked.play().record
        for seat in (0, 2):
            assert [message for message in silent.heard[seat] if message.ByteSize()] == [
                message for message in asked.heard[seat] if message.ByteSize()
            ]
        moves = [move for move in record_of(result).moves if move.seat in {1, 3}]
        assert {Stop, Decline} <= {type(move.action) for move in moves if not move.by_default}
        assert any(isinstance(event, Answered) and event.seat == 1 for event in record_of(result).events)

    def test_is_not_asked_and_hears_of_the_offers_in_its_next_news(self) -> None:
        desk = Desk([lively(0), dull, lively(2)], no_trades=[1])
        result = desk.play()
        requests = [request.bohnanza for message in desk.heard[1] for request in message.requests]
        assert {request.decision for request in requests}.isdisjoint({Decision.TRADE, Decision.ANSWER})
        assert result.seats[1].decisions == len(requests)
        news = [wire.event_from_pb(event) for request in requests for event in request.news]
        assert news == [event.seen_by(1) for event in record_of(result).events][: len(news)]
        assert any(isinstance(event, Answered) and event.seat == 1 for event in news)

    def test_a_crashed_bot_without_trades_forfeits_when_it_would_have_answered(self) -> None:
        desk = Desk([lively(0), dull, lively(2)], no_trades=[1])
        desk.bots[1].fail(FaultKind.CRASH, "the process exited with 1")
        result = desk.play()
        assert [seat.forfeited for seat in result.seats] == [False, True, False]
        first = next(i for i, move in enumerate(record_of(result).moves) if move.seat == 1)
        assert result.faults[0].move == first

    def test_plays_against_its_like_with_hardly_any_request(self) -> None:
        result = Desk([dull] * 3, no_trades=range(3)).play()
        assert result.record == Desk([dull] * 3).play().record
