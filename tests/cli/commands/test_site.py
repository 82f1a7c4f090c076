"""`beanleague site`."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.conftest import On


def test_a_site_is_written_once(on: On, spring: str, tmp_path: Path) -> None:
    target = tmp_path / "public"
    first = on("site", str(target))
    assert first.exit_code == 0, first.output
    assert re.search(r"Wrote \d+ files \(0\.\d MiB\), 12 matches among them\.", first.stdout)
    assert f"Begin at {target / 'index.html'}" in first.stdout
    assert (target / f"matches/{spring}/4.2.html").is_file()
    assert on("site", str(target)).stdout == f"{target} is up to date.\n"


def test_a_folder_that_cannot_be_used_is_an_error(on: On, spring: str, tmp_path: Path) -> None:
    del spring
    (tmp_path / "thesis.txt").write_text("all of it")
    refused = on("site", str(tmp_path))
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "has files that are not of a site" in refused.stderr
    nowhere = on("site", "/proc/nowhere")
    assert nowhere.exit_code == 1
    assert "cannot write /proc/nowhere: No such file or directory" in nowhere.stderr
