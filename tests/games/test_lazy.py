"""Packages and tables load what they hold at the first use, once."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from beanleague.games.lazy import OnDemand, exported_by, passed_on


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package of two modules, both of which have `both`, and of a module that passes it on."""
    folder = tmp_path / "lazily"
    folder.mkdir()
    (folder / "__init__.py").write_text("__all__ = ['both', 'second', 'neither']\n")
    (folder / "one.py").write_text("both, hidden = 'of one', 1\n")
    (folder / "two.py").write_text("both, second = 'of two', 2\n")
    (folder / "again.py").write_text("own = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    __import__("lazily.again")
    yield "lazily"
    for name in [name for name in sys.modules if name.partition(".")[0] == "lazily"]:
        del sys.modules[name]


class TestExports:
    def test_a_name_is_that_of_the_first_module_which_has_it(self, package: str) -> None:
        find = exported_by(package, "one", "two")
        assert (find("both"), find("second")) == ("of one", 2)

    def test_modules_behind_the_one_with_the_name_are_not_imported(self, package: str) -> None:
        exported_by(package, "one", "two")("both")
        assert "lazily.one" in sys.modules
        assert "lazily.two" not in sys.modules

    def test_a_name_is_kept_in_the_package(self, package: str) -> None:
        exported_by(package, "one", "two")("second")
        assert vars(sys.modules[package])["second"] == 2

    @pytest.mark.parametrize("name", ["hidden", "neither"])
    def test_a_name_that_is_not_listed_or_that_no_module_has_is_no_attribute(self, package: str, name: str) -> None:
        with pytest.raises(AttributeError, match=f"^module 'lazily' has no attribute '{name}'$"):
            exported_by(package, "one", "two")(name)

    def test_a_module_passes_on_a_package_beside_its_own_names(self, package: str) -> None:
        vars(sys.modules[package])["__getattr__"] = exported_by(package, "one", "two")
        names, find = passed_on("lazily.again", package)
        assert names == ["own", "both", "second", "neither"]
        assert find("second") == 2
        with pytest.raises(AttributeError, match=r"'lazily\.again' has no attribute 'own'"):
            find("own")


class TestOnDemand:
    def test_an_entry_is_made_at_the_first_look(self) -> None:
        made: list[str] = []

        def make(key: str) -> str:
            made.append(key)
            return key.upper()

        table = OnDemand(make)
        assert (table["a"], table["a"], table["b"]) == ("A", "A", "B")
        assert made == ["a", "b"]

    def test_a_key_without_an_entry_is_an_error_and_not_kept(self) -> None:
        def make(key: str) -> str:
            raise KeyError(key)

        table = OnDemand(make)
        with pytest.raises(KeyError, match="a"):
            table["a"]
        assert not table
