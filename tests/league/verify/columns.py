"""How a test alters every column of the database and where that is found; leagues with something of everything."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sqlalchemy import JSON, Boolean, Float, Integer, LargeBinary
from sqlalchemy.types import TypeEngine

from beanleague.league.create import join, lift_suspension
from beanleague.model import FaultKind
from beanleague.referee.messages import MatchTask
from beanleague.store import Store
from tests.league.fakepool import Fails, FakePools, play
from tests.league.helpers import league_run, slow_clock, store_with_league, submit_late


@dataclass(frozen=True, slots=True)
class Found:
    """An alteration that must be found."""

    at: str = ""
    """Column that a finding names, e.g. "deal.seed"; "" for the column itself."""
    to: str = ""
    """SQL of its new value; "" for any other value."""
    where: str = ""
    """SQL that chooses the row; "" for that of the table."""


@dataclass(frozen=True, slots=True)
class Irrelevant:
    """A column that decides nothing."""

    why: str


TIME = Irrelevant("the clock of the machine: nothing that was played, and no rating, follows from a time")
WHERE = Irrelevant("which machine played: no result follows from it")
ACCESS = Irrelevant("who may call a server: no result follows from it")
RUN = Irrelevant("a run under way; a league that is being run is not verified")
OUTPUT = Irrelevant("what a bot wrote to stderr: no result follows from it")
LATER = Irrelevant("what bots may use or see in matches to come: those that were played do not follow from it")
ANALYSED = Irrelevant("what an analysis found: no result follows from it, and 'match analyse' makes it anew")
HIDDEN = Irrelevant("what lists leave out: no result follows from it")
MISSING = Found(at="match")
ROSTER = "league_change"

LADDERS = Irrelevant("of ladders only, which 'ladder verify' checks")

OTHER_BUNDLE = "(SELECT data FROM bundle WHERE digest = (SELECT digest FROM bot_version WHERE id = 2))"

ROWS = {
    "bot": "name = 'bot0'",
    "bundle": "digest = (SELECT digest FROM bot_version WHERE id = 1)",
    "bot_version": "id = 1",
    "league": "name = 'spring'",
    "entrant": "number = 0",
    "league_change": "kind = 'joined' AND entrant = 4",
    "deal": "number = 2",
    "void": "number = 1",
    "match": "deal = 2 AND rotation = 0",
    "match_seat": "deal = 2 AND rotation = 0 AND seat = 0",
    "fault": "deal = 2 AND rotation = 0 AND number = 0",
    "trade_flow": "(giver, receiver) = (SELECT giver, receiver FROM trade_flow LIMIT 1)",
    "rating_snapshot": "deals = (SELECT max(deals) FROM rating_snapshot)",
    "rating": "entrant = 0 AND deals = (SELECT max(deals) FROM rating_snapshot)",
}
"""The row of each table that is altered."""

COLUMNS: dict[str, dict[str, Found | Irrelevant]] = {
    "schema_version": {"version": Irrelevant("a database with other tables is not opened; SQLite has no such table")},
    "node": dict.fromkeys(("id", "name", "cpu", "beanleague", "python"), WHERE),
    "bot": {
        "id": Found(at="entrant.version_id", to="99"),
        "name": Found(),
        "owner": Found(at="deal.entrants"),
        "hidden": HIDDEN,
    },
    "bundle": {"digest": Found(at="bundle.data"), "data": Found(to=OTHER_BUNDLE)},
    "bot_version": {
        "id": Found(at="entrant.version_id", to="99"),
        "bot_id": Found(at="bot.name", to="1", where="id = 5"),
        "number": Found(at="match.record"),
        "digest": Found(at="bundle.data", to=f"'{'0' * 64}'"),
        "games": Found(to='\'["dice", "duel"]\''),
        "command": Found(to='\'["python", "other.py"]\''),
        "description": Found(),
        "author": Found(),
        "bundle_bytes": Found(),
        "submitted": TIME,
        "environment": Found(),
        "packages": Irrelevant("what a bot could import: what it did is in its records, whatever it imported"),
    },
    "trial": dict.fromkeys(("version_id", "record"), Irrelevant("a match before any league: no result is its")),
    "league": {
        "id": Found(at="league.deals_done"),
        "name": Irrelevant("its name alone: asked for by its old name, the league does not exist"),
        "ruleset": Found(to="'dice-2012'"),
        "seats": Found(to="3"),
        "options": Found(at="deal", to='\'{"deck": "none"}\''),
        "limits": Found(to="json_set(limits, '$.strikes', 0)"),
        "secret": Found(at="deal.seed_digest"),
        "deals": Found(),
        "show_names": LATER,
        "isolate": LATER,
        "mix_owners": Found(at="deal.entrants"),
        "one_cpu": Found(at="league.cpu"),
        "cpu": Found(),
        "all_seatings": Found(to="1"),
        "created": TIME,
        "format": Found(at="league.hero", to="'gauntlet'"),
        "hero": Found(to="0"),
        "test": Found(to="'{\"elo0\": 0.0}'"),
        "anchor": Found(at="rating.rating", to="'[2]'"),
        "deals_done": Found(),
        "matches_done": Found(),
        "rules": Irrelevant("a league of other rules is refused with the version that plays them"),
        "hidden": HIDDEN,
    },
    "league_change": {
        "league_id": Found(at="league_change.number"),
        "number": Found(to="1000"),
        "kind": Found(at=ROSTER, to="'suspended'"),
        "entrant": Found(at=ROSTER, to="2"),
        "deals": Found(to="99"),
        "scheduled": Found(at=ROSTER, to="1"),
        "position": Found(at=ROSTER, to="1"),
        "happened": TIME,
        "reason": Found(where="kind = 'suspended' AND entrant = 3"),
    },
    "ladder": dict.fromkeys(
        ("league_id", "state", "reason", "per_owner", "versions_a_day", "cpu_hours", "megabytes", "share"),
        LADDERS,
    ),
    "ladder_check": dict.fromkeys(("league_id", "day", "made", "deals", "givers", "receivers", "cents"), TIME),
    "analysis": dict.fromkeys(("league_id", "deal", "rotation", "version", "digest", "found"), ANALYSED),
    "pinned_match": dict.fromkeys(("league_id", "deal", "rotation"), LADDERS),
    "record_block": dict.fromkeys(("league_id", "number", "first", "last", "matches", "digest", "data"), LADDERS),
    "ladder_usage": dict.fromkeys(("league_id", "owner", "day", "ms"), LADDERS),
    "ladder_day": dict.fromkeys(("league_id", "number", "began", "digest", "secret", "ended"), LADDERS),
    "ladder_checkpoint": dict.fromkeys(
        ("league_id", "day", "entrants", "deals", "position", "epochs", "digest", "data"), LADDERS
    ),
    "ladder_epoch": dict.fromkeys(
        ("league_id", "number", "day", "first", "count", "tables", "background", "position", "made", "entries"), LADDERS
    ),
    "entrant": {
        "league_id": Found(at="entrant.number"),
        "number": Found(to="99"),
        "version_id": Found(at="match.record", to="99"),
        "deals": Found(),
        "matches": Found(),
        "score": Found(),
        "wins": Found(),
        "decisions": Found(),
        "faults": Found(),
        "faulted": Found(),
        "forfeits": Found(),
        "forfeits_in_a_row": Found(),
        "most_forfeits_in_a_row": Found(),
        "cleared_matches": Found(),
        "cleared_forfeits": Found(),
    },
    "deal": {
        "league_id": Found(at="deal"),
        "number": Found(to="99"),
        "entrants": Found(to="'[0, 2]'"),
        "seed_digest": Found(),
        "seed": Found(),
        "voids": Found(),
        "published": TIME,
        "played": Found(at="deal.position", to="NULL"),
        "layer": Irrelevant("under which layer of the sandbox bots ran: nothing that they played tells"),
        "results": Found(),
        "position": Found(),
        "node_id": WHERE,
        "dropped": Found(to="1"),
    },
    "void": {
        "league_id": Found(at="deal.voids"),
        "deal": Found(at="deal.voids", to="5"),
        "number": Found(),
        "reason": Irrelevant("a sentence for people: the deal was played again whatever it says"),
        "happened": TIME,
        "node_id": WHERE,
    },
    "match": {
        "league_id": MISSING,
        "deal": Found(at="match", to="3, rotation = 7"),
        "rotation": Found(at="match.rotation", to="7"),
        "record": Found(),
    },
    "match_seat": {
        "league_id": Found(at="match_seat.seat"),
        "deal": Found(at="match_seat.seat", to="3, rotation = 7"),
        "rotation": Found(at="match_seat.seat", to="7"),
        "seat": Found(to="7"),
        "entrant": Found(to="(entrant + 1) % 4"),
        "score": Found(),
        "place": Found(to="3 - place"),
        "decisions": Found(),
        "faults": Found(),
        "forfeited": Found(),
    },
    "fault": {
        "league_id": Found(at="fault.number"),
        "deal": Found(at="fault.number", to="3, number = 7"),
        "rotation": Found(at="fault.number", to="1, number = 7"),
        "number": Found(to="7"),
        "seat": Found(),
        "entrant": Found(),
        "move": Found(),
        "kind": Found(to="'crash'"),
        "reason": Found(),
        "forfeited": Found(),
    },
    "trade_flow": {
        "league_id": Found(at="trade_flow"),
        "deal": Found(at="deal", to="7"),
        "giver": Found(at="trade_flow", to="9"),
        "receiver": Found(at="trade_flow", to="9"),
        "trades": Found(),
        "cards": Found(),
        "gifts": Found(),
        "cents": Found(),
    },
    "bot_log": dict.fromkeys(("version_id", "league_id", "text", "truncated", "updated"), OUTPUT),
    "rating_snapshot": {
        "league_id": Found(at="rating.deals"),
        "deals": Found(to="1000"),
        "kept": Found(),
        "created": TIME,
        "seats": Found(to="'[]'"),
        "luck": Found(to="0.99"),
    },
    "rating": {
        "league_id": Found(at="rating.entrant"),
        "deals": Found(at="rating.entrant", to="1000"),
        "entrant": Found(to="99"),
        "rating": Found(to="rating + 0.000001"),
        "interval": Found(to="123.0"),
        "best_rank": Found(),
        "worst_rank": Found(),
        "least": Found(to="1234.0"),
        "most": Found(to="1234.0"),
        "anchor": Found(),
        "provisional": Found(),
        "effective": Found(to="12.0"),
    },
    "run": dict.fromkeys(
        (
            "league_id",
            "token",
            "host",
            "pid",
            "thread",
            "born",
            "began",
            "heartbeat",
            "progress",
            "stop",
            "ended",
            "error",
        ),
        RUN,
    ),
    "token": dict.fromkeys(("id", "name", "role", "digest", "created", "expires", "revoked"), ACCESS),
}
"""By table and column."""


def another(column: str, kind: TypeEngine[object]) -> str:
    """Return SQL for some other value of a column."""
    if isinstance(kind, Boolean):
        return f"NOT {column}"
    if isinstance(kind, Integer | Float):
        return f"coalesce({column}, 0) + 1"
    if isinstance(kind, LargeBinary):
        return f"CAST(substr({column}, 1, length({column}) - 1) || x'00' AS BLOB)"
    assert not isinstance(kind, JSON), f"say what {column} should be"
    return f"{column} || 'x'"


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
