"""Entries with the same files."""

from pathlib import Path

from beanleague.league.ladder.changing import LadderRequest, create_ladder, enter
from beanleague.league.ladder.twins import same_files
from tests.league.helpers import TOML, keep, store_with_bots, zipped


def test_entries_that_differ_in_their_names_alone_have_the_same_files(tmp_path: Path) -> None:
    with store_with_bots(tmp_path / "a.db", 2) as store:
        create_ladder(store, LadderRequest(name="spring", ruleset="bohnanza", anchor="bot0", without_house_bots=True))
        for name, text in (("ann", "mine"), ("bob", "mine"), ("a-much-longer-name", "mine"), ("eve", "own")):
            toml = TOML.format(name=name)
            keep(
                store,
                zipped(
                    {
                        "bot.toml": toml,
                        "bot.py": f"# {name}\nclass {name.title().replace('-', '')}: {text}",
                        "README.md": f"# {name}\n\nbeanbot practice {name}\n",
                    }
                ),
            )
            enter(store, "spring", name)
        found = same_files(store, store.leagues.entrants(1))
        assert found == {
            1: ["bob@1", "a-much-longer-name@1"],
            2: ["ann@1", "a-much-longer-name@1"],
            3: ["ann@1", "bob@1"],
        }


def test_entries_whose_bundles_are_missing_have_the_files_of_nobody(tmp_path: Path) -> None:
    with store_with_bots(tmp_path / "a.db", 3) as store:
        create_ladder(store, LadderRequest(name="spring", ruleset="bohnanza", anchor="bot0", without_house_bots=True))
        enter(store, "spring", "bot1")
        with store.database.write() as connection:
            connection.exec_driver_sql("UPDATE bundle SET data = x''")
        assert same_files(store, store.leagues.entrants(1)) == {}
