"""Pages of the documentation, and a shell in which somebody follows them."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from beanleague.league.bots.bundles import pack
from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.layers import CONFINING
from beanleague.referee.sandbox.probe import examine
from beanleague.store import Store
from tests.league.helpers import keep

ROOT = Path(__file__).parents[2]


def blocks(page: str, *languages: str) -> list[str]:
    """Return the examples of a page in these languages, in their order."""
    text = (ROOT / page).read_text("utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [example for language, example in found if language in languages]


def shell(script: str, folder: Path, *, activated: bool = True) -> str:
    """Run the lines of `script` in `folder`, all of which must go well, and return what they print.

    `activated`: whether the environment of these tests is; otherwise its programs are not found by their names.
    """
    here = str(Path(sys.executable).parent)
    path = [here] if activated else []
    path += [entry for entry in os.environ["PATH"].split(os.pathsep) if entry != here]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BEANLEAGUE", "PYTHON"))}
    env = {
        **kept,
        "PATH": os.pathsep.join(path),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "TZ": "UTC",
    }
    line = ["bash", "-e", "-c", script]
    done = subprocess.run(line, cwd=folder, env=env, capture_output=True, encoding="utf-8", timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def put_house_bot(name: str, game: str, folder: Path) -> None:
    """Copy a house bot into `folder`, for this game alone: its trial of all it plays takes long."""
    shutil.copytree(ROOT / "bots" / name, folder / name)
    toml = folder / name / "bot.toml"
    text = toml.read_text("utf-8")
    toml.write_text(re.sub(r"^games = \[.*?\]", f'games = ["{game}"]', text, flags=re.MULTILINE | re.DOTALL), "utf-8")


def submit_house_bots(names: Sequence[str], game: str, folder: Path) -> None:
    """Put house bots into `folder`, and into the database of its `shell`: submitting them again plays no trials."""
    database = folder / "data" / "beanleague" / "beanleague.db"
    database.parent.mkdir(parents=True)
    with Store(f"sqlite:///{database}") as store:
        for name in names:
            put_house_bot(name, game, folder)
            keep(store, pack(folder / name))


def trusting(script: str) -> str:
    """Return `script`, in which authors' bots are trusted if no sandbox works here."""
    if any(examine(layer, Limits()).sandbox for layer in CONFINING):
        return script
    commands = r"^(beanleague (?:bot check|bot submit|league run) .*)$"
    return re.sub(commands, r"\1 --trust-bots", script, flags=re.MULTILINE)
