"""Ladders that run: epochs, days, entries that come and go."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from beanleague.league.bots.bundles import read_bundle
from beanleague.league.create import suspend
from beanleague.league.errors import RequestError
from beanleague.league.ladder.changing import enter, leave, set_state
from beanleague.league.ladder.inputs import epoch_of
from beanleague.league.run.slow import MIN_TABLES
from beanleague.league.schedule.plans import Meetings, plan_epoch
from beanleague.league.schedule.seeds import deal_seed, seed_digest
from beanleague.model import ChangeKind, EntryDecision, EntryState, LadderState, entry_states
from beanleague.referee.messages import MatchTask
from beanleague.store import ConflictError, OwnerError, Store
from tests.databases import UrlOf
from tests.league.helpers import bundle, keep, store_with_bots, verified
from tests.league.ladder.playing import DAY_S, Clock, Slow, Until, create, play
from tests.store.helpers import deal


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, url_of: UrlOf) -> Iterator[Store]:
    """A store with the ladder "spring" of six bots at four seats."""
    with store_with_bots(url_of(tmp_path / "a.db"), 6) as store:
        create(store)
        yield store


def states(store: Store) -> dict[str, EntryState]:
    found = entry_states(store.changes.list(1))
    return {entrant.label: found[entrant.number] for entrant in store.leagues.entrants(1)}


def test_a_ladder_plays_until_it_is_stopped_and_goes_on_where_it_was(store: Store) -> None:
    before = play(store, Until(30)).deals_done
    tables, waiting = store.deals.tables(1), store.deals.unplayed(1)
    pools = Until(20)
    league = play(store, pools)
    assert 20 < before < league.deals_done
    assert store.deals.tables(1)[: len(tables)] == tables
    assert [task.label for task in pools.tasks[:4]] == [
        f"spring/{waiting[0].number}.{r}" for r in range(4)
    ] or not waiting
    assert league.deals == len(store.deals.tables(1))


def test_every_epoch_follows_from_what_is_kept_of_it(store: Store) -> None:
    play(store, Until(40))
    tables, groups = store.deals.tables(1), list(range(6))
    epochs = store.ladders.epochs(1)
    meetings = Meetings()
    (day,) = store.ladders.days(1)
    again = [table for epoch in epochs for table in plan_epoch(epoch_of(epoch, 4, groups), meetings, day.secret)]
    assert tuple(again) == tables
    assert [epoch.first for epoch in epochs[1:]] == [epoch.first + epoch.count for epoch in epochs[:-1]]
    assert len(epochs) > 5


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rate and settle bots after few deals."""
    monkeypatch.setattr("beanleague.league.ladder.entries.RATED_ELO", 150)
    monkeypatch.setattr("beanleague.league.ladder.entries.SETTLED_ELO", 100)


@pytest.mark.usefixtures("soon")
def test_bots_are_placed_rated_and_settled_with_reasons(store: Store) -> None:
    play(store, Until(60))
    assert set(states(store).values()) <= {EntryState.RATED, EntryState.SETTLED}
    rated = [change for change in store.changes.list(1) if change.kind == "rated"]
    assert "known to " in rated[0].reason


def test_a_bot_enters_while_the_ladder_runs(store: Store) -> None:
    keep(store, bundle("late", "later"))
    pools = Until(30, {20: lambda: enter(store, "spring", "late")})
    play(store, pools)
    assert pools.started == 1
    assert store.leagues.totals(1)[6].deals > 0


def test_a_pool_that_takes_no_more_bots_is_started_anew(store: Store) -> None:
    keep(store, bundle("late", "later"))
    pools = Until(30, {20: lambda: enter(store, "spring", "late")}, admits=False)
    play(store, pools)
    assert pools.started == 2
    assert store.leagues.totals(1)[6].deals > 0


