"""Write the newest versions of everything that tests, lint, docs and the build need, as constraints for pip.

    make pins

pip works them out (pip install --dry-run) and nothing is installed. Needs pip 25.1.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAD = "# What .ci/run installs, through PIP_CONSTRAINT. Written by tools/pins.py; to update it: make pins\n"


def main(file: Path) -> None:
    """Write the constraints to `file`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        "editables",
        "pip",
        "tox>=4.22",
    ]
    for extra in project["project"]["optional-dependencies"].values():
        wanted += extra
    groups = [
        word for name in project["dependency-groups"] for word in ("--group", f"{ROOT / 'pyproject.toml'}:{name}")
    ]
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-"]
    env = {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"}
    report = subprocess.run([*command, *groups, *wanted], env=env, stdout=subprocess.PIPE, check=True).stdout
    found = {
        re.sub(r"[-_.]+", "-", package["metadata"]["name"]).lower(): package["metadata"]["version"]
        for package in json.loads(report)["install"]
    }
    file.write_text(HEAD + "".join(f"{name}=={found[name]}\n" for name in sorted(found)), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
