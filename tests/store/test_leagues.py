"""Leagues, bots, runs and ratings in the database."""

import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update

from beanleague.model import League, NewLeague, PairDeal, PairMatch, PlayedDeal, Rating, SeatResult, Snapshot
from beanleague.store import ConflictError, MissingError, OwnerError, Store, TakenError, bots as bots_module
from beanleague.store.bots import MAX_LOG_BYTES, newest
from beanleague.store.tables import RUN
from tests.store.helpers import add_bots, add_league, deal, digest, manifest
from tests.waiting import ending, join, until


def test_a_league_is_found_as_it_was_made(store: Store) -> None:
    versions = add_bots(store, 3)
    new = NewLeague(
        name="spring",
        ruleset="bohnanza",
        seats=3,
        options={"max_rounds": 4},
        limits={"move_ms": 9},
        secret=b"\0\xff",
        deals=7,
        show_names=True,
        versions=versions[::-1],
    )
    made = store.leagues.create(new)
    assert store.leagues.get("spring") == made == store.leagues.list()[0]
    assert (made.options, made.limits, made.secret) == ({"max_rounds": 4}, {"move_ms": 9}, b"\0\xff")
    assert (made.entrants, made.deals, made.deals_done, made.show_names) == (3, 7, 0, True)
    assert [(e.number, e.bot, e.version) for e in store.leagues.entrants(made.id)] == [
        (0, "bot2", 1),
        (1, "bot1", 1),
        (2, "bot0", 1),
    ]


def test_a_name_is_given_once(store: Store, league: League) -> None:
    with pytest.raises(TakenError, match="the league 'spring' already exists; choose another name"):
        add_league(store, [1, 2, 3])
    assert store.leagues.list() == (league,)


def test_the_error_for_a_missing_league_lists_those_that_exist(store: Store) -> None:
    with pytest.raises(MissingError, match="there is no league 'x'; none was created yet"):
        store.leagues.get("x")
    versions = add_bots(store, 3)
    add_league(store, versions, "spring")
    add_league(store, versions, "autumn")
    with pytest.raises(MissingError, match="there is no league 'x'; there are: autumn, spring"):
        store.leagues.get("x")


def test_the_leagues_of_a_version_are_found(store: Store) -> None:
    versions = add_bots(store, 5)
    add_league(store, versions[:3], "spring")
    add_league(store, versions[1:], "autumn")
    assert [league.name for league in store.leagues.of_version(versions[0])] == ["spring"]
    assert [league.name for league in store.leagues.of_version(versions[2])] == ["autumn", "spring"]


def test_the_trial_match_of_a_version_is_kept_with_it(store: Store) -> None:
    with_trial, _ = store.bots.add(manifest("a"), digest("1"), b"zip", trial=b"record")
    without, _ = store.bots.add(manifest("a"), digest("2"), b"zap")
    assert store.bots.trial(with_trial) == b"record"
    with pytest.raises(MissingError, match=r"no trial match of a@2 was kept"):
        store.bots.trial(without)


def test_submissions_are_numbered_for_each_bot(store: Store) -> None:
    for name, data in [("a", "1"), ("b", "2"), ("a", "3")]:
        version, created = store.bots.add(manifest(name), digest(data), data.encode())
        assert created
        assert store.bots.bundle(version.digest) == data.encode()
    assert [(version.bot, version.number) for version in store.bots.newest()] == [("a", 2), ("b", 1)]
    assert [version.number for version in store.bots.versions("a")] == [2, 1]


def test_the_same_bundle_again_is_the_version_it_was(store: Store) -> None:
    store.bots.add(manifest("a"), digest("1"), b"zip")
    store.bots.add(manifest("a"), digest("2"), b"zip")
    version, created = store.bots.add(manifest("a"), digest("1"), b"zip")
    assert not created
    assert version.number == 1
    assert store.bots.find("a", digest("1")) == version
    assert store.bots.find("a", digest("3")) is None
    assert store.bots.find("b", digest("1")) is None


def test_a_version_is_found_as_it_was_submitted(store: Store) -> None:
    kept, _ = store.bots.add(manifest("a", description="Plants.", author="Ann"), digest("1"), b"zip")
    assert store.bots.version("a", 1) == store.bots.version("a") == kept
    assert kept.manifest == manifest("a", description="Plants.", author="Ann")
    assert kept.bundle_bytes == 3