@pytest.mark.usefixtures("soon")
def test_a_new_version_plays_beside_the_old_one_until_it_is_rated(store: Store) -> None:
    play(store, Until(50))
    keep(store, bundle("bot3", "better"))
    enter(store, "spring", "bot3@2")
    assert states(store)["bot3@1"] in {EntryState.RATED, EntryState.SETTLED}
    play(store, Until(50))
    assert states(store)["bot3@1"] is EntryState.REPLACED
    assert "bot3@2 is rated" in [change.reason for change in store.changes.list(1)]


def test_who_leaves_plays_no_more_and_may_come_back(store: Store) -> None:
    play(store, Until(20))
    leave(store, "spring", "bot5")
    play(store, Until(5))
    before = store.leagues.totals(1)[5].deals
    play(store, Until(30))
    assert store.leagues.totals(1)[5].deals == before
    enter(store, "spring", "bot5")
    play(store, Until(30))
    assert store.leagues.totals(1)[5].deals > before


@pytest.mark.parametrize(
    "why",
    [
        "is suspended: it was seen to cheat",
        "has left: an organiser took it out",
        "has left: an organiser took it out (it was seen to cheat)",
    ],
)
def test_planned_deals_of_who_plays_no_more_are_void(store: Store, why: str) -> None:
    play(store, Until(20))
    waiting = store.deals.unplayed(1)
    gone = waiting[-1].table[0]
    if "left" in why and "cheat" in why:
        suspend(store, "spring", f"bot{gone}", "it was seen to cheat", for_good=True)
    elif "left" in why:
        leave(store, "spring", f"bot{gone}")
    else:
        store.leagues.suspend(1, gone, "it was seen to cheat")
    pools = Until(20)
    play(store, pools)
    dropped = store.deals.drop_times(1)
    assert dropped.keys() == {deal.number for deal in waiting if gone in deal.table}
    assert {void.reason for void in store.deals.voids(1, limit=100)} == {f"bot{gone}@1 {why}"}
    assert not any(gone in task.bots for task in pools.tasks)
    assert store.leagues.get("spring").deals == len(store.deals.tables(1)) - len(dropped)


def test_a_paused_ladder_plans_nothing_and_a_closed_one_ends(store: Store) -> None:
    play(store, Until(60, {40: lambda: set_state(store, "spring", LadderState.CLOSED, "the season is over")}))
    done = store.leagues.get("spring").deals_done
    assert done < 60
    with pytest.raises(RequestError, match="closed for good: the season is over"):
        set_state(store, "spring", LadderState.OPEN, "")
    with pytest.raises(RequestError, match="closed: the season is over"):
        enter(store, "spring", "bot1")


def authors(store: Store, name: str) -> None:
    """Submit a bot of ann's."""
    made = read_bundle(bundle(name))
    store.bots.add(made.manifest, made.digest, made.data, author="ann")


def test_who_thought_for_too_long_rests_until_tomorrow(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "beanleague.league.run.committing.times_from_bytes", lambda _: [(seat, 600_000) for seat in range(4)]
    )
    authors(store, "ann0")
    enter(store, "spring", "ann0", author="ann")
    play(store, Until(60), clock)
    assert states(store)["ann0@1"] is EntryState.PAUSED
    (why,) = [change.reason for change in store.changes.list(1) if change.kind == "rested"]
    assert why == "the bots of ann have thought for as long as they may in a day; it goes on tomorrow"
    (owner,) = store.ladders.usage(1, 1)
    assert owner == "ann"
    assert store.ladders.usage(1, 1)["ann"] >= 8 * 3_600_000
    before = store.leagues.totals(1)[6].deals
    clock.now += DAY_S
    play(store, Until(30), clock)
    assert played(store)[6] > before
    assert store.ladders.usage(1, 2)["ann"] > 0


def played(store: Store) -> list[int]:
    """Return how many deals each bot has played; see that nothing is found wrong."""
    *_, checked = verified(store, "spring", workers=0, replay=False)
    assert (checked.done, checked.finding_count) == (True, 0)
    return [totals.deals for totals in store.leagues.totals(1)]


