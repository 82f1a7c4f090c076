from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from beanleague.league.create import create_league
from beanleague.league.errors import RequestError
from beanleague.model import LeagueRequest
from beanleague.names import NameFormatError
from beanleague.referee.messages import Limits
from beanleague.store import MissingError, Store, TakenError
from tests.league.helpers import SECRET, store_with_bots
from tests.store.helpers import digest, manifest

REQUEST = LeagueRequest(name="spring", ruleset="bohnanza", seats=4, deals=10)


@pytest.fixture
def bots(tmp_path: Path) -> Iterator[Store]:
    """A store with six bots, the last of which plays something else."""
    with store_with_bots(tmp_path / "a.db", 5) as store:
        store.bots.add(replace(manifest("other"), games=("dice",)), digest("other"), b"zip")
        yield store


class TestWhatIsMade:
    def test_without_bots_everyone_that_plays_the_game_takes_part(self, bots: Store) -> None:
        league = create_league(bots, REQUEST)
        assert [entrant.bot for entrant in bots.leagues.entrants(league.id)] == [f"bot{n}" for n in range(5)]
        assert (league.seats, league.deals, len(league.secret)) == (4, 10, 32)
        assert league.limits == asdict(Limits())

    def test_seats_are_as_many_as_bots_up_to_the_most(self, bots: Store) -> None:
        assert create_league(bots, replace(REQUEST, seats=0)).seats == 5
        assert create_league(bots, replace(REQUEST, name="b", seats=0, bots=("bot1", "bot2", "bot3"))).seats == 3

    @pytest.mark.parametrize(("wish", "deals"), [({}, 5), ({"repeats": 3}, 15), ({"deals": 7}, 7)])
    def test_deals_are_given_or_those_of_all_tables(self, bots: Store, wish: dict[str, Any], deals: int) -> None:
        assert create_league(bots, replace(REQUEST, **{"deals": 0, **wish})).deals == deals

    def test_bots_are_entered_in_the_order_given_with_their_versions(self, bots: Store) -> None:
        bots.bots.add(manifest("bot1"), digest("another"), b"zip")
        league = create_league(bots, replace(REQUEST, bots=("bot3", "bot1@1", "bot1", "bot0@1")))
        entrants = [(entrant.bot, entrant.version) for entrant in bots.leagues.entrants(league.id)]
        assert entrants == [("bot3", 1), ("bot1", 1), ("bot1", 2), ("bot0", 1)]

    @pytest.mark.parametrize(
        ("more", "wish", "expected"),
        [
            ((), {}, ()),
            (("farmer", "random"), {}, ()),
            (("farmer", "dicer", "trader"), {}, (6,)),
            (("dicer", "gardener", "duelist"), {}, (6,)),
            (("trader",), {"anchor": "bot2"}, (2,)),
            (("trader",), {"gauntlet": "bot1"}, (1,)),
            (("trader",), {"gauntlet": "bot1", "anchor": "trader"}, (4,)),
        ],
    )
    def test_the_anchor_is_the_bot_named_else_that_of_a_gauntlet_else_the_first_good_house_bot_else_all(
        self, bots: Store, more: tuple[str, ...], wish: dict[str, Any], expected: tuple[int, ...]
    ) -> None:
        for name in more:
            bots.bots.add(manifest(name), digest(name), b"zip")
        entered = (*(f"bot{number}" for number in range(4)), *more)
        assert create_league(bots, replace(REQUEST, bots=entered, **wish)).anchor == expected

    def test_requested_settings_are_stored(self, bots: Store) -> None:
        wish = replace(REQUEST, options={"max_rounds": 2}, limits={"move_ms": 5}, secret=SECRET, show_names=True)
        league = create_league(bots, wish)
        assert (league.options, league.limits["move_ms"]) == ({"max_rounds": 2}, 5)
        assert (league.secret, league.show_names) == (SECRET, True)


class TestRefused:
    @pytest.mark.parametrize(
        ("wish", "message"),
        [
            ({"name": "Spring 1"}, "a league cannot be called 'Spring 1': a name has 1 to 32 characters"),
            ({"ruleset": "bonanza"}, "unknown ruleset 'bonanza'; did you mean 'bohnanza'?"),
            ({"seats": 6}, "bohnanza is for 3 to 5 seats, not 6"),
            ({"seats": 2}, "bohnanza is for 3 to 5 seats, not 2"),
            ({"seats": 4, "bots": ("bot1", "bot2", "bot3")}, "4 seats need at least 4 bots .*, but there are 3"),
            (
                {"seats": 0, "bots": ("bot1", "bot2")},
                "3 seats need at least 3 bots .*, but there are 2; submit or name",
            ),
            (
                {"bots": ("other", "bot1", "bot2", "bot3")},
                "other@1 does not play bohnanza; its bot.toml lists dice",
            ),
            ({"bots": ("bot1", "bot1@1", "bot2", "bot3")}, "bot1@1 is named twice; a version can enter a league"),
            ({"bots": ("Bot 1",)}, "'Bot 1' is not a bot; write it as"),
            ({"options": {"rounds": 1}}, "bohnanza has no option 'rounds'; did you mean 'max_rounds'?"),
            ({"options": {"max_rounds": -1}}, "max_rounds"),
            ({"options": {"max_rounds": "many"}}, "max_rounds"),
            ({"options": {"interludes": 1}}, "bohnanza has no option 'interludes'; there are: max_rounds"),
            ({"limits": {"move_ms": 0}}, "the limit move_ms must be 1 to 3600000, not 0"),
            ({"limits": {"memory_bytes": 1}}, "the limit memory_bytes must be 67108864 to 1099511627776, not 1"),
            ({"secret": b"short"}, "the master secret has 5 bytes; it must have 16 to 64"),
            ({"secret": bytes(65)}, "the master secret has 65 bytes; it must have 16 to 64"),
            ({"deals": 1_000_001}, "1000001 deals are too many; a league has at most 1000000"),
            ({"deals": 0, "repeats": 200_001}, "1000005 deals are too many; a league has at most 1000000"),
        ],
    )
    def test_a_setting_that_cannot_work_is_refused(self, bots: Store, wish: dict[str, object], message: str) -> None:
        with pytest.raises((RequestError, NameFormatError), match=message):
            create_league(bots, replace(REQUEST, **wish))  # type: ignore[arg-type]
        assert bots.leagues.list() == ()

    def test_bots_that_are_missing(self, bots: Store) -> None:
        with pytest.raises(MissingError, match="there is no bot 'ann'; there are: bot0"):
            create_league(bots, replace(REQUEST, bots=("bot1", "ann")))
        with pytest.raises(MissingError, match="bot 'bot1' has no version 2"):
            create_league(bots, replace(REQUEST, bots=("bot1@2",)))

    def test_a_name_that_is_taken(self, bots: Store) -> None:
        create_league(bots, REQUEST)
        with pytest.raises(TakenError, match="the league 'spring' already exists"):
            create_league(bots, REQUEST)

    def test_too_many_tables_to_play_all(self, tmp_path: Path) -> None:
        with store_with_bots(tmp_path / "a.db", 30) as store:
            with pytest.raises(
                RequestError, match="30 bots make 27405 tables of 4, too many to play all; set a number"
            ):
                create_league(store, replace(REQUEST, deals=0))
            assert create_league(store, REQUEST).deals == 10