def test_the_error_for_a_missing_bot_lists_those_that_exist(store: Store) -> None:
    with pytest.raises(MissingError, match="there is no bot 'a'; none was submitted yet"):
        store.bots.version("a")
    add_bots(store, 13)
    with pytest.raises(MissingError, match=r"there is no bot 'a'; there are: bot0, bot1, bot10, .*, bot8, \.\.\.$"):
        store.bots.versions("a")
    with pytest.raises(MissingError, match=r"there is no bot 'bott3'; did you mean 'bot3'\?$"):
        store.bots.version("bott3")
    with pytest.raises(MissingError, match="bot 'bot1' has no version 2; its newest is 1"):
        store.bots.version("bot1", 2)
    with pytest.raises(MissingError, match="the bundle xyz is missing from the database"):
        store.bots.bundle("xyz")


def test_an_author_replaces_only_their_own_bots_and_organisers_all(store: Store) -> None:
    first, _ = store.bots.add(manifest("a"), digest("1"), b"zip", author="ann")
    store.bots.add(manifest("b"), digest("2"), b"zip")
    assert first.owner == "ann"
    for name, author, whose in (("a", "ben", "ann"), ("b", "ben", "an organiser"), ("b", "ann", "an organiser")):
        with pytest.raises(OwnerError, match=f"{name} belongs to {whose}; choose another name for your bot"):
            store.bots.check_owner(name, author)
        with pytest.raises(OwnerError):
            store.bots.add(manifest(name), digest("3"), b"zip", author=author)
    store.bots.check_owner("c", "ben")
    store.bots.add(manifest("a"), digest("4"), b"zip", author="ann")
    by_organiser, _ = store.bots.add(manifest("a"), digest("5"), b"zip")
    assert by_organiser.owner == "ann", "it stays the author's"
    assert [(bot.bot, bot.number, bot.owner) for bot in store.bots.newest()] == [("a", 3, "ann"), ("b", 1, "")]


def test_the_bots_of_an_author_take_so_much_space_and_no_more(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots_module, "MAX_AUTHOR_BYTES", 100)
    monkeypatch.setattr(bots_module, "LEAST_BYTES", 1)
    store.bots.add(manifest("a"), digest("1"), bytes(60), author="ann")
    store.bots.add(manifest("b"), digest("2"), bytes(40), author="ann")
    for name in ("a", "c"):
        with pytest.raises(ConflictError, match=r"the bots of ann would take more than .*; ask an organiser"):
            store.bots.add(manifest(name), digest("3"), b"1", author="ann")
    _, created = store.bots.add(manifest("a"), digest("1"), bytes(60), author="ann")
    assert not created, "what is there takes nothing more"
    store.bots.add(manifest("d"), digest("4"), bytes(100), author="ben")
    store.bots.add(manifest("a"), digest("5"), bytes(100))
    with pytest.raises(ConflictError):
        store.bots.add(manifest("b"), digest("6"), b"1", author="ann")


def test_versions_of_a_byte_are_bounded_too(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots_module, "MAX_AUTHOR_BYTES", 3 * bots_module.LEAST_BYTES)
    for number in range(3):
        store.bots.add(manifest("a"), digest(str(number)), b"1", author="ann")
    with pytest.raises(ConflictError, match="the bots of ann would take more than"):
        store.bots.add(manifest("a"), digest("3"), b"1", author="ann")


def test_the_log_of_a_version_is_kept_per_league(store: Store, league: League) -> None:
    other = add_league(store, [1, 2], "autumn", seats=2)
    store.logs.append(league.id, {1: "one\n", 2: "two\n"})
    store.logs.append(league.id, {1: "three\n"})
    store.logs.append(other.id, {1: "four\n"})
    store.logs.append(other.id, {})
    assert [(log.league, log.text) for log in store.logs.get(1)] == [("autumn", "four\n"), ("spring", "one\nthree\n")]
    assert [log.text for log in store.logs.get(2, league.id)] == ["two\n"]
    assert store.logs.get(2, other.id) == ()


def test_the_newest_lines_are_kept(store: Store, league: League) -> None:
    lines = "".join(f"line {number}\n" for number in range(50_000))
    for start in range(0, len(lines), 100_000):
        store.logs.append(league.id, {1: lines[start : start + 100_000]})
    (log,) = store.logs.get(1)
    assert log.truncated
    assert MAX_LOG_BYTES - 20 < len(log.text) <= MAX_LOG_BYTES
    assert lines.endswith("\n" + log.text)


