"""A hook of the build: a source distribution has the files that git tracks, and no others that lie about."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class TrackedFiles(BuildHookInterface):
    """Selects the files of the source distribution.

    Where git cannot list them, e.g. in an unpacked source distribution, all files are taken that no .gitignore names.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Let the builder take the tracked files only."""
        del version, build_data
        files = tracked(Path(self.root))
        if files:
            self.build_config.target_config["only-include"] = files
        else:
            self.app.display_warning("git does not list the files: the sdist may have some that are not tracked")


def tracked(root: Path) -> list[str]:
    """Return the names of the tracked files that are there; none if `root` is not the root of a git checkout."""
    if not (root / ".git").exists():
        return []
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True)  # noqa: S607
    except (OSError, subprocess.CalledProcessError):
        return []
    return [name for name in listed.stdout.decode().split("\0") if name and (root / name).is_file()]
