"""Two servers over one database: what one decides holds when it is stored, whatever the other does meanwhile."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from beanleague.league.bots.bundles import read_bundle
from beanleague.league.compare import ComparisonRequest, comparison_league
from beanleague.league.create import create_league, join, lift_suspension, suspend
from beanleague.league.ladder.changing import (
    LadderRequest,
    create_ladder,
    enter,
    leave,
    set_state,
    succeed,
)
from beanleague.league.ratings.sprt import SequentialTest
from beanleague.model import ChangeKind, LadderState, LeagueRequest
from beanleague.store import Store
from tests.databases import UrlOf
from tests.league.helpers import bundle, store_with_bots
from tests.together import Meanwhile, result_of

Act = Callable[[Store], object]


@dataclass
class Servers:
    """Two servers over one database."""

    one: Store
    other: Store

    def meanwhile(self, first: Act, second: Act, *, at: str) -> list[object]:
        """Let the second server act when the first has read what it decides by, but has not stored anything.

        Returns the result or the error of each. `at`: the method that reads it, such as "leagues.get".
        """
        subject, _, read = at.partition(".")
        of_it, write = getattr(self.one, subject), self.other.database.write
        reads, alone = getattr(of_it, read), threading.Event()
        acting = Meanwhile(lambda: second(self.other))

        def read_and_let_act(*words: object, **more: object) -> object:
            try:
                return reads(*words, **more)
            finally:
                if self.one.database.is_alone:
                    alone.set()
                acting()

        def note_and_write(*, durable: bool = True) -> object:
            if alone.is_set():
                acting.waits()
            return write(durable=durable)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(of_it, read, read_and_let_act)
            patch.setattr(self.other.database, "write", note_and_write)
            result = result_of(lambda: first(self.one))
        return [result, acting.result()]


@pytest.fixture
def servers(tmp_path: Path, url_of: UrlOf) -> Iterator[Servers]:
    """Two servers over a database with four bots, a league "spring" and a ladder "summer" of them all."""
    url = url_of(tmp_path / "a.db")
    with store_with_bots(url, 4) as one, Store(url) as other:
        create_league(one, LeagueRequest(name="spring", ruleset="bohnanza", seats=4, deals=10))
        create_ladder(one, LadderRequest(name="summer", ruleset="bohnanza", anchor="bot0", without_house_bots=True))
        for number in range(1, 4):
            enter(one, "summer", f"bot{number}")
        yield Servers(one, other)


def authors(store: Store, *names: str, files: str = "") -> None:
    """Submit bots of ann's."""
    for name in names:
        made = read_bundle(bundle(name, files))
        store.bots.add(made.manifest, made.digest, made.data, author="ann")


def refusals(results: list[object]) -> list[str]:
    """Return why something was refused; all else was done."""
    return [str(result) for result in results if isinstance(result, Exception)]


