"""Check the types of the bots in README.md and docs/, and of those that `beanleague bot new` makes, with mypy."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from beanleague.cli.starter import starter
from beanleague.games import rulesets

ROOT = Path(__file__).parents[1]


def programs() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each program in Python."""
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
    """Check all programs at once, and return mypy's exit code."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in programs():
            (Path(folder) / f"{name}.py").write_text(text, "utf-8")
        files = map(str, sorted(Path(folder).iterdir()))
        line = [sys.executable, "-m", "mypy", *files]
        return subprocess.run(line, cwd=ROOT, env={**os.environ, "MYPYPATH": folder}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
