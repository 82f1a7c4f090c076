"""What a sentence says to install can be installed."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from beanleague.extras import installation

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


@pytest.mark.parametrize("extra", ["cluster", "postgres", "web", "rl"])
def test_the_command_names_the_packages_of_the_extra(extra: str) -> None:
    declared = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]["optional-dependencies"][extra]
    program, *words = shlex.split(installation(extra))
    assert (program, words[:4]) == (sys.executable, ["-P", "-m", "pip", "install"])
    assert {str(Requirement(word)) for word in words[4:]} == {str(Requirement(text)) for text in declared}


def test_the_hint_of_the_site_is_a_command_that_pip_takes() -> None:
    """Nothing is fetched: what it asks for is installed where the tests run."""
    line = shlex.split(installation("web"))
    done = subprocess.run([*line, "--no-index", "--dry-run"], capture_output=True, text=True, check=False)
    if "No module named pip" in done.stderr:
        pytest.skip("this environment has no pip")
    assert done.returncode == 0, done.stderr
    assert re.search(r"already satisfied: jinja2", done.stdout)