@pytest.mark.both_databases
class TestOfALadder:
    def test_the_same_bot_enters_once(self, servers: Servers) -> None:
        authors(servers.one, "new")
        act = _with(enter, "summer", "new", "ann")
        results = servers.meanwhile(act, act, at="leagues.entrants")
        assert refusals(results) == ["new@1 is already in summer: it is placing"]

    def test_versions_of_a_day_are_counted_together(self, servers: Servers) -> None:
        authors(servers.one, "new0", "new1", "new2", "new3")
        for number in range(2):
            enter(servers.one, "summer", f"new{number}", "ann")
        acts = [_with(enter, "summer", f"new{number}", "ann") for number in (2, 3)]
        (why,) = refusals(servers.meanwhile(*acts, at="leagues.entrants"))
        assert why.startswith("ann has entered 3 versions into summer within a day")

    def test_bytes_are_counted_together(self, servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
        authors(servers.one, "new0", "new1")
        size = servers.one.bots.version("new0").bundle_bytes
        monkeypatch.setattr("beanleague.league.ladder.changing.MEGABYTE", 1.5 * size / 100)
        acts = [_with(enter, "summer", f"new{number}", "ann") for number in (0, 1)]
        (why,) = refusals(servers.meanwhile(*acts, at="ladders.bundle_bytes"))
        assert "the versions of ann in summer would take" in why

    def test_a_bot_leaves_once(self, servers: Servers) -> None:
        act = _with(leave, "summer", "bot1")
        (why,) = refusals(servers.meanwhile(act, act, at="leagues.entrants"))
        assert why.startswith("bot1 does not play in summer")
        assert [each.kind for each in servers.one.changes.list(2) if each.entrant == 1] == ["joined", "left"]

    def test_one_that_is_closed_meanwhile_is_not_opened_again(self, servers: Servers) -> None:
        opens = _with(set_state, "summer", LadderState.OPEN, "")
        closes = _with(set_state, "summer", LadderState.CLOSED, "the season is over")
        servers.meanwhile(opens, closes, at="ladders.get")
        assert servers.one.ladders.get(2).state == LadderState.CLOSED

    def test_nobody_enters_one_that_is_closed_meanwhile(self, servers: Servers) -> None:
        authors(servers.one, "new")
        closes = _with(set_state, "summer", LadderState.CLOSED, "the season is over")
        results = servers.meanwhile(_with(enter, "summer", "new"), closes, at="ladders.get")
        entered = [each.bot for each in servers.one.leagues.entrants(2)][4:]
        assert (entered, refusals(results)) == (["new"], [])  # it was first: the other waited

    def test_an_entry_that_leaves_while_a_new_ladder_follows_is_not_in_both(self, servers: Servers) -> None:
        league = servers.one.leagues.get("summer")
        follows = servers.meanwhile(
            lambda store: succeed(store, league), _with(leave, "summer", "bot1"), at="ladders.get"
        )
        assert follows[0] == "summer-2"
        left = next(each for each in servers.one.changes.list(2) if each.kind == ChangeKind.LEFT)
        assert left.happened >= servers.one.leagues.get("summer-2").created

    def test_two_of_one_name_are_not_created(self, servers: Servers) -> None:
        request = LadderRequest(name="autumn", ruleset="bohnanza", anchor="bot0", without_house_bots=True)
        act = _with(create_ladder, request)
        assert refusals(servers.meanwhile(act, act, at="bots.version")) == [
            "the league 'autumn' already exists; choose another name"
        ]


class TestOfALeague:
    def test_the_same_bot_joins_once(self, servers: Servers) -> None:
        authors(servers.one, "new")
        act = _with(join, "spring", ["new"])
        results = servers.meanwhile(act, act, at="leagues.entrants")
        assert refusals(results) == ["new@1 already plays in spring; to add deals, use --deals"]

    def test_two_versions_of_a_bot_that_join_do_not_both_play(self, servers: Servers) -> None:
        authors(servers.one, "new")
        authors(servers.one, "new", files="later")
        acts = [_with(join, "spring", [f"new@{version}"]) for version in (2, 1)]
        servers.meanwhile(*acts, at="leagues.entrants")
        assert sum(each.active for each in servers.one.leagues.entrants(1) if each.bot == "new") == 1

    def test_the_number_of_deals_of_a_league_is_only_raised(self, servers: Servers) -> None:
        acts = [_with(join, "spring", [], deals) for deals in (20, 30)]
        servers.meanwhile(*acts, at="leagues.get")
        assert servers.one.leagues.get("spring").deals == 30
        servers.meanwhile(_with(join, "spring", [], 40), _with(join, "spring", [], 50), at="leagues.entrants")
        assert servers.one.leagues.get("spring").deals == 50

    @pytest.mark.parametrize("for_good", [False, True])
    def test_a_bot_is_suspended_once(self, servers: Servers, for_good: bool) -> None:
        results = servers.meanwhile(
            lambda store: suspend(store, "spring", "bot1", "seen to cheat", for_good=for_good),
            _with(suspend, "spring", "bot1", "asked for"),
            at="leagues.entrants",
        )
        assert refusals(results) == ["bot1 is not seated in spring; 'standings spring' lists the bots that are"]

    def test_a_suspension_is_lifted_once(self, servers: Servers) -> None:
        suspend(servers.one, "spring", "bot1", "seen to cheat")
        act = _with(lift_suspension, "spring", "bot1")
        results = servers.meanwhile(act, act, at="leagues.entrants")
        assert refusals(results) == ["bot1 is not suspended in spring; 'league show spring' lists the bots that are"]

    def test_two_who_ask_for_one_comparison_get_the_same(self, servers: Servers) -> None:
        asks = _with(comparison_league, ComparisonRequest("bot1", "bot0", "bohnanza", SequentialTest()))
        one, other = servers.meanwhile(asks, asks, at="leagues.get")
        assert one == other

    def test_two_of_one_name_are_not_created(self, servers: Servers) -> None:
        act = _with(create_league, LeagueRequest(name="autumn", ruleset="bohnanza", seats=4, deals=10))
        assert refusals(servers.meanwhile(act, act, at="bots.newest")) == [
            "the league 'autumn' already exists; choose another name"
        ]


class TestOfBots:
    def test_versions_have_numbers_of_their_own(self, servers: Servers) -> None:
        def submits(files: str) -> Act:
            def act(store: Store) -> object:
                made = read_bundle(bundle("bot1", files))
                store.bots.check_owner("bot1", "")
                return store.bots.add(made.manifest, made.digest, made.data)[0].number

            return act

        assert sorted(map(str, servers.meanwhile(submits("one"), submits("other"), at="bots.check_owner"))) == [
            "2",
            "3",
        ]

    def test_a_name_belongs_to_whoever_has_it_first(self, servers: Servers) -> None:
        def submits(author: str) -> Act:
            def act(store: Store) -> object:
                made = read_bundle(bundle("new", author))
                store.bots.check_owner("new", author)
                return store.bots.add(made.manifest, made.digest, made.data, author=author)

            return act

        results = servers.meanwhile(submits("ann"), submits("ben"), at="bots.check_owner")
        assert refusals(results) == ["new belongs to ben; choose another name for your bot"]

    def test_a_name_has_one_token(self, servers: Servers) -> None:
        def makes(store: Store) -> object:
            assert all(token.name != "ann" for token in store.tokens.list())
            return store.tokens.new("ann", "author")

        (why,) = refusals(servers.meanwhile(makes, makes, at="tokens.list"))
        assert why.startswith("ann already has a valid token")


def _with(act: Callable[..., object], *words: object) -> Act:
    """Return a call of `act` with a store and these words."""
    return lambda store: act(store, *words)
