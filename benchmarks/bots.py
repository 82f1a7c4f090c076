"""Bots of the benchmarks: default players, and house bots under other names."""

from __future__ import annotations

import re
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


_PLAIN = """
# {number}
from beanbot import run
from beanbot.bohnanza import BohnanzaBot


class Plain(BohnanzaBot):
    pass


run(Plain)
"""


def trivial(folder: Path, number: int) -> Path:
    """Write the bundle of trivial bot `number`, which plays one action at each decision; return its folder."""
    return _written(folder, number, _PROGRAM)


def plain(folder: Path, number: int) -> Path:
    """Write the bundle of trivial bot `number`, which overrides nothing of the library; return its folder."""
    return _written(folder, number, _PLAIN)


def renamed(bot: Path, folder: Path) -> Path:
    """Copy a bot into `folder`, with the name of that."""
    folder.mkdir(parents=True)
    for file in bot.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    manifest = folder / "bot.toml"
    manifest.write_text(re.sub(r"(?m)^name = .*$", f'name = "{folder.name}"', manifest.read_text("utf-8")), "utf-8")
    return folder


def _written(folder: Path, number: int, program: str) -> Path:
    bundle = folder / f"trivial-{number}"
    bundle.mkdir(parents=True, exist_ok=True)
    (bundle / "bot.toml").write_text(_MANIFEST.format(number=number))
    (bundle / "bot.py").write_text(program.format(number=number))
    return bundle
