"""The command `beanbot`: practice, analyses and rotations; each is also a module for `python -m`.

An installed command imports nothing from the current folder; `python -m` would, before any of our code runs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

_COMMANDS = {
    "practice": ("beanbot.practice.__main__", "play bots against each other in one process"),
    "analyse": ("beanbot.analyse", "say how a match went, or what many say of a bot"),
    "rotations": ("beanbot.rotations", "show what each bot made of the same cards"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code. Wrong usage exits with 2."""
    words = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(
        prog="beanbot",
        description="Tools for authors of bots. They run bots as you, without a sandbox: 'beanleague practice' is for "
        "those of others.",
        usage="beanbot [-h] COMMAND ...",
        epilog="'beanbot COMMAND --help' describes a command.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (_, text) in _COMMANDS.items():
        commands.add_parser(name, help=text, add_help=False)
    module, _ = _COMMANDS[parser.parse_args(words[:1]).command]
    code: int = import_module(module).main(words[1:])
    return code


if __name__ == "__main__":
    sys.exit(main())
