import pytest

from beanleague.model import League, NewLeague
from beanleague.store import MissingError, Store, TakenError
from tests.store.helpers import add_bots, add_league


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
