"""Check that functions stay simple: none outside of games/ gets a cyclomatic complexity above 10.

    python tools/check_complexity.py          # check
    python tools/check_complexity.py --write  # store shorter limits, after functions have become simpler

Older functions are listed in tools/complexity.toml with their complexity, which may only fall: a function that has
become simpler gets its new figure there, one that has reached 10 leaves the list. Counted by radon, where each branch,
loop, Boolean operator, comprehension and handler adds 1.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from radon.complexity import cc_visit
from radon.visitors import Class, Function

ROOT = Path(__file__).parents[1]
LIST = ROOT / "tools" / "complexity.toml"
HEAD = """\
# Functions of a complexity above 10, by file. The list only shrinks: tools/check_complexity.py.
"""
LIMIT = 10
"""Highest complexity of a function that is not listed."""
FOLDERS = ("server", "sdk", "bots", "tools", "benchmarks", "examples")
EXCLUDED = "server/beanleague/games"
"""A phase of a rule book has as many cases as it has, and reads best in one place."""


def functions(source: str) -> Iterator[tuple[str, int]]:
    """Yield the qualified name and the complexity of each function and method; a closure counts for its owner."""
    for block in cc_visit(source):
        if isinstance(block, Class):
            yield from ((f"{block.name}.{method.name}", method.complexity) for method in block.methods)
        elif isinstance(block, Function) and not block.is_method:
            yield block.name, block.complexity


def complex_functions(root: Path = ROOT) -> dict[str, dict[str, int]]:
    """Return the complexity of functions above the limit, by file below `root` and by name."""
    complexity: dict[str, dict[str, int]] = {}
    for file in sorted(file for folder in FOLDERS for file in (root / folder).rglob("*.py")):
        path = file.relative_to(root).as_posix()
        if path.startswith(f"{EXCLUDED}/") or file.stem.endswith(("_pb2", "_pb2_grpc")):
            continue
        for name, figure in functions(file.read_text("utf-8")):
            if figure > LIMIT:  # of functions with one name, such as a property and its setter, the most complex counts
                named = complexity.setdefault(path, {})
                named[name] = max(figure, named.get(name, 0))
    return complexity


def complaints(now: dict[str, dict[str, int]], listed: dict[str, dict[str, int]]) -> Iterator[str]:
    """Yield a line for each function above its limit, and for each limit that is higher than it must be."""
    for path in sorted(now.keys() | listed.keys()):
        figures, limits = now.get(path, {}), listed.get(path, {})
        for name in sorted(figures.keys() | limits.keys()):
            figure, limit = figures.get(name, LIMIT), limits.get(name, LIMIT)
            if figure > limit:
                yield f"{path}: {name} has a complexity of {figure}; at most {limit}: name a part of it"
            elif figure < limit:
                yield f"{path}: {name} is simpler than listed ({limit}): python tools/check_complexity.py --write"


def as_toml(complexity: dict[str, dict[str, int]]) -> str:
    """Return the text of the list."""
    tables = (
        "\n".join([f'["{path}"]', *(f'"{name}" = {figure}' for name, figure in sorted(named.items()))])
        for path, named in sorted(complexity.items())
    )
    return "\n\n".join([HEAD.rstrip("\n"), *tables]) + "\n"


def lowered(now: dict[str, dict[str, int]], listed: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    """Return the list with limits lowered to today's complexity; none rises, and none is added."""
    limits = {
        path: {name: min(limit, now.get(path, {}).get(name, LIMIT)) for name, limit in named.items()}
        for path, named in listed.items()
    }
    above = {path: {name: limit for name, limit in named.items() if limit > LIMIT} for path, named in limits.items()}
    return {path: named for path, named in above.items() if named}


def main(arguments: list[str]) -> int:
    """Check or write the list; return the exit status."""
    now = complex_functions()
    listed = tomllib.loads(LIST.read_text("utf-8"))
    if arguments == ["--write"]:
        listed = lowered(now, listed)
        LIST.write_text(as_toml(listed), "utf-8")
    lines = list(complaints(now, listed))
    print(*lines, f"{sum(map(len, now.values()))} functions are above a complexity of {LIMIT}.", sep="\n")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
