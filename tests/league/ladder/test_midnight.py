"""Days of a ladder that end while authors and other servers do what suits them: its secret is shown then."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from beanleague.league.create import suspend
from beanleague.league.ladder.changing import enter, leave
from beanleague.league.schedule.seeds import deal_seed, seed_digest
from beanleague.model import LadderDay, PlayedMatch
from beanleague.referee.messages import MatchTask
from beanleague.store import ConflictError, Store
from tests.databases import UrlOf
from tests.league.fakepool import quick
from tests.league.helpers import bundle, keep, store_with_bots, verified
from tests.league.ladder.playing import DAY_S, Clock, Until, create, play
from tests.matches import changed


@pytest.fixture
def url(tmp_path: Path, url_of: UrlOf) -> str:
    return url_of(tmp_path / "a.db")


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """A server with the ladder "spring" of six bots at four seats."""
    with store_with_bots(url, 6) as store:
        create(store)
        yield store


@pytest.fixture
def other(store: Store, url: str) -> Iterator[Store]:
    """Another server over the same database."""
    del store  # it is made first
    with Store(url) as other:
        yield other


@pytest.fixture
def clock() -> Clock:
    return Clock()


Midnight = Callable[[Callable[[], object]], None]


@pytest.fixture
def at_midnight(store: Store, monkeypatch: pytest.MonkeyPatch) -> Midnight:
    """Lets a test do something at the end of a day: its checkpoint is made, and nothing of the next one is stored."""

    def happens(what: Callable[[], object]) -> None:
        begin, done = store.ladders.begin_day, list[int]()

        def begin_day(league: int, day: LadderDay, *before: object) -> None:
            if day.number == 2 and not done:
                done.append(day.number)
                what()
            begin(league, day, *before)  # type: ignore[arg-type]

        monkeypatch.setattr(store.ladders, "begin_day", begin_day)

    return happens


def tomorrow(clock: Clock) -> Callable[[], None]:
    def goes_on() -> None:
        clock.now += DAY_S

    return goes_on


def findings(store: Store) -> list[str]:
    reports = [*verified(store, "spring", workers=0, replay=False)]
    return [str(finding) for report in reports for finding in report.findings]


def assert_shown_secrets_decide_nothing_more(store: Store) -> None:
    """See that each deal has the seed of its day, and that those of days whose secrets are shown are over."""
    secrets = {day.number: day for day in store.ladders.days(1)}
    of_day = {
        number: secrets[epoch.day]
        for epoch in store.ladders.epochs(1)
        for number in range(epoch.first, epoch.first + epoch.count)
    }
    deals = store.deals.list(1, limit=None)
    assert of_day.keys() == {deal.number for deal in deals}
    for deal in deals:
        day = of_day[deal.number]
        assert deal.seed_digest == seed_digest(deal_seed(day.secret, deal.number))
        if day.ended is not None:
            assert deal.played or deal.dropped


@pytest.mark.parametrize("act", ["leaves", "enters", "leaves and returns", "is suspended", "submits a new version"])
def test_what_authors_do_in_that_moment_counts_for_the_next_day(
    store: Store, other: Store, clock: Clock, at_midnight: Midnight, act: str
) -> None:
    keep(store, bundle("late", "later"))
    keep(store, bundle("bot4", "better"))

    def acts() -> None:
        if act.startswith("leaves"):
            leave(other, "spring", "bot5")
        if act.endswith("returns"):
            enter(other, "spring", "bot5")
        if act == "enters":
            enter(other, "spring", "late")
        if act == "is suspended":
            suspend(other, "spring", "bot5", "seen to cheat")
        if act == "submits a new version":
            enter(other, "spring", "bot4")

    at_midnight(acts)
    play(store, Until(24, {40: tomorrow(clock)}), clock)
    assert len(store.ladders.days(1)) == 2
    first = next(epoch.first for epoch in store.ladders.epochs(1) if epoch.day == 2)
    seated = {entry for table in store.deals.tables(1, after=first - 1) for entry in table}
    assert (5 in seated) == (act not in {"leaves", "is suspended"})
    assert findings(store) == []
    assert_shown_secrets_decide_nothing_more(store)


def test_a_bot_that_forfeits_the_last_deals_of_a_day_is_suspended_by_them(store: Store, clock: Clock) -> None:
    """It is so whether it crashed, was killed, or used more than it may: each of them forfeits."""

    def forfeits(task: MatchTask, names: object) -> PlayedMatch:
        late = len(store.ladders.days(1)) == 1 and store.leagues.get("spring").deals_done > 12
        return changed(quick(task, names), forfeited=tuple(late and bot == 3 for bot in task.bots))  # type: ignore[arg-type]

    play(store, Until(40, {80: tomorrow(clock)}, play=forfeits), clock)
    assert len(store.ladders.days(1)) == 2
    assert " forfeits in " in store.leagues.entrants(1)[3].suspended
    assert findings(store) == []
    assert_shown_secrets_decide_nothing_more(store)


def test_a_deal_that_is_void_at_midnight_is_played_again_before_the_secret_is_shown(store: Store, clock: Clock) -> None:
    pools = Until(40, {60: tomorrow(clock)})
    voids = iter(["the power failed"] * 3)
    pools.void = lambda _: next(voids, "") if pools.played > 60 and len(store.ladders.days(1)) == 1 else ""
    play(store, pools, clock)
    assert len(store.ladders.days(1)) == 2
    assert {void.reason for void in store.deals.voids(1, limit=10)} == {"the power failed"}
    assert not store.deals.drop_times(1)
    assert findings(store) == []
    assert_shown_secrets_decide_nothing_more(store)


@pytest.mark.both_databases
def test_two_servers_begin_one_day(store: Store, other: Store, clock: Clock, at_midnight: Midnight) -> None:
    """The first one's run seems dead at midnight, and the other's ends the day and plays on."""
    taken: list[int] = []

    def takes_over() -> None:
        with other.database.write() as connection:
            connection.exec_driver_sql("UPDATE run SET host = 'another machine', heartbeat = 0")
        play(other, Until(8), clock)
        taken.append(other.leagues.get("spring").deals_done)

    at_midnight(takes_over)
    with pytest.raises(ConflictError, match="another run has taken over this league"):
        play(store, Until(60, {40: tomorrow(clock)}), clock)
    first, second = store.ladders.days(1)
    assert (first.ended, second.ended) == (second.began, None)
    assert store.leagues.get("spring").deals_done == taken[0], "the first stored nothing more"
    assert findings(store) == []
    assert_shown_secrets_decide_nothing_more(store)
    play(store, Until(8), clock)
    assert findings(store) == []


def test_a_run_that_seems_dead_in_the_middle_of_a_day_stores_nothing_more(
    store: Store, other: Store, clock: Clock
) -> None:
    """Its deals in flight are played by the other, each once."""
    taken: list[int] = []

    def takes_over() -> None:
        with other.database.write() as connection:
            connection.exec_driver_sql("UPDATE run SET host = 'another machine', heartbeat = 0")
        play(other, Until(12), clock)
        taken.append(other.leagues.get("spring").deals_done)

    with pytest.raises(ConflictError, match="another run has taken over this league"):
        play(store, Until(60, {40: takes_over}), clock)
    assert store.leagues.get("spring").deals_done == taken[0]
    assert findings(store) == []
    assert_shown_secrets_decide_nothing_more(store)
