"""The bots that benchmarks play with: they play the default actions."""

from __future__ import annotations

from pathlib import Path

_MANIFEST = """
name = "trivial-{number}"
games = ["bohnanza"]
command = ["python", "bot.py"]
description = "Plays the defaults, and counts what it is sent."
"""

# On stderr, every 1,000 messages: how many messages it was sent, and how many requests they held.
_PROGRAM = """
# {number}
import sys

from beanbot import run
from beanbot.bohnanza import BohnanzaBot
from beanbot._runtime.session import Session

COUNTED = 1_000
messages = requests = 0
receive = Session.receive


def counting(session, message):
    global messages, requests
    messages += 1
    requests += len(message.requests)
    if messages % COUNTED == 0:
        print(messages, requests, file=sys.stderr)
    return receive(session, message)


class Trivial(BohnanzaBot):
    news = False


Session.receive = counting
run(Trivial)
"""


def trivial(folder: Path, number: int) -> Path:
    """Write the bundle of trivial bot `number` into `folder`; return its folder."""
    bundle = folder / f"trivial-{number}"
    bundle.mkdir(parents=True, exist_ok=True)
    (bundle / "bot.toml").write_text(_MANIFEST.format(number=number))
    (bundle / "bot.py").write_text(_PROGRAM.format(number=number))
    return bundle
