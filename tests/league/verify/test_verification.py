"""Verification of whole leagues: honest ones have no findings; tampering, of a column or of more, is found."""

import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache, partial
from multiprocessing.connection import wait
from pathlib import Path

import pytest

from beanleague.games.core.game import RulesVersionError
from beanleague.league.compare import ComparisonRequest, comparison_league
from beanleague.league.create import join
from beanleague.league.errors import RequestError
from beanleague.league.ratings.sprt import SequentialTest
from beanleague.league.schedule.seeds import deal_seed
from beanleague.league.verify import verification, worker
from beanleague.league.verify.deals import Finding, replay_record
from beanleague.model import FaultKind
from beanleague.store import MissingError, Store
from beanleague.store.tables import METADATA
from beanproto.v1 import referee_pb2 as pb
from tests.league.conftest import MakeLeague
from tests.league.fakepool import FakePools, play
from tests.league.helpers import SECRET, league_run, store_with_league, submit_late, verified
from tests.league.verify.columns import COLUMNS, LEAGUES, ROWS, Found, Irrelevant, another

SOLO = "bean-thief-easy"


def findings(store: Store, name: str = "spring", *, workers: int = 0) -> list[Finding]:
    """Verify a league to its end; return what was found."""
    *_, last = reports = list(verified(store, name, workers=workers))
    assert last.done
    assert last.matches_done == last.matches_total
    return [finding for report in reports for finding in report.findings]


