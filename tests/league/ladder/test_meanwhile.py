"""Ladders whose entries change between a look of the run and what it stores."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from beanleague.league.counting import ladder_counts
from beanleague.league.ladder.changing import enter, leave
from beanleague.league.ladder.entries import changes
from beanleague.league.run import epochs
from beanleague.league.schedule.plans import Epoch, Meetings, plan_epoch
from beanleague.league.schedule.schedule import Table
from beanleague.model import ChangeKind, Entrant, EntryDecision
from beanleague.store import ConflictError, Store
from tests.databases import UrlOf
from tests.league.helpers import bundle, keep, store_with_bots, verified
from tests.league.ladder.playing import DAY_S, Clock, Until, create, play


@pytest.fixture
def store(tmp_path: Path, url_of: UrlOf) -> Iterator[Store]:
    """A store with the ladder "spring" of six bots at four seats."""
    with store_with_bots(url_of(tmp_path / "a.db"), 6) as store:
        create(store)
        yield store


def findings(store: Store) -> list[str]:
    reports = [*verified(store, "spring", workers=0, replay=False)]
    return [str(finding) for report in reports for finding in report.findings]


def kinds_of(store: Store, entry: int) -> list[str]:
    found = [change.kind for change in store.changes.list(1) if change.entrant == entry]
    return [kind for kind in found if kind != ChangeKind.DROPPED]


def seated_later(store: Store, entry: int) -> bool:
    """Return whether an entry that left sits in a deal that was planned after that; some were."""
    left = next(each for each in store.changes.list(1) if each.kind == ChangeKind.LEFT and each.entrant == entry)
    later = store.deals.tables(1)[left.scheduled :]
    assert later
    return any(entry in table for table in later)


Between = Callable[[Callable[[list[EntryDecision]], object]], None]


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Between:
    """Lets a test do something once a run has decided what becomes of entries, before that is stored."""

    def interleave(happens: Callable[[list[EntryDecision]], object]) -> None:
        def decide(*known: object) -> list[EntryDecision]:
            found = changes(*known)  # type: ignore[arg-type]
            happens(found)
            return found

        monkeypatch.setattr(epochs, "changes", decide)
        monkeypatch.setattr("beanleague.league.ladder.entries.RATED_ELO", 150)

    return interleave


@pytest.mark.both_databases
class TestAnEntryThatLeavesWhileItIsRated:
    @pytest.fixture
    def gone(self, store: Store, between: Between) -> int:
        """Its number; the ladder was played since."""
        left: list[int] = []

        def leaves(found: list[EntryDecision]) -> None:
            rated = [each.entrant.number for each in found if each.kind is ChangeKind.RATED and each.entrant.number]
            if rated and not left:
                left.append(rated[0])
                leave(store, "spring", f"bot{rated[0]}")

        between(leaves)
        play(store, Until(60))
        play(store, Until(20))
        (entry,) = left
        return entry

    def test_has_left_and_sits_in_no_deal_that_is_planned_later(self, store: Store, gone: int) -> None:
        assert kinds_of(store, gone) == ["joined", "left"]
        assert not store.leagues.entrants(1)[gone].active
        assert not seated_later(store, gone)

    def test_leaves_a_ladder_in_which_nothing_is_wrong_or_void(self, store: Store, gone: int) -> None:
        assert findings(store) == []
        assert {void.reason for void in store.deals.voids(1, limit=100)} <= {
            f"bot{gone}@1 has left: an organiser took it out"
        }


def test_a_version_is_not_replaced_by_one_that_leaves_while_it_is_rated(store: Store, between: Between) -> None:
    keep(store, bundle("bot3", "better"))

    def leaves(found: list[EntryDecision]) -> None:
        for each in found:
            if each.kind is ChangeKind.REPLACED and store.leagues.entrants(1)[each.because[0].number].active:
                leave(store, "spring", each.because[0].label)

    between(leaves)
    play(store, Until(40))
    enter(store, "spring", "bot3@2")
    play(store, Until(60))
    assert kinds_of(store, 6) == ["joined", "left"]
    assert store.leagues.entrants(1)[3].active


def test_a_bot_that_enters_while_others_are_rated_waits_for_the_next_epoch(store: Store, between: Between) -> None:
    keep(store, bundle("late", "later"))

    def enters(found: list[EntryDecision]) -> None:
        if found and len(store.leagues.entrants(1)) == 6:
            enter(store, "spring", "late")

    between(enters)
    play(store, Until(60))
    assert store.leagues.totals(1)[6].deals > 0
    assert findings(store) == []


Planned = Callable[[Callable[[list[Table]], object]], None]


@pytest.fixture
def once_planned(monkeypatch: pytest.MonkeyPatch) -> Planned:
    """Lets a test do something once an epoch is planned, before it is stored."""

    def interleave(happens: Callable[[list[Table]], object]) -> None:
        def plan(epoch: Epoch, meetings: Meetings, secret: bytes) -> list[Table]:
            found = plan_epoch(epoch, meetings, secret)
            happens(found)
            return found

        monkeypatch.setattr(epochs, "plan_epoch", plan)

    return interleave


class TestAnEpochWhoseEntryLeavesBeforeItIsStored:
    def test_is_planned_again_without_it(self, store: Store, once_planned: Planned) -> None:
        tries: list[Sequence[Table]] = []

        def leaves(tables: list[Table]) -> None:
            tries.append(tables)
            if len(tries) == 4:
                leave(store, "spring", f"bot{tables[0][0]}")

        once_planned(leaves)
        play(store, Until(60))
        gone = tries[3][0][0]
        assert any(gone in table for table in tries[3])
        assert kinds_of(store, gone)[-1] == "left"
        assert not seated_later(store, gone)
        assert len(store.ladders.epochs(1)) == len(tries) - 1
        assert findings(store) == []

    def test_holds_up_nobody_though_entries_come_and_go_all_the_time(self, store: Store, once_planned: Planned) -> None:
        def flickers(tables: list[Table]) -> None:
            for entry in {entry for table in tables for entry in table} & {4, 5}:
                leave(store, "spring", f"bot{entry}")

        def returns() -> None:
            for entrant in store.leagues.entrants(1):
                if not entrant.active:
                    enter(store, "spring", entrant.label)

        once_planned(flickers)
        league = play(store, Until(40, dict.fromkeys(range(2, 160, 2), returns)))
        assert league.deals_done >= 35
        assert not any({4, 5} & {*table} for table in store.deals.tables(1))
        assert findings(store) == []


def test_deals_of_an_entry_that_is_back_already_are_not_given_up(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    play(store, Until(20))
    gone = store.deals.unplayed(1)[-1].table[0]
    leave(store, "spring", f"bot{gone}")
    give_up = store.deals.drop

    def comes_back(*words: object, **more: bool) -> bool:
        if not store.leagues.entrants(1)[gone].active:
            enter(store, "spring", f"bot{gone}")
        return give_up(*words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(store.deals, "drop", comes_back)
    play(store, Until(20))
    assert store.deals.drop_times(1) == {}
    assert findings(store) == []


def test_a_deal_that_was_played_is_not_given_up(store: Store) -> None:
    play(store, Until(20))
    played = next(each for each in store.deals.list(1) if each.played)
    leave(store, "spring", f"bot{played.table[0]}")
    last = store.leagues.entrants(1)[played.table[0]].last
    with pytest.raises(ConflictError, match=f"deal {played.number} is already played or given up; nothing was stored"):
        store.deals.drop(1, [played.number], last, "has left")
    assert store.leagues.get("spring").deals == len(store.deals.tables(1))


def test_a_deal_whose_entrant_the_pool_lacks_asks_for_another_pool(store: Store) -> None:
    """Its entrant was away when the pool was started, and the pool takes nobody in."""
    leave(store, "spring", "bot5")
    pools = Until(30, {10: lambda: enter(store, "spring", "bot5")}, admits=False)
    play(store, pools)
    assert pools.started == 2
    assert store.leagues.totals(1)[5].deals > 0
    assert store.deals.voids(1, limit=1) == ()


def test_a_pool_lacks_an_entry_still_when_others_have_changed(store: Store) -> None:
    leave(store, "spring", "bot5")
    changes = {10: lambda: enter(store, "spring", "bot5"), 14: lambda: leave(store, "spring", "bot4")}
    pools = Until(40, dict(changes), admits=False)
    play(store, pools)
    assert pools.started == 2
    assert {void.reason for void in store.deals.voids(1, limit=100)} <= {"bot4@1 has left: an organiser took it out"}


def test_deals_planned_while_a_ladder_is_counted_are_left_out(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    play(store, Until(20))
    before = ladder_counts(store, store.leagues.get("spring")).deals
    league, entrants = store.leagues.get("spring"), store.leagues.entrants

    def then_another_enters(league_id: int) -> tuple[Entrant, ...]:
        found = entrants(league_id)
        monkeypatch.undo()
        keep(store, bundle("late", "later"))
        enter(store, "spring", "late")
        play(store, Until(40))
        return found

    monkeypatch.setattr(store.leagues, "entrants", then_another_enters)
    found = ladder_counts(store, league).deals
    assert store.leagues.totals(1)[6].deals > 0
    assert found.count >= before.count > 0
    assert found.bots == 6


def test_a_ladder_is_counted_that_was_read_before_another_bot_entered_and_the_day_ended(store: Store) -> None:
    clock, before = Clock(), store.leagues.get("spring")
    keep(store, bundle("late", "later"))
    enter(store, "spring", "late")
    play(store, Until(40), clock)
    clock.now += DAY_S
    play(store, Until(20), clock)
    assert store.ladders.checkpoints(1)[-1].entrants == 7
    assert ladder_counts(store, before).deals.bots == 7


class TestARunThatWasHeldForDead:
    def test_stores_nothing_more(self, store: Store) -> None:
        token = store.runs.begin(1)
        store.runs.end(1, token)
        store.runs.begin(1)
        with store.runs.held(1, token), pytest.raises(ConflictError, match="another run has taken over this league"):
            store.ladders.change(1, [])

    def test_ends_when_it_plans_though_its_next_heartbeat_is_far(self, store: Store) -> None:
        def taken_over() -> None:
            with store.database.write() as connection:
                connection.exec_driver_sql("UPDATE run SET token = 'another'")

        with pytest.raises(ConflictError, match="another run has taken over this league"):
            play(store, Until(60, {20: taken_over}))
        assert store.leagues.get("spring").deals_done < 40
