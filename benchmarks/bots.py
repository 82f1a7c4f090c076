"""The bots that benchmarks play with: they play the default actions, one at each decision."""

from __future__ import annotations

from pathlib import Path

_MANIFEST = """
name = "trivial-{number}"
games = ["bohnanza"]
command = ["python", "bot.py"]
description = "Plays the default actions."
"""

_PROGRAM = """
# {number}
from beanbot import run
from beanbot.bohnanza import BohnanzaBot


class Trivial(BohnanzaBot):
    news = False

    def decide(self, view):
        return view.default()


run(Trivial)
"""


def trivial(folder: Path, number: int) -> Path:
    """Write the bundle of trivial bot `number` into `folder`; return its folder."""
    bundle = folder / f"trivial-{number}"
    bundle.mkdir(parents=True, exist_ok=True)
    (bundle / "bot.toml").write_text(_MANIFEST.format(number=number))
    (bundle / "bot.py").write_text(_PROGRAM.format(number=number))
    return bundle