def test_a_nul_is_replaced(store: Store, league: League) -> None:
    store.logs.append(league.id, {1: "a\0b"})
    assert store.logs.get(1)[0].text == "a\N{REPLACEMENT CHARACTER}b"


@pytest.mark.parametrize(
    ("text", "most", "kept"),
    [
        ("abc\ndef\n", 8, "abc\ndef\n"),
        ("abc\ndef\n", 7, "def\n"),
        ("abc\ndef\n", 4, "def\n"),
        ("abcdef", 4, "cdef"),
        ("abc\n", 3, "bc\n"),
        ("\N{EURO SIGN}\N{EURO SIGN}", 4, "\N{EURO SIGN}"),
    ],
)
def test_the_end_of_a_text_is_whole_lines_if_it_can_be(text: str, most: int, kept: str) -> None:
    assert newest(text, most) == (kept, kept != text)


BEGIN = """
import sys, time
from beanleague.store import Store
Store(sys.argv[1]).runs.begin(1)
print("begun", flush=True)
time.sleep(60)
"""


def change(store: Store, **values: object) -> None:
    """Change what is noted of the run."""
    with store.database.write() as connection:
        connection.execute(update(RUN).values(**values))


def test_a_league_is_run_by_one_at_a_time(store: Store, league: League) -> None:
    token = store.runs.begin(league.id)
    assert store.runs.running() == {league.id}
    with pytest.raises(
        ConflictError, match=r"is already being run by process \d+; 'league watch' shows it, 'league stop' ends it"
    ):
        store.runs.begin(league.id)
    store.runs.beat(league.id, token)
    store.runs.end(league.id, token)
    assert store.runs.running() == frozenset()
    store.runs.begin(league.id)


def test_a_thread_that_ended_is_not_in_the_way(store: Store, league: League) -> None:
    thread = threading.Thread(target=store.runs.begin, args=[league.id], daemon=True)
    thread.start()
    task = Path(f"/proc/self/task/{thread.native_id}")
    join(thread)
    until(lambda: not task.exists())  # the system takes a moment longer
    assert store.runs.running() == frozenset()
    store.runs.begin(league.id)


