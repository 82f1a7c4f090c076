"""Environments: what is installed is known by its digest, and a bot plays with what it was submitted with."""

from dataclasses import replace
from pathlib import Path

import pytest

from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.environments import EnvironmentMissingError, Environments
from beanleague.league.bots.submission import check, submit
from beanleague.league.errors import BundleError, LeagueError
from beanleague.store import Store
from tests.league.bots.wheels import requirements, wheel
from tests.league.fakepool import FakePools, play
from tests.league.helpers import bundle


@pytest.fixture
def environments(tmp_path: Path) -> Environments:
    return Environments(tmp_path / "environments")


def test_what_is_installed_can_be_listed_and_has_the_same_digest_everywhere(
    tmp_path: Path, environments: Environments
) -> None:
    file = requirements(wheel(tmp_path))
    added = environments.add("beans", file)
    assert environments.all() == [added]
    assert (added.importable(), added.distributions()) == (["tiny"], ["tiny 1.0"])
    assert environments.packages(added.digest) == added.packages
    assert Environments(tmp_path / "elsewhere").add("others", file).digest == added.digest
    assert not (added.packages / "tiny.py").stat().st_mode & 0o222


def test_a_name_stands_for_the_newest_and_what_it_stood_for_before_stays(
    tmp_path: Path, environments: Environments
) -> None:
    first = environments.add("beans", requirements(wheel(tmp_path)))
    second = environments.add("beans", requirements(wheel(tmp_path, code="WORD = 'soy'\n", version="1.1")))
    assert environments.named("beans") == second != first
    assert environments.packages(first.digest) == first.packages
    assert environments.all() == [second, replace(first, name="")]
    environments.remove("beans")
    environments.remove(first.digest[:16])
    assert environments.all() == []
    with pytest.raises(EnvironmentMissingError, match="is not on this machine; install it with"):
        environments.packages(second.digest)


@pytest.mark.parametrize("name", ["../beans", "", "Beans", "a/b", ".beans"])
def test_a_name_that_could_lead_elsewhere_is_refused(tmp_path: Path, environments: Environments, name: str) -> None:
    with pytest.raises(LeagueError, match="is no name of an environment"):
        environments.add(name, requirements(wheel(tmp_path)))
    assert not (tmp_path / "environments").exists()


def test_what_has_no_hash_or_another_is_not_installed(tmp_path: Path, environments: Environments) -> None:
    with pytest.raises(LeagueError, match=r"pip cannot install it:\n(.|\n)*hash"):
        environments.add("beans", requirements(wheel(tmp_path), hashed=False))
    file = requirements(wheel(tmp_path))
    wheel(tmp_path, code="WORD = 'poison'\n")
    with pytest.raises(LeagueError, match=r"(?i)pip cannot install it:\n(.|\n)*hash"):
        environments.add("beans", file)
    assert environments.all() == []
    assert not list((tmp_path / "environments" / "packages").iterdir())


def test_packages_that_were_changed_are_not_used(tmp_path: Path, environments: Environments) -> None:
    added = environments.add("beans", requirements(wheel(tmp_path)))
    (added.packages / "tiny.py").chmod(0o644)
    (added.packages / "tiny.py").write_text("WORD = 'poison'\n")
    with pytest.raises(EnvironmentMissingError, match="was changed"):
        environments.packages(added.digest)
    environments.add("beans", requirements(wheel(tmp_path)))
    assert environments.packages(added.digest) == added.packages


def test_a_bot_is_submitted_with_the_packages_of_its_environment(tmp_path: Path, environments: Environments) -> None:
    cache = BundleCache(tmp_path / "cache", environments)
    data = bundle("ann", environment="beans")
    (problem,) = check(data, cache, FakePools()).problems
    assert str(problem) == "bot.toml: environment: there is no environment 'beans' here; there are none"
    added = environments.add("beans", requirements(wheel(tmp_path)))
    pools = FakePools(play)
    with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        kept = submit(data, store, cache, pools).version
        assert (kept.manifest.environment, kept.packages) == ("beans", added.digest)
        assert pools.bots[0].packages == str(added.packages)
        environments.add("beans", requirements(wheel(tmp_path, code="WORD = 'soy'\n")))
        again = submit(bundle("ann", "better", environment="beans"), store, cache, FakePools(play)).version
        assert again.packages != kept.packages == store.bots.version("ann", 1).packages
        with pytest.raises(BundleError, match="did you mean 'beans'"):
            submit(bundle("bob", environment="bean"), store, cache, FakePools())
