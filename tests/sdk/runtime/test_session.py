"""The protocol from a bot's side, with no gRPC and no process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from beanbot import Action, Bot, View, bohnanza
from beanbot._runtime import session
from beanbot.duel import DuelBot
from beanleague import wire
from beanleague.games import new_game
from beanleague.games.core.game import MAX_ACTIONS
from beanproto.v1 import referee_pb2 as pb
from tests.sdk.helpers import Dull, Talk, play_dull, program, request, start


class Watching(Dull):
    """Keeps what it sees, for the test to look at."""

    seen: list[View]
    ends: list[tuple[tuple[int, ...], tuple[int, ...]]]
    made: list[Watching]

    def __init__(self) -> None:
        self.made.append(self)

    def decide(self, view: View) -> Action:
        self.seen.append(view)
        return view.default()

    def match_over(self, scores: tuple[int, ...], places: tuple[int, ...]) -> None:
        self.ends.append((scores, places))


@pytest.fixture
def watching() -> type[Watching]:
    return type("W", (Watching,), {"seen": [], "ends": [], "made": []})


def test_hello_asks_for_what_any_class_wants() -> None:
    class Quiet(Dull):
        news = False

    class Harvester(Quiet):
        interludes = True

    def hello(*classes: type[Bot[Any]]) -> pb.Hello:
        return Talk(*classes).session.hello().hello

    assert (hello(Dull).interludes, hello(Dull).news) == (False, True)
    assert (hello(Quiet).interludes, hello(Quiet).news) == (False, False)
    assert (hello(Quiet, Harvester).interludes, hello(Quiet, Dull).news) == (True, True)
    assert hello(Dull).sdk.startswith("beanbot ")
    assert hello(Dull).protocol == wire.PROTOCOL


def test_looking_at_what_cannot_be_read_is_an_error_of_the_decision_alone() -> None:
    talk = Talk(Dull)
    broken = request(talk.game.view(0))
    broken.bohnanza.hand = b"\x63"
    (move,) = talk.send(pb.RefereeMessage(requests=[broken]))
    assert move.error.startswith("WireError: 99 is not the number of a kind")
    assert talk.answer().WhichOneof("action") == "plant"


def test_hello_says_that_it_never_trades_if_no_class_that_plays_a_game_with_trading_does() -> None:
    class Hermit(bohnanza.BohnanzaBot):
        trades = False

    def never(*classes: type[Bot[Any]]) -> bool:
        return Talk(*classes).session.hello().hello.no_trades

    assert not never(bohnanza.BohnanzaBot)
    assert not never(Dull)
    assert never(Hermit)
    assert never(Hermit, DuelBot)
    assert not never(type("Some", (Hermit,), {"games": ("bohnanza",)}), bohnanza.BohnanzaBot)


def test_a_bot_sees_the_very_view_of_the_game_in_every_decision(watching: type[Watching]) -> None:
    game = new_game("bohnanza", seats=3, seed=b"views")
    talk = Talk(watching, game=game, seat=1)
    expected = []
    while not game.over:
        for seat in game.to_act():
            view = game.view(seat)
            if seat == 1:
                expected.append(view)
                move = talk.answer(len(expected))
                assert wire.action_from_pb(move) == view.default()
            game.apply(seat, view.legal()[0])
    assert watching.seen == expected
    assert any(view.news for view in expected)


def test_the_bot_knows_its_match_before_it_starts() -> None:
    class Knowing(Dull):
        def match_started(self) -> None:
            received.append((self.ruleset, self.seat, self.seats, self.names, self.random.random()))

    received: list[tuple[object, ...]] = []
    game = new_game("bohnanza", seats=3, seed=b"known")
    for match in (1, 2):
        names = ("ann", "bob", "cid")
        Talk(Knowing, game=game).send(pb.RefereeMessage(starts=[start(game, 2, match + 1, names)]))
    assert received[1][:4] == ("bohnanza", 2, 3, ("ann", "bob", "cid"))
    assert received[1] == received[3], "the same luck gives the same random choices"


def test_matches_at_once_have_bots_of_their_own(watching: type[Watching]) -> None:
    talk = Talk(watching)
    other = new_game("bohnanza", seats=5, seed=b"other")
    moves = talk.send(
        pb.RefereeMessage(
            starts=[start(other, 0, match=7)],
            requests=[
                request(other.view(0), match=7, decision=3),
                request(talk.game.view(0), match=1, decision=5),
            ],
        )
    )
    assert [(move.match, move.decision) for move in moves] == [(7, 3), (1, 5)]
    assert len(watching.made) == 2
    assert watching.made[0] is not watching.made[1]
    assert [bot.seats for bot in watching.made] == [4, 5]


def test_a_message_is_read_in_the_order_of_its_fields(watching: type[Watching]) -> None:
    talk = Talk(watching)
    other = new_game("bohnanza", seats=3, seed=b"other")
    end = pb.MatchEnd(match=2, scores=[3, 2, -1], places=[1, 2, 3])
    message = pb.RefereeMessage(
        starts=[start(other, 0, match=2)], requests=[request(other.view(0), match=2)], ends=[end]
    )
    (move,) = talk.send(message)
    assert not move.error
    assert watching.ends == [((3, 2, -1), (1, 2, 3))]


def test_a_move_is_yielded_before_the_next_decision_is_made(watching: type[Watching]) -> None:
    talk = Talk(watching)
    asked = request(talk.game.view(0))
    moves = talk.session.receive(pb.RefereeMessage(requests=[asked, asked]))
    next(moves)
    assert len(watching.seen) == 1


def test_an_exception_is_sent_as_a_line_and_logged_with_the_decision_and_the_traceback() -> None:
    class Broken(bohnanza.BohnanzaBot):
        def plant_first(self, view: bohnanza.BohnanzaView) -> Action:
            raise ValueError("no\n idea")

    talk = Talk(Broken)
    move = talk.answer(decision=12)
    assert move.error.startswith("ValueError: no idea (test_session.py, line ")
    assert move.error.endswith(", in plant_first)")
    assert move.WhichOneof("action") is None
    (logged,) = talk.logged
    title, trace, *frames = logged.splitlines()
    assert title == "bohnanza, seat 0 of 4, turn 1, PLANT_FIRST:"
    assert trace.startswith("Traceback")
    assert 'raise ValueError("no\\n idea")' in logged
    assert __file__ in frames[0], "the traceback begins with the author's own code"


def test_a_failed_decision_does_not_spoil_the_next() -> None:
    class Stumbling(Dull):
        def decide(self, view: View) -> Action:
            times.append(1)
            if len(times) == 1:
                raise IndexError("no plan")
            return view.default()

    times: list[int] = []
    talk = Talk(Stumbling)
    assert talk.answer(1).error.startswith("IndexError: no plan (")
    assert wire.action_from_pb(talk.answer(2)) == talk.game.default(0)


def deciding(choice: object) -> type[Bot[Any]]:
    """Return a bot that always decides for `choice`."""
    return type("Wrong", (Dull,), {"decide": lambda *_: choice})


@pytest.mark.parametrize("sort", [list, tuple])
def test_a_list_goes_out_as_one_move(sort: Callable[[Iterable[Action]], Sequence[Action]]) -> None:
    move = Talk(deciding(sort([bohnanza.Plant(1), bohnanza.Harvest(2), bohnanza.Pass()]))).answer(7)
    assert (move.match, move.decision, wire.action_from_pb(move)) == (1, 7, bohnanza.Plant(1))
    assert [wire.action_from_pb(then) for then in move.then] == [bohnanza.Harvest(2), bohnanza.Pass()]
    assert [(then.match, then.decision) for then in move.then] == [(0, 0), (0, 0)]


def test_of_a_long_list_as_much_goes_out_as_may() -> None:
    assert len(Talk(deciding([bohnanza.Plant(0)] * 40)).answer().then) == MAX_ACTIONS - 1


@pytest.mark.parametrize(
    ("choice", "why"),
    [
        ([], "[], which has no action"),
        ([bohnanza.Stop(), None], "[Stop(), None], in which None is not an action"),
        ([bohnanza.Stop(), [bohnanza.Stop()]], "[Stop(), [Stop()]], in which [Stop()] is not an action"),
    ],
)
def test_a_list_without_actions_or_with_something_else_is_an_error(choice: object, why: str) -> None:
    assert Talk(deciding(choice)).answer().error == f"TypeError: Wrong returned {why}"


def test_a_list_that_is_too_large_to_send_is_an_error() -> None:
    offers = [bohnanza.Offer((1,), wants=("red",) * 300)] * 20
    assert Talk(deciding(offers)).answer().error.startswith("a list of 20 actions of ")


def test_the_same_traceback_is_logged_once() -> None:
    class Broken(Dull):
        def decide(self, view: View) -> Action:
            raise ValueError("no idea")

    talk = Talk(Broken)
    for decision in (1, 2):
        talk.answer(decision)
    first, second = talk.logged
    assert "Traceback" in first
    assert second.startswith("bohnanza, seat 0 of 4, turn 1, PLANT_FIRST: ValueError: no idea (")
    assert "\n" not in second


def test_an_error_in_a_module_of_the_bot_is_placed_there_and_one_of_a_library_where_it_was_called() -> None:
    class Broken(Dull):
        def decide(self, view: View) -> Action:
            return json.loads("?")  # type: ignore[no-any-return]

    error = Talk(Broken).answer().error
    assert error.startswith("JSONDecodeError: ")
    assert error.endswith("in decide)")
    assert "(test_session.py, line " in error


def test_sys_exit_in_a_decision_is_an_error_and_the_process_goes_on() -> None:
    class Leaver(Dull):
        def decide(self, view: View) -> Action:
            sys.exit(3)

    assert Talk(Leaver).answer().error.startswith("SystemExit: a bot must not call sys.exit")


def test_a_missing_return_is_guessed() -> None:
    assert Talk(deciding(None)).answer().error.endswith("returned None, which is not an action; is a return missing?")


@pytest.mark.parametrize("answer", [3, "plant", bohnanza.Stop, {"Plant": 0}])
def test_a_decision_that_is_no_action_is_an_error(answer: object) -> None:
    talk = Talk(deciding(answer))
    assert talk.answer().error == f"TypeError: Wrong returned {answer!r}, which is not an action"
    assert "PLANT_FIRST" in talk.logged[0]


@pytest.mark.parametrize(
    "action",
    [
        bohnanza.Accept(5),  # type: ignore[arg-type]
        bohnanza.Call(("1",)),  # type: ignore[arg-type]
        bohnanza.Offer((1,), wants=("cactus",)),  # type: ignore[arg-type]
        bohnanza.Offer((-1,)),
        bohnanza.Offer((1,), hand=tuple(range(10_000))),
        type("Mine", (bohnanza.Decline,), {})(),
    ],
)
def test_an_action_that_cannot_be_sent_is_an_error(action: Action) -> None:
    talk = Talk(type("Odd", (Dull,), {"decide": lambda *_: action}))
    move = talk.answer()
    assert move.WhichOneof("action") is None
    assert 0 < len(move.error) <= 300
    assert "\n" not in move.error
    assert len(talk.logged) == 1


def test_an_error_whose_text_cannot_be_made_is_sent_by_its_type() -> None:
    class OddError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    class Odd(Dull):
        def decide(self, view: View) -> Action:
            raise OddError

    assert Talk(Odd).answer().error.startswith("OddError (")


def test_a_long_error_is_cut() -> None:
    class Wordy(Dull):
        def decide(self, view: View) -> Action:
            raise ValueError("x" * 100_000)

    assert len(Talk(Wordy).answer().error) == 300


def test_a_bot_that_cannot_be_made_answers_with_the_reason() -> None:
    class NeedsMore(Dull):
        def __init__(self, depth: int) -> None:
            self.depth = depth

    class FailsToStart(Dull):
        def match_started(self) -> None:
            raise KeyError("book")

    assert "depth" in Talk(NeedsMore).answer().error
    talk = Talk(FailsToStart)
    assert talk.answer().error.startswith("KeyError: 'book' (")
    assert "before the match" in talk.logged[0]
    talk.send(pb.RefereeMessage(ends=[pb.MatchEnd(match=1)]))
    assert len(talk.logged) == 1


def test_a_failing_hook_at_the_end_is_logged_only() -> None:
    class Sore(Dull):
        def match_over(self, scores: tuple[int, ...], places: tuple[int, ...]) -> None:
            raise RuntimeError("lost")

    talk = Talk(Sore)
    assert not talk.send(pb.RefereeMessage(ends=[pb.MatchEnd(match=1, scores=[1], places=[2])]))
    assert "after the match" in talk.logged[0]
    assert "RuntimeError: lost" in talk.logged[0]


@pytest.mark.parametrize("faults", [True, False])
def test_faults_are_logged_with_their_reason_where_the_referee_does_not(faults: bool) -> None:
    talk = Talk(Dull, faults=faults)
    strike = pb.Fault(match=1, decision=4, kind=pb.FAULT_KIND_TIMEOUT, reason="no answer within 1.0 s")
    last = pb.Fault(match=1, decision=5, kind=pb.FAULT_KIND_ILLEGAL, reason="no such field", forfeited=True)
    listed = pb.Fault(match=1, decision=6, kind=pb.FAULT_KIND_ILLEGAL, reason="no such card", step=2)
    talk.send(pb.RefereeMessage(faults=[strike, last, listed]))
    logged = [
        "bohnanza, seat 0 of 4: timeout: no answer within 1.0 s",
        "bohnanza, seat 0 of 4: illegal: no such field; the match is forfeited",
        "bohnanza, seat 0 of 4, action 3 of the list: illegal: no such card",
    ]
    assert talk.logged == (logged if faults else [])


def test_each_ruleset_is_played_by_the_class_that_names_it() -> None:
    class Any1(Dull):
        pass

    class Cards(Dull):
        games = ("bohnanza",)

    class Dice(Dull):
        games = ("dice", "dice-2012")

    assert program(Any1, Dice, Cards).class_for("bohnanza") is Cards
    assert program(Any1, Dice).class_for("bohnanza") is Any1
    assert program(Dice).class_for("bohnanza") is None
    assert Talk(Dice).answer().error == "no class given to run() plays bohnanza"


def test_a_match_by_rules_not_known_is_not_played_and_harms_no_other() -> None:
    talk = Talk(Dull)
    talk.send(pb.RefereeMessage(starts=[pb.MatchStart(match=2, ruleset="poker", seats=2)]))
    (move,) = talk.send(pb.RefereeMessage(requests=[pb.Request(match=2, decision=1)]))
    assert "rules" in move.error
    assert "poker, seat 0 of 2, before the match" in talk.logged[0]
    assert not talk.answer().error


def test_a_request_for_a_match_that_never_started_is_an_error() -> None:
    talk = Talk(Dull)
    message = pb.RefereeMessage(requests=[request(talk.game.view(0), match=9, decision=2)])
    (move,) = talk.send(message)
    assert (move.match, move.decision, move.error) == (9, 2, "match 9 never started")


def test_a_match_is_forgotten_when_it_ends() -> None:
    talk = Talk(Dull)
    talk.send(pb.RefereeMessage(ends=[pb.MatchEnd(match=1)]))
    assert talk.answer().error == "match 1 never started"


def test_a_view_of_a_game_not_known_yet_is_an_error() -> None:
    talk = Talk(Dull)
    (move,) = talk.send(pb.RefereeMessage(requests=[pb.Request(match=1, decision=8)]))
    assert move.error.startswith("the view cannot be read: ")
    assert len(talk.logged) == 1


def test_answers_to_an_offer_go_out_like_any_other() -> None:
    class Caller(bohnanza.BohnanzaBot):
        def trade(self, view: bohnanza.BohnanzaView) -> Action:
            return bohnanza.Call((1, 2))

    game = play_dull(new_game("bohnanza", seats=3, seed=b"call"), until=[bohnanza.Decision.TRADE])
    assert wire.action_from_pb(Talk(Caller, game=game).answer()) == bohnanza.Call((1, 2))


def test_a_decision_that_lasts_is_reported_once_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    reports: list[str] = []

    class Slow(Dull):
        def decide(self, view: View) -> Action:
            frame = sys._getframe()  # as a signal's handler gets it
            reports.extend([talk.session.stuck(frame), talk.session.stuck(frame)])
            return view.default()

    talk = Talk(Slow)
    talk.answer()
    assert reports == ["", ""]
    monkeypatch.setattr(session, "STUCK_S", 0)
    talk.answer()
    first, second = reports[2:]
    assert first.startswith("bohnanza, seat 0 of 4, turn 1, PLANT_FIRST: no answer for 0 s (test_session.py, line")
    assert ", in decide)\n" in first
    assert second == ""
