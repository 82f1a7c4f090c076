"""Looks for bundles and sockets of others."""

import os
import sys
from pathlib import Path

from attacker import attempt, play


def attack() -> object:
    own = os.environ["BEANLEAGUE_SOCKET"].removeprefix("unix:")
    parents = {*Path(own).parents, *Path.cwd().parents, Path("/tmp"), Path("/var/tmp"), Path.home()}
    here = sorted(parents - {Path("/")})
    found = []
    for folder in here:
        if os.access(folder, os.R_OK):
            try:
                found += [str(path) for path in folder.rglob("*") if path.name in {"bot.toml", "referee"}]
            except OSError:
                continue
    # With the interpreter come Beanleague and the house bots, which everybody has; sys.path, where they are editable.
    everybodys = [sys.prefix, *sys.path[1:]]
    return [path for path in found if path != own and not any(map(Path(path).is_relative_to, everybodys))]


attempt(attack)
play()
