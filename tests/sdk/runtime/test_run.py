"""run(): real bot processes on a real stream, with a referee that follows a script."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from beanbot import Bot, run
from beanbot._runtime.runner import _Unused, advice
from beanbot.bohnanza import BohnanzaBot, BohnanzaView, Choice, Kind
from beanbot.duel import DuelBot
from beanleague import wire
from beanleague.games import new_game
from beanproto.v1 import referee_pb2 as pb
from tests.sdk.helpers import MockReferee, finish, moves_of, request, start, start_bot
from tests.waiting import until

DULL = """
    from beanbot import run
    from beanbot.bohnanza import BohnanzaBot

    run(BohnanzaBot)
"""


def play_a_game(said: Iterator[pb.BotMessage]) -> Iterator[pb.RefereeMessage]:
    """Play a whole match, the bot in every seat under another match number."""
    assert next(said).hello.sdk
    game = new_game("bohnanza", seats=3, seed=b"streamed")
    yield pb.RefereeMessage(starts=[start(game, seat, match=seat + 1) for seat in range(3)])
    decision = 0
    while not game.over:
        asked = game.to_act()
        decision += 1
        yield pb.RefereeMessage(requests=[request(game.view(seat), seat + 1, decision) for seat in asked])
        for move in moves_of(said, len(asked)):
            game.apply(move.match - 1, wire.action_from_pb(move))
    outcome = game.outcome
    assert outcome
    ends = [pb.MatchEnd(match=seat + 1, scores=outcome.scores, places=outcome.places) for seat in range(3)]
    yield pb.RefereeMessage(ends=ends)


def ask_once(said: Iterator[pb.BotMessage]) -> Iterator[pb.RefereeMessage]:
    next(said)
    game = new_game("bohnanza", seats=3, seed=b"once")
    yield pb.RefereeMessage(starts=[start(game, 0)], requests=[request(game.view(0))])
    moves_of(said, 1)


class Waiting:
    """A script that starts a match, and when asked to, a decision; then it waits, and the stream stays open."""

    def __init__(self, *, ask: bool) -> None:
        self.connected = threading.Event()
        self.leave = threading.Event()
        self._ask = ask

    def __call__(self, said: Iterator[pb.BotMessage]) -> Iterator[pb.RefereeMessage]:
        next(said)
        game = new_game("bohnanza", seats=3, seed=b"waiting")
        yield pb.RefereeMessage(starts=[start(game, 0)], requests=[request(game.view(0))] if self._ask else [])
        self.connected.set()
        self.leave.wait(60)


def test_a_bot_plays_until_the_stream_ends_and_leaves_quietly(tmp_path: Path) -> None:
    with MockReferee(tmp_path, play_a_game) as referee:
        assert finish(referee.start(DULL)) == (0, "", "")


def test_prints_of_a_bot_go_to_its_log(tmp_path: Path) -> None:
    code = """
        import sys
        from beanbot import run
        from beanbot.bohnanza import BohnanzaBot

        class Chatty(BohnanzaBot):
            def decide(self, view):
                print("my hand:", len(view.hand))
                sys.stdout.write("and so on")
                return super().decide(view)

        run(Chatty)
    """
    with MockReferee(tmp_path, ask_once) as referee:
        assert finish(referee.start(code)) == (0, "", "my hand: 5\nand so on")


def test_a_match_loads_no_games_but_those_of_its_family(tmp_path: Path) -> None:
    """Nor what reads their files and records: rules and cards are in the messages."""
    code = f"{DULL}    import sys\n    sys.stderr.write(' '.join(sys.modules))"
    with MockReferee(tmp_path, play_a_game) as referee:
        _, _, err = finish(referee.start(code))
    loaded = err.split()
    assert "beanleague.wire.bohnanza" in loaded
    assert not [
        name for name in loaded if {"two", "duel", "dice", "tomllib", "record", "text_format"} & set(name.split("."))
    ]


def test_python_does_not_search_all_objects_again_when_a_bot_ends(tmp_path: Path) -> None:
    code = f"{DULL}    import gc\n    print(len(gc.get_objects()), *gc.get_threshold())"
    with MockReferee(tmp_path, ask_once) as referee:
        code_, out, _ = finish(referee.start(code))
    assert code_ == 0
    objects, *threshold = map(int, out.split())
    assert objects < 1000
    usual = subprocess.run(
        [sys.executable, "-c", "import gc; print(*gc.get_threshold())"], capture_output=True, check=True
    )
    assert threshold == list(map(int, usual.stdout.split()))  # as it was before the library was loaded


def test_a_module_in_whose_place_a_bot_has_another_is_imported_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "colorsys", _Unused("colorsys"))
    import colorsys

    assert colorsys.rgb_to_hsv(0.0, 0.0, 1.0) == (2 / 3, 1.0, 1.0)
    assert not isinstance(sys.modules["colorsys"], _Unused)


def test_a_bot_reads_its_settings(tmp_path: Path) -> None:
    code = """
        from beanbot import run
        from beanbot.bohnanza import BohnanzaBot

        class Tuned(BohnanzaBot):
            def match_started(self):
                print(self.settings["depth"], self.settings["kinds"])

        run(Tuned)
    """
    (tmp_path / "bot.toml").write_text('[settings]\ndepth = 3\nkinds = ["red"]\n')
    with MockReferee(tmp_path, ask_once) as referee:
        assert finish(referee.start(code)) == (0, "", "3 ('red',)\n")


def test_an_exception_is_logged_and_the_process_goes_on(tmp_path: Path) -> None:
    code = """
        from beanbot import run
        from beanbot.bohnanza import BohnanzaBot

        class Unlucky(BohnanzaBot):
            def plant_first(self, view):
                return 13 / 0

        run(Unlucky)
    """

    def script(said: Iterator[pb.BotMessage]) -> Iterator[pb.RefereeMessage]:
        next(said)
        game = new_game("bohnanza", seats=3, seed=b"unlucky")
        yield pb.RefereeMessage(starts=[start(game, 0)])
        for decision in (1, 2):
            yield pb.RefereeMessage(requests=[request(game.view(0), decision=decision)])
            errors.extend(move.error for move in moves_of(said, 1))

    errors: list[str] = []
    with MockReferee(tmp_path, script) as referee:
        code_, out, err = finish(referee.start(code))
    assert (code_, out) == (0, "")
    assert errors == ["ZeroDivisionError: division by zero (mybot.py, line 7, in plant_first)"] * 2
    assert err.count("return 13 / 0") == 1


def test_a_slow_decision_does_not_hold_back_the_answer_before_it(tmp_path: Path) -> None:
    # The second decision waits for a file that is made when the answer to the first one is there.
    code = f"""
        import time
        from pathlib import Path
        from beanbot import run
        from beanbot.bohnanza import BohnanzaBot

        class Slow(BohnanzaBot):
            def decide(self, view):
                for _ in range(3000 if self.seat else 0):
                    if Path({str(tmp_path / "answered")!r}).exists():
                        break
                    time.sleep(0.01)
                return super().decide(view)

        run(Slow)
    """

    def script(said: Iterator[pb.BotMessage]) -> Iterator[pb.RefereeMessage]:
        next(said)
        game = new_game("bohnanza", seats=3, seed=b"slow")
        yield pb.RefereeMessage(
            starts=[start(game, 0, match=1), start(game, 1, match=2)],
            requests=[request(game.view(0), match=1), request(game.view(0), match=2)],
        )
        batches.append([move.match for move in next(said).moves])
        (tmp_path / "answered").touch()
        batches.append([move.match for move in next(said).moves])

    batches: list[list[int]] = []
    with MockReferee(tmp_path, script) as referee:
        assert finish(referee.start(code), 60)[0] == 0
    assert batches == [[1], [2]]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_waiting_bot_quietly(tmp_path: Path, number: signal.Signals) -> None:
    script = Waiting(ask=False)
    with MockReferee(tmp_path, script) as referee:
        process = referee.start(DULL)
        assert script.connected.wait(60)
        process.send_signal(number)
        assert finish(process) == (0, "", "")
        script.leave.set()


@pytest.mark.parametrize("think", ["self.wait()", "exec('self.wait()')", "Heavy().wait = self.wait; self.wait()"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_thinking_bot_quietly(tmp_path: Path, number: signal.Signals, think: str) -> None:
    code = f"""
        import time
        from pathlib import Path
        from beanbot import run
        from beanbot.bohnanza import BohnanzaBot

        class Heavy:
            def __del__(self):
                self.wait()  # what is raised here is ignored

        class Thinker(BohnanzaBot):
            def decide(self, view):
                {think}

            def wait(self):
                Path({str(tmp_path / "thinking")!r}).touch()
                while True:
                    time.sleep(0.05)  # a signal that comes just before a sleep does not end it

        run(Thinker)
    """
    script = Waiting(ask=True)
    with MockReferee(tmp_path, script) as referee:
        process = referee.start(code)
        until(lambda: (tmp_path / "thinking").exists() or process.poll() is not None)
        process.send_signal(number)
        assert finish(process) == (0, "", "")
        script.leave.set()


def test_a_bot_leaves_quietly_when_the_referee_vanishes(tmp_path: Path) -> None:
    script = Waiting(ask=False)
    with MockReferee(tmp_path, script) as referee:
        process = referee.start(DULL)
        assert script.connected.wait(60)
        referee.server.stop(0)
        assert finish(process) == (0, "", "")
        script.leave.set()


def test_a_bot_that_finds_no_referee_says_so(tmp_path: Path) -> None:
    target = f"unix:{tmp_path / 'nobody'}"
    process = start_bot(tmp_path, DULL, BEANLEAGUE_SOCKET=target)
    assert finish(process) == (1, "", f"no referee answers at {target} (BEANLEAGUE_SOCKET)\n")


def test_a_bot_started_by_hand_says_how_to_practise_and_submit(tmp_path: Path) -> None:
    code, out, err = finish(start_bot(tmp_path, DULL))
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 3
    assert "beanbot practice mybot.py" in err
    assert "beanleague bot submit" in err


@pytest.mark.parametrize("classes", [(), (3,), (object(),), (int,)])
def test_run_takes_bot_classes_only(classes: tuple[object, ...]) -> None:
    with pytest.raises(TypeError, match=r"run\(MyBot\)"):
        run(*classes)  # type: ignore[arg-type]


def test_a_method_that_is_nearly_a_decision_is_doubted() -> None:
    class Mine(BohnanzaBot):
        def plant_secnd(self, view: BohnanzaView) -> Choice:
            return view.default()

        def Answer(self, view: BohnanzaView) -> Choice:  # noqa: N802  # a mistake
            return view.default()

    assert list(advice([Mine])) == [
        "Mine.plant_secnd is never called by a game; is plant_second meant?",
        "Mine.Answer is never called by a game; is answer meant?",
    ]


def test_helpers_and_decisions_are_not_doubted() -> None:
    class Mine(BohnanzaBot):
        def answer(self, view: BohnanzaView) -> Choice:
            return view.default()

        def growing(self, view: BohnanzaView) -> list[Kind]:
            return [field.kind for field in view.own_fields if field.kind]

        def _plant_secnd(self) -> None: ...

    assert list(advice([Mine, BohnanzaBot, DuelBot, Bot])) == []


def test_a_method_that_the_bot_calls_itself_is_not_doubted() -> None:
    class Mine(BohnanzaBot):
        def answer(self, view: BohnanzaView) -> Choice:
            return max((choice for choice in self.answers(view)), key=str)

        def answers(self, view: BohnanzaView) -> list[Choice]:
            return [view.default()]

    assert list(advice([Mine])) == []


def test_only_methods_of_its_own_family_are_meant() -> None:
    class Mine(DuelBot):
        def trade_(self) -> None: ...

    assert list(advice([Mine])) == []