class TestASlowBot:
    """A poll of these pools ends as many matches as a deal has."""

    def test_that_is_never_done_holds_up_no_others(self, store: Store) -> None:
        assert play(store, Slow(40, 5)).deals_done >= 30
        *quick, slow = played(store)
        assert min(quick) > 10
        assert slow == 0
        assert sum(5 in each.table for each in store.deals.unplayed(1)) <= 2 * MIN_TABLES  # of two epochs

    def test_plays_again_when_its_deals_are_over(self, store: Store) -> None:
        play(store, Slow(45, 5, after=15))
        *quick, slow = played(store)
        assert sum(quick) + slow >= 4 * 35
        assert 8 < slow < min(quick)

    @pytest.mark.slow
    def test_of_two_others_wait_only_until_they_are_known_to_be_slow(self, store: Store) -> None:
        play(store, Slow(150, 4, 5, after=30))
        *quick, one, other = played(store)
        assert sum(quick) >= 2.4 * 100
        assert 8 < one < min(quick) > other > 8

    @pytest.mark.slow
    def test_that_leaves_or_is_quick_again_is_as_any_other(self, store: Store) -> None:
        play(store, Slow(30, 5))
        leave(store, "spring", "bot5")
        before = play(store, Slow(30)).deals_done
        assert before >= 40
        assert not any(5 in each.table for each in store.deals.unplayed(1))
        enter(store, "spring", "bot5")
        play(store, Slow(60))
        assert played(store)[5] > 12

    def test_that_is_at_every_table_leaves_a_ladder_in_order_of_which_nothing_was_played(self, store: Store) -> None:
        play(store, Slow(10, *range(6)))
        assert played(store) == [0] * 6

    @pytest.mark.slow
    def test_if_all_are_slow_all_wait(self, store: Store) -> None:
        play(store, Slow(100, *range(6), after=20))
        assert min(played(store)) > 10

    @pytest.mark.slow
    def test_is_none_that_is_as_quick_as_others(self, store: Store) -> None:
        play(store, Slow(50))
        assert min(played(store)) > 12


def test_a_pool_of_another_size_is_started_between_two_epochs(store: Store) -> None:
    pools = Until(30)

    def resize() -> None:
        assert pools.run
        pools.run.resize(1)

    pools.at[20] = resize
    play(store, pools)
    assert pools.started == 2


def test_a_bot_that_was_killed_once_is_to_blame_in_later_pools_of_the_run(store: Store) -> None:
    pools = Until(40)
    later: list[MatchTask] = []

    def killed(task: MatchTask) -> int | None:
        if 1 not in task.bots:
            return None
        if pools.started == 2:
            later.append(task)
        return None if 1 in task.unforgiven else 1

    def resize() -> None:
        assert pools.run
        pools.run.resize(1)

    pools.killed = killed
    pools.at[20] = resize
    play(store, pools)
    assert later
    assert all(1 in task.unforgiven for task in later)


def test_who_was_away_at_the_start_of_a_run_comes_back_while_it_goes_on(store: Store) -> None:
    leave(store, "spring", "bot5")
    play(store, Until(20, {10: lambda: enter(store, "spring", "bot5")}))
    assert store.leagues.totals(1)[5].deals > 0