def test_a_process_that_was_killed_is_not_in_the_way(store: Store, league: League) -> None:
    words = [sys.executable, "-c", BEGIN, store.database.url]
    with ending(subprocess.Popen(words, stdout=subprocess.PIPE, text=True)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        with pytest.raises(ConflictError, match=f"by process {process.pid};"):
            store.runs.begin(league.id)
        process.kill()
    store.runs.begin(league.id)


def test_another_process_with_the_number_of_a_dead_one_is_not_taken_for_it(store: Store, league: League) -> None:
    store.runs.begin(league.id)
    change(store, born="1")
    store.runs.begin(league.id)


def test_a_run_elsewhere_counts_while_its_heart_beats(store: Store, league: League) -> None:
    token = store.runs.begin(league.id)
    change(store, host="elsewhere 1", pid=12)
    message = "If that process has ended, try again in 20 seconds"
    with pytest.raises(ConflictError, match=message):
        store.runs.begin(league.id)
    change(store, heartbeat=time.time() - 21)
    assert store.runs.running() == frozenset()
    store.runs.begin(league.id)
    with pytest.raises(ConflictError, match="because this run seemed dead"):
        store.runs.beat(league.id, token)


def test_the_end_of_a_run_that_was_taken_over_changes_nothing(store: Store, league: League) -> None:
    token = store.runs.begin(league.id)
    change(store, born="1")
    store.runs.begin(league.id)
    store.runs.end(league.id, token)
    assert store.runs.running() == {league.id}


def ratings(elo: float) -> tuple[Rating, ...]:
    return Rating(0, elo, None, 1, 2, least=elo / 2, provisional=True), Rating(1, -elo, 12.5, 1, 2, anchor=True)


def keep(store: Store, league: League, deals: int, elo: float) -> None:
    store.ratings.keep(league.id, Snapshot(deals, ratings(elo), created=0.0))


def test_the_latest_snapshot_is_found_as_it_was_kept(store: Store, league: League) -> None:
    assert store.ratings.latest(league.id) is None
    keep(store, league, 3, 0.1)
    keep(store, league, 5, 0.2)
    latest = store.ratings.latest(league.id)
    assert latest is not None
    assert (latest.deals, latest.ratings) == (5, ratings(0.2))


def test_keeping_the_same_again_or_an_older_one_changes_nothing_newer(store: Store, league: League) -> None:
    for deals, elo in [(5, 0.1), (5, 0.2), (4, 0.3)]:
        keep(store, league, deals, elo)
    assert [(snapshot.deals, snapshot.ratings[0].rating) for snapshot in store.ratings.history(league.id)] == [(5, 0.2)]


def test_the_history_keeps_a_snapshot_for_each_doubling(store: Store, league: League) -> None:
    for deals in [0, 1, 2, 3, 5, 6, 7, 9, 14, 17, 18, 40]:
        keep(store, league, deals, deals)
    assert [snapshot.deals for snapshot in store.ratings.history(league.id)] == [1, 2, 5, 9, 17, 40]
    store.ratings.keep(league.id, Snapshot(41, (), created=0.0))
    assert [snapshot.deals for snapshot in store.ratings.history(league.id)] == [1, 2, 5, 9, 17, 40, 41]


def scored(number: int, *matches: tuple[tuple[int, int, int], ...], forfeits: tuple[int, ...] = ()) -> PlayedDeal:
    """Return a deal whose matches have these seats: (entrant, place, score); entrants in `forfeits` forfeited."""
    played = deal(number, seats=len(matches))
    return replace(
        played,
        matches=tuple(
            replace(
                match,
                seats=tuple(SeatResult(who, score, place, 9, 0, who in forfeits) for who, place, score in seats),
            )
            for match, seats in zip(played.matches, matches, strict=True)
        ),
    )


def test_a_pair_is_counted_in_the_matches_in_which_both_sat(store: Store, league: League) -> None:
    store.deals.commit(
        league.id,
        [
            scored(
                2,
                ((0, 1, 9), (1, 2, 7), (2, 3, 1)),
                ((1, 1, 8), (2, 2, 5), (0, 2, 5)),
                ((2, 1, 9), (0, 2, 3), (1, 2, 3)),
            ),
            scored(1, ((0, 1, 9), (2, 2, 7), (3, 3, 1))),
        ],
    )
    store.deals.commit(add_league(store, [1, 2, 3], "autumn").id, [deal(1)])
    assert store.pairs.by_deal(league.id, 0, 1, solo=False) == (PairDeal(2, 3, 3, -1, 13),)
    assert store.pairs.by_deal(league.id, 1, 0, solo=False) == (PairDeal(2, 3, 3, 1, 13),)
    assert [each.deal for each in store.pairs.by_deal(league.id, 2, 0, solo=False)] == [1, 2]
    assert store.pairs.by_deal(league.id, 1, 3, solo=False) == ()


def test_every_seat_of_one_meets_every_seat_of_the_other(store: Store) -> None:
    league = add_league(store, add_bots(store, 2), seats=4)
    store.deals.commit(league.id, [scored(1, ((0, 1, 9), (1, 2, 7), (0, 4, 1), (1, 3, 5)))])
    assert store.pairs.by_deal(league.id, 0, 1, solo=False) == (PairDeal(1, 4, 4, -4, 4 + 16 + 36 + 16),)


def test_alone_bots_are_compared_by_their_lead_over_the_thief(store: Store) -> None:
    """As in the ratings: those that won are before those that lost, and these before those that forfeited."""
    league = add_league(store, add_bots(store, 3), seats=1)
    thief = 3
    store.deals.commit(
        league.id,
        [
            scored(1, ((0, 2, 8), (thief, 1, 13)), ((1, 1, 13), (thief, 2, 12))),
            scored(2, ((0, 1, 14), (thief, 2, 5)), ((1, 1, 13), (thief, 2, 4))),
            scored(3, ((0, 2, 3), (thief, 1, 13)), ((1, 2, 9), (thief, 1, 13)), forfeits=(1,)),
        ],
    )
    assert [each.half_wins for each in store.pairs.by_deal(league.id, 0, 1, solo=True)] == [0, 1, 2]
    assert [each.lead for each in store.pairs.by_deal(league.id, 0, 1, solo=True)] == [-5, 1, -6]


def test_the_matches_of_a_pair_have_the_mean_of_the_seats_of_each(store: Store, league: League) -> None:
    seats = ((0, 1, 9), (1, 2, 6), (0, 3, 4)), ((2, 1, 9), (0, 2, 3), (3, 2, 3))
    store.deals.commit(league.id, [scored(1, *seats), scored(2, ((2, 1, 9), (3, 2, 3)))])
    assert store.pairs.matches(league.id, [1, 2], 0, 1) == (PairMatch(1, 0, 6.5, 6.0), PairMatch(1, 1, 3.0, None))
