"""The complexity of functions is held at 10, or at what the list of older ones allows."""

from pathlib import Path
from typing import Any

import pytest

PLAIN = "def plain(a):\n    return a\n"
FILE = "server/beanleague/league/part.py"


def branches(name: str, number: int) -> str:
    """Return a function with this many branches, whose complexity is one more."""
    return f"def {name}(a):\n" + "".join(f"    if a == {case}:\n        return {case}\n" for case in range(number))


@pytest.fixture
def tree(tool: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A source tree with an empty list of complex functions."""
    monkeypatch.setattr(tool, "complex_functions", lambda original=tool.complex_functions: original(tmp_path))
    monkeypatch.setattr(tool, "LIST", tmp_path / "complexity.toml")
    tool.LIST.write_text("")
    for path in (FILE, "server/beanleague/games/phase.py"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(PLAIN)
    return tmp_path


def test_a_method_is_named_with_its_class_and_a_property_once(tool: Any) -> None:
    source = "class Run:\n" + branches("play", 3).replace("\n", "\n    ").replace("def", "    def", 1)
    assert [*tool.functions(source), *tool.functions(branches("loose", 2))] == [("Run.play", 4), ("loose", 3)]


def test_a_function_above_the_limit_fails_and_one_at_it_does_not(
    tool: Any, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / FILE).write_text(branches("at_it", 9) + branches("above_it", 10))
    assert tool.main([]) == 1
    assert capsys.readouterr().out.splitlines()[0].startswith(f"{FILE}: above_it has a complexity of 11; at most 10")


def test_phases_of_games_may_be_complex(tool: Any, tree: Path) -> None:
    (tree / "server/beanleague/games/phase.py").write_text(branches("play", 30))
    assert tool.main([]) == 0


@pytest.mark.parametrize(("number", "status"), [(12, 1), (11, 0), (10, 1), (3, 1)])
def test_a_listed_function_has_the_listed_complexity(tool: Any, tree: Path, number: int, status: int) -> None:
    tool.LIST.write_text(tool.as_toml({FILE: {"play": 12}}))
    (tree / FILE).write_text(branches("play", number))
    assert tool.main([]) == status


def test_writing_the_list_lowers_limits_and_adds_none(tool: Any, tree: Path) -> None:
    tool.LIST.write_text(tool.as_toml({FILE: {"simpler": 20, "plain": 15, "worse": 12}, "server/gone.py": {"old": 11}}))
    (tree / FILE).write_text(branches("simpler", 14) + PLAIN + branches("worse", 17) + branches("added", 12))
    assert tool.main(["--write"]) == 1
    assert tool.LIST.read_text() == tool.as_toml({FILE: {"simpler": 15, "worse": 12}})
    (tree / FILE).write_text(branches("simpler", 14) + PLAIN + branches("worse", 11))
    assert tool.main([]) == 0