class TestDays:
    def test_have_secrets_of_their_own_that_decide_every_seed(self, store: Store, clock: Clock) -> None:
        play(store, Until(10), clock)
        clock.now += DAY_S
        play(store, Until(10), clock)
        first, second = store.ladders.days(1)
        assert (first.ended, second.ended) == (second.began, None)
        assert first.secret != second.secret
        secrets = {1: first.secret, 2: second.secret}
        day_of = {
            number: secrets[epoch.day]
            for epoch in store.ladders.epochs(1)
            for number in range(epoch.first, epoch.first + epoch.count)
        }
        for each in store.deals.list(1, limit=1000):
            assert each.seed_digest == seed_digest(deal_seed(day_of[each.number], each.number))
        assert [day.digest for day in (first, second)] == [seed_digest(secret) for secret in secrets.values()]

    def test_drop_what_was_not_played_when_they_end(self, store: Store, clock: Clock) -> None:
        play(store, Until(10), clock)
        waiting = store.deals.unplayed(1)
        assert waiting
        clock.now += DAY_S
        pools = Until(10)
        league = play(store, pools, clock)
        dropped = store.deals.drop_times(1)
        assert dropped.keys() == {each.number for each in waiting}
        assert not {int(task.label.split("/")[1].split(".")[0]) for task in pools.tasks} & dropped.keys()
        assert league.deals == len(store.deals.tables(1)) - len(dropped)

    def test_end_while_the_ladder_runs_when_their_last_deal_is_over(self, store: Store, clock: Clock) -> None:
        def tomorrow() -> None:
            clock.now += DAY_S

        play(store, Until(40, {60: tomorrow}), clock)
        assert len(store.ladders.days(1)) == 2
        assert not store.deals.drop_times(1)

    @pytest.mark.parametrize("change_s", [-400 * DAY_S, 400 * DAY_S])
    def test_never_come_back_whatever_the_clock_does(self, store: Store, clock: Clock, change_s: float) -> None:
        for _ in range(2):
            play(store, Until(5), clock)
            clock.now += change_s
            play(store, Until(5), clock)
            clock.now -= change_s
        days = store.ladders.days(1)
        assert [day.number for day in days] == [1, 2, 3, 4]
        assert len({day.secret for day in days}) == 4
        seeds = [each.seed for each in store.deals.list(1, limit=1000) if each.seed]
        assert len(seeds) == len(set(seeds))

    def test_that_have_ended_take_no_more_deals(self, store: Store, clock: Clock) -> None:
        play(store, Until(5), clock)
        clock.now += DAY_S
        play(store, Until(5), clock)
        with pytest.raises(ConflictError, match="nothing was stored"):
            store.deals.commit(1, [deal(min(store.deals.drop_times(1)), seats=4)])


class TestEntering:
    def test_is_for_owners_and_organisers(self, store: Store) -> None:
        with pytest.raises(OwnerError, match="belongs to another author"):
            enter(store, "spring", "bot1", author="ann")
        with pytest.raises(OwnerError, match="belongs to another author"):
            leave(store, "spring", "bot1", author="ann")

    def test_is_refused_to_who_is_there(self, store: Store) -> None:
        with pytest.raises(RequestError, match="bot1@1 is already in spring: it is placing"):
            enter(store, "spring", "bot1")

    def test_is_limited_for_authors_by_day(self, store: Store) -> None:
        for number in range(4):
            authors(store, f"ann{number}")
        for number in range(3):
            enter(store, "spring", f"ann{number}", author="ann")
        with pytest.raises(RequestError, match="ann has entered 3 versions into spring within a day"):
            enter(store, "spring", "ann3", author="ann")
        assert enter(store, "spring", "ann3").owner == "ann"  # by an organiser

    def test_again_counts_like_entering(self, store: Store) -> None:
        authors(store, "ann0")
        for _ in range(3):
            enter(store, "spring", "ann0", author="ann")
            leave(store, "spring", "ann0", author="ann")
        with pytest.raises(RequestError, match="ann has entered 3 versions into spring within a day"):
            enter(store, "spring", "ann0", author="ann")
        assert enter(store, "spring", "ann0").owner == "ann"  # by an organiser

    def test_of_who_rests_is_refused(self, store: Store) -> None:
        authors(store, "ann0")
        entry = enter(store, "spring", "ann0", author="ann")
        store.ladders.change(1, [EntryDecision(entry, ChangeKind.RESTED, "ann's bots have thought enough")])
        with pytest.raises(RequestError, match="ann0@1 rests in spring: ann's bots have thought enough"):
            enter(store, "spring", "ann0", author="ann")

    def test_is_limited_for_authors_by_bytes(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        authors(store, "ann0")
        monkeypatch.setattr(store.ladders, "bundle_bytes", lambda *_: 100 * 2**20)
        with pytest.raises(
            RequestError, match=r"with ann0@1 the versions of ann in spring would take 100.0 MiB; the limit"
        ):
            enter(store, "spring", "ann0", author="ann")
