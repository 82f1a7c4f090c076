"""Leagues with something of everything, played by a referee that keeps true records."""

from functools import partial
from pathlib import Path

from beanleague.league.create import join, lift_suspension
from beanleague.model import FaultKind
from beanleague.referee.messages import MatchTask
from beanleague.store import Store
from tests.league.fakepool import Fails, FakePools, play
from tests.league.helpers import league_run, slow_clock, store_with_league, submit_late

GAME = "dice"


def eventful_league(file: Path) -> None:
    """Make a league of 5 entrants, of whom one was suspended and returned, and one is retired.

    Of its deals one was void, and the last ones are scheduled but not played.
    """
    with store_with_league(file, game=GAME, bots=4, seats=2, deals=10) as store:
        with store.database.write() as connection:  # bots of one owner do not meet
            connection.exec_driver_sql("UPDATE bot SET owner = 'ann' WHERE name IN ('bot0', 'bot2')")
        voided = [True]

        def void_once(task: MatchTask) -> str:
            return "the power failed" if task.id == 3 and voided and voided.pop() else ""

        league_run(store, FakePools(partial(play, fails=_fails(crash=3)), void=void_once), in_flight=1).play()
        assert store.leagues.entrants(1)[3].suspended
        lift_suspension(store, "spring", "bot3")
        submit_late(store, "bot1", GAME)
        join(store, "spring", ["bot1"], deals=20)
        _play_some(store, 15, _fails(crash=4))
        assert len(store.deals.unplayed(1)) >= 1
        store.logs.append(1, {1: "a line\n"})
        store.tokens.new("ann", "author")


def trading_league(file: Path) -> None:
    """Make a league of one deal in which bots trade."""
    with store_with_league(file, bots=3, seats=3, deals=1) as store:
        league_run(store, FakePools(play)).play()


LEAGUES = {"eventful": eventful_league, "trading": trading_league}
"""How to make each in a file."""


def _fails(crash: int) -> Fails:
    """One bot crashes in its third decision, and all time out in their fifth."""

    def fails(bot: int, decision: int) -> FaultKind | None:
        if bot == crash and decision == 3:
            return FaultKind.CRASH
        return FaultKind.TIMEOUT if decision == 5 else None

    return fails


def _play_some(store: Store, deals: int, fails: Fails) -> None:
    """Play until so many deals are done, while others are scheduled."""
    pools = FakePools(partial(play, fails=fails), at_once=1)
    run = league_run(store, pools, in_flight=2, clock=slow_clock())

    def before(task: MatchTask) -> None:
        if store.leagues.get("spring").deals_done >= deals - 1:
            run.stop()

    pools.before = before
    run.play()
