"""Check with mypy the types of the bots in bots/, README.md and docs/, and of new bots of `beanleague bot new`.

With `--pyright` basedpyright checks those in the pages and those that are made, strictly, as editors do it.

All at once: what they import takes mypy longer than the bots. As bundles are programs of their own, with modules of the
same names, each becomes a package here.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from beanleague.games import rulesets
from beanleague.starter import starter

ROOT = Path(__file__).parents[1]


def modules() -> Iterator[tuple[str, str]]:
    """Yield the file and the text of each module of each program."""
    yield from bundles()
    for name, text in programs():
        yield f"{name}.py", text


def bundles() -> Iterator[tuple[str, str]]:
    """Yield the file and the text of each module in bots/, with its imports changed to imports within a package."""
    for bundle in sorted(file.parent for file in (ROOT / "bots").glob("*/bot.py")):
        names = "|".join(file.stem for file in bundle.glob("*.py"))
        for file in bundle.glob("*.py"):
            text = re.sub(rf"^from ({names}) import ", r"from .\1 import ", file.read_text("utf-8"), flags=re.MULTILINE)
            yield f"bots_{bundle.name}/{file.name}", text  # without bots_, the name could be one of the library's


def programs() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each program in a page, and of each that is made."""
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        blocks = re.finditer(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        for block in blocks:
            if "\nrun(" not in block[1]:
                continue
            line = block.string.count("\n", 0, block.start(1)) + 1
            yield f"{page.stem.lower().replace('-', '_')}_{line}", block[1]
    for game in (ruleset.id for ruleset in rulesets()):
        name = f"starter_{game.replace('-', '_')}"
        yield name, starter(name, game)["bot.py"]


def main() -> int:
    """Check all programs at once; return the type checker's exit code."""
    by_pyright = sys.argv[1:] == ["--pyright"]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in ((f"{name}.py", text) for name, text in programs()) if by_pyright else modules():
            file = Path(folder) / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, "utf-8")
        if by_pyright:
            settings = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT / path) for path in ("sdk", "server")]}
            Path(folder, "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
            line = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "-p", folder]
            return subprocess.run(line, check=False).returncode
        line = [sys.executable, "-m", "mypy", folder]
        return subprocess.run(line, cwd=ROOT, env={**os.environ, "MYPYPATH": folder}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
