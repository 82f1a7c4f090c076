"""`beanleague environment`: what organisers see of environments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from beanleague.league.bots.environments import VARIABLE
from tests.cli.conftest import Run
from tests.league.bots.wheels import requirements, wheel


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "environments"))


def test_an_environment_is_added_listed_and_removed(run: Run, tmp_path: Path) -> None:
    assert run("environment", "list").output.startswith("No environments yet; make one with: beanleague environment")
    added = run("environment", "add", "beans", "--requirements", str(requirements(wheel(tmp_path))))
    assert added.exit_code == 0, added.output
    assert "tiny 1.0" in added.output
    assert 'environment = "beans"' in added.output
    listed = run("environment", "list").output
    assert "beans  digest " in listed
    assert "importable: tiny" in listed
    (shape,) = json.loads(run("environment", "list", "--json").stdout)["environments"]
    assert (shape["name"], shape["installed"], shape["importable"]) == ("beans", ["tiny 1.0"], ["tiny"])
    assert "importable: tiny" in run("doctor").output
    assert run("environment", "remove", "beans").output == "Removed beans.\n"


def test_what_cannot_be_done_is_said_in_a_sentence(run: Run, tmp_path: Path) -> None:
    missing = run("environment", "remove", "beans")
    assert missing.exit_code == 1
    assert missing.stderr == "Error: there is no environment 'beans' here; there are none\n"
    unsealed = run("environment", "add", "beans", "--requirements", str(requirements(wheel(tmp_path), hashed=False)))
    assert unsealed.exit_code == 1
    assert unsealed.stderr.startswith("Error: pip cannot install it:")
    assert "Traceback" not in unsealed.stderr