def alter(store: Store, *statements: str) -> None:
    """Change the database behind the back of Beanleague."""
    with closing(sqlite3.connect(store.database.name)) as database, database:
        for statement in statements:
            assert database.execute(statement).rowcount > 0, statement


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of the league "spring" of four bots, six deals at two seats, played."""
    file = tmp_path_factory.mktemp("played") / "a.db"
    with store_with_league(file, game="dice", bots=4, seats=2, deals=6) as store:
        league_run(store, FakePools(play)).play()
    return file


@pytest.fixture
def played(template: Path, tmp_path: Path) -> Iterator[Store]:
    """A copy of that database."""
    with closing(sqlite3.connect(template)) as source, closing(sqlite3.connect(tmp_path / "a.db")) as copy:
        source.backup(copy)
    with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        yield store


class TestHonestLeagues:
    def test_of_bots_that_answer_with_several_actions(self, played: Store) -> None:
        """They are asked less often than they move; only the database tells how often."""
        fewer = "UPDATE {} SET decisions = decisions - 1 WHERE {} = (SELECT entrant FROM match_seat LIMIT 1)"
        one = "deal = 1 AND rotation = 0 AND entrant"
        alter(played, fewer.format("match_seat", one), fewer.format("entrant", "number"))
        assert findings(played) == []
        alter(played, fewer.format("match_seat", one).replace("- 1", "+ 2"))
        assert "match_seat.decisions" in {finding.column for finding in findings(played)}

    @pytest.mark.sqlite
    def test_against_the_bean_thief(self, make_league: MakeLeague) -> None:
        store = make_league(game=SOLO, bots=3, seats=0, deals=2)
        league_run(store, FakePools(play)).play()
        submit_late(store, "late", SOLO)
        join(store, "spring", ["late"], deals=3)
        league_run(store, FakePools(play)).play()
        assert findings(store) == []
        alter(store, "UPDATE match_seat SET score = score + 1 WHERE seat = 1 AND deal = 1 AND rotation = 0")
        assert "match_seat.score" in {finding.column for finding in findings(store)}

    @pytest.mark.parametrize("wish", [{"gauntlet": "bot2"}, {"all_seatings": True}], ids=["gauntlet", "all seatings"])
    def test_of_other_shapes(self, make_league: MakeLeague, wish: dict[str, object]) -> None:
        store = make_league(game="dice", bots=5, seats=3, deals=2, **wish)
        league_run(store, FakePools(play)).play()
        assert findings(store) == []

    def test_with_options_and_interludes(self, make_league: MakeLeague) -> None:
        store = make_league(bots=3, seats=3, deals=1, options={"max_rounds": 2})
        league_run(store, FakePools(play)).play()
        assert findings(store) == []

    @pytest.mark.sqlite
    def test_a_comparison_stored_under_the_name_of_its_test(self, make_league: MakeLeague, tmp_path: Path) -> None:
        store = make_league(game="dice", bots=3, seats=2)
        league = comparison_league(store, ComparisonRequest("bot0", "bot1", "dice", SequentialTest(), seats=2))
        store.leagues.add(league.id, (), 3)
        league_run(store, FakePools(play), name=league.name, workers=1).play()
        assert findings(store, league.name) == []
        alter(store, "UPDATE league SET test = json_set(test, '$.elo1', 500.0) WHERE format = 'comparison'")
        assert [finding.column for finding in findings(store, league.name)] == ["league.name"]

    def test_a_suspension_in_the_middle_of_a_commit(self, make_league: MakeLeague) -> None:
        """All deals are committed at once; the bot is suspended in the middle of them."""
        store = make_league(game="dice", bots=4, seats=2, deals=12)

        def crash(bot: int, decision: int) -> FaultKind | None:
            return FaultKind.CRASH if bot == 3 and decision == 3 else None

        league_run(store, FakePools(partial(play, fails=crash), at_once=1000), in_flight=1000).play()
        assert store.leagues.entrants(1)[3].suspended == "6 forfeits in a row"
        (suspended,) = (change for change in store.changes.list(1) if change.kind == "suspended")
        assert suspended.position is not None
        assert suspended.position < store.leagues.get("spring").deals_done == 12
        assert findings(store) == []


def swap_players(record: pb.Record) -> None:
    record.players[0], record.players[1] = record.players[1], record.players[0]


def drop_event(record: pb.Record) -> None:
    del record.events[-1]


def other_seed(record: pb.Record) -> None:
    record.seed = bytes(32)


class TestTampering:
    @pytest.mark.parametrize("change", [swap_players, drop_event, other_seed])
    def test_a_changed_record(self, played: Store, change: Callable[[pb.Record], None]) -> None:
        with closing(sqlite3.connect(played.database.name)) as database, database:
            (data,) = database.execute("SELECT record FROM match WHERE deal = 2 AND rotation = 1").fetchone()
            record = pb.Record.FromString(zlib.decompress(data))
            change(record)
            packed = zlib.compress(record.SerializeToString())
            database.execute("UPDATE match SET record = ? WHERE deal = 2 AND rotation = 1", (packed,))
        assert {(finding.where, finding.column) for finding in findings(played)} == {("spring/2.1", "match.record")}

    @pytest.mark.parametrize(
        ("statements", "column"),
        [
            (["DELETE FROM match WHERE deal = 3", "DELETE FROM match_seat WHERE deal = 3"], "match.rotation"),
            (["DELETE FROM match_seat WHERE deal = 3 AND seat = 1"], "match_seat.seat"),
            (["DELETE FROM deal WHERE number = 3"], "deal"),
            (["DELETE FROM deal WHERE number = 6"], "deal"),
            (["UPDATE deal SET position = 7 - position"], "rating.rating"),
            (["UPDATE deal SET entrants = 'nonsense' WHERE number = 2"], "deal"),
            (["UPDATE match_seat SET score = 'nonsense' WHERE deal = 2"], "match_seat.score"),
            (["UPDATE deal SET entrants = '[0, 99]' WHERE number = 2"], "deal"),
            (["UPDATE match SET record = zeroblob(99) WHERE deal = 2"], "match.record"),
            (["UPDATE league SET secret = randomblob(32)"], "deal.seed_digest"),
            (["DELETE FROM league_change"], "league.deals"),
            (["INSERT INTO void VALUES (1, 5, 1, 'nothing', 0, NULL)"], "deal.voids"),
            (["UPDATE bundle SET data = zeroblob(99)"], "bundle.data"),
        ],
    )
    def test_changes_of_whole_rows(self, played: Store, statements: list[str], column: str) -> None:
        alter(played, *statements)
        *_, last = reports = list(verified(played, "spring", workers=0))
        assert last.done
        assert column in {finding.column for report in reports for finding in report.findings}

    @pytest.mark.sqlite
    def test_the_seed_of_a_deal_to_come_stays_secret(self, make_league: MakeLeague) -> None:
        store = make_league(game="dice", bots=4, seats=2, deals=6)
        pools = FakePools(play, at_once=1)
        run = league_run(store, pools, in_flight=2)
        pools.before = lambda _: run.stop()
        run.play()
        deals = store.deals.unplayed(1)
        assert deals
        alter(store, "UPDATE deal SET seed_digest = zeroblob(32)")
        printed = " ".join(map(str, findings(store)))
        for deal in deals:
            assert f"spring/{deal.number}: deal.seed_digest: does not follow" in printed
            assert deal_seed(SECRET, deal.number).hex() not in printed


class TestCourse:
    @pytest.mark.parametrize("matches", [1, 4, 8])
    def test_processes_find_what_one_does_in_the_same_order(
        self, played: Store, monkeypatch: pytest.MonkeyPatch, matches: int
    ) -> None:
        """Although the later of two batches at work is done first, and more are begun than there are processes."""
        alter(played, "UPDATE match_seat SET score = score + 1")
        found = findings(played)
        assert len(found) >= 24
        monkeypatch.setattr(worker, "wait", lambda busy, _: wait(busy[-1:], timeout=60))
        monkeypatch.setattr(verification, "_BATCH_MATCHES", matches)
        assert findings(played, workers=2) == found

    def test_few_matches_are_checked_without_processes(self, played: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(worker, "_start", lambda _: pytest.fail("a process was started"))
        assert findings(played, workers=2) == []

    def test_the_number_of_findings_in_a_report_is_bounded(
        self, played: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(verification, "MAX_FINDINGS", 5)
        alter(played, "UPDATE match_seat SET score = score + 1")
        *_, last = reports = list(verified(played, "spring", workers=0))
        assert sum(len(report.findings) for report in reports) == 5
        assert last.finding_count >= 24

    def test_an_unwanted_verification_ends(self, played: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(verification, "_BATCH_MATCHES", 4)
        answers = iter([True, False])
        *_, last = verified(played, "spring", workers=0, wanted=lambda: next(answers, False))
        assert not last.done
        assert 0 < last.matches_done < last.matches_total

    def test_a_league_that_changes_meanwhile_is_refused(self, played: Store) -> None:
        course = verified(played, "spring", workers=0)
        next(course)
        join(played, "spring", [], deals=9)
        with pytest.raises(RequestError, match="spring changed while it was being verified"):
            list(course)

    def test_a_league_being_run_is_refused(self, played: Store) -> None:
        played.runs.begin(1)
        with pytest.raises(RequestError, match="spring is being run"):
            next(verified(played, "spring", workers=0))

    def test_a_league_that_does_not_exist_is_an_error(self, played: Store) -> None:
        with pytest.raises(MissingError, match="there is no league 'autumn'"):
            next(verified(played, "autumn", workers=0))

    def test_a_league_under_earlier_rules_is_refused_with_the_version_it_needs(self, played: Store) -> None:
        alter(played, "UPDATE league SET rules = 1", "DELETE FROM league_change")
        with pytest.raises(RulesVersionError, match="the league spring needs rules 1"):
            next(verified(played, "spring", workers=0))


@dataclass
class Altered:
    """A database, and a copy of what it was before it was altered."""

    store: Store
    before: sqlite3.Connection

    def findings(self, statement: str = "") -> list[str]:
        """Return which columns the findings of a verification name after this statement, which changes one row."""
        with closing(sqlite3.connect(self.store.database.name)) as database:
            self.before.backup(database)
            if statement:
                assert database.execute(statement).rowcount == 1, statement
            database.commit()
        *_, last = reports = list(verified(self.store, "spring", workers=0))
        assert last.done
        return [finding.column for report in reports for finding in report.findings]


@pytest.fixture(scope="module", params=["eventful"])
def eventful(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Altered]:
    """The database of a league in which everything happened; its records are played again only once."""
    file = tmp_path_factory.mktemp("eventful") / "a.db"
    LEAGUES[request.param](file)
    with pytest.MonkeyPatch.context() as patch, closing(sqlite3.connect(":memory:")) as before:
        patch.setattr("beanleague.league.verify.deals.replay_record", lru_cache(replay_record))
        with closing(sqlite3.connect(file)) as database:
            database.backup(before)
        with Store(f"sqlite:///{file}") as store:
            yield Altered(store, before)


def test_every_column_of_every_table_is_in_the_list() -> None:
    tables = {table.name: sorted(column.name for column in table.columns) for table in METADATA.sorted_tables}
    assert {table: sorted(columns) for table, columns in COLUMNS.items()} == tables


def test_an_untouched_league_has_no_findings(eventful: Altered) -> None:
    assert eventful.findings() == []


@pytest.mark.parametrize(
    ("table", "eventful"),
    [(table, "trading" if table == "trade_flow" else "eventful") for table in ROWS],
    indirect=["eventful"],
)
def test_an_altered_column_is_found(eventful: Altered, table: str) -> None:
    missed = {}
    for column in METADATA.tables[table].columns:
        how = COLUMNS[table][column.name]
        if isinstance(how, Found):
            value = how.to or another(column.name, column.type)
            found = eventful.findings(f"UPDATE {table} SET {column.name} = {value} WHERE {how.where or ROWS[table]}")
            if (how.at or f"{table}.{column.name}") not in found:
                missed[column.name] = found
    assert missed == {}


def test_tables_without_a_row_to_alter_decide_nothing() -> None:
    irrelevant = {
        table for table, columns in COLUMNS.items() if all(isinstance(how, Irrelevant) for how in columns.values())
    }
    assert irrelevant == COLUMNS.keys() - ROWS.keys()
