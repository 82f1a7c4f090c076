"""The front end is checked where Node.js and npm's registry are there; where not, CI fails and others are told."""

import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def _nothing_installed(tool: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tool, "INSTALLED", tmp_path / "installed.json")


@pytest.mark.parametrize(("ci", "status"), [("", 0), ("true", 1)])
@pytest.mark.parametrize(
    ("programs", "why"),
    [
        (None, "there is no Node.js here"),
        (([sys.executable], [sys.executable, "-c", "raise SystemExit('no registry')"]), "no registry"),
    ],
)
@pytest.mark.usefixtures("_nothing_installed")
def test_an_unchecked_front_end_fails_in_ci_only(
    tool: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    programs: object,
    why: str,
    ci: str,
    status: int,
) -> None:
    monkeypatch.setattr(tool, "programs", lambda: programs)
    monkeypatch.setenv("CI", ci)
    assert tool.main([]) == status
    said = capsys.readouterr().out
    assert said.startswith("The front end is not checked: ")
    assert why in said


def test_a_finding_of_a_checker_is_the_exit_status(tool: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tool, "INSTALLED", tmp_path / "installed.json")
    monkeypatch.setattr(tool, "LOCK", tmp_path / "lock.json")
    (tmp_path / "lock.json").touch()
    finding = [sys.executable, "-c", "import sys; sys.exit(3 * any('tsc' in word for word in sys.argv))"]
    monkeypatch.setattr(tool, "programs", lambda: (finding, [sys.executable, "-c", ""]))
    assert tool.main([]) == 3
