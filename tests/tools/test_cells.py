"""Tests run as on other people's machines, and end with a word about the machine."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import TIMEOUT_S, ending

TOOLS = Path(__file__).parents[2] / "tools"
PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv.pop(1))
import cells
cells.ROOT = Path(sys.argv.pop(1))
sys.exit(cells.main())
"""
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can enter another cell")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with one file, of which a clone takes no time."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "README.md").write_text("A project")
    git = ("git", "-c", "user.name=ann", "-c", "user.email=ann@example.org")
    for words in (("init", "--quiet"), ("add", "README.md"), ("commit", "--quiet", "--message", "Begin")):
        subprocess.run([*git, *words], cwd=folder, check=True)
    return folder


def cells(*words: str, status: int = 0, project: Path = Path(), **environment: str) -> str:
    """Run the program on a project; return what it printed, its errors among it."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(TOOLS), str(project), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == status, done.stdout
    return done.stdout


class TestHere:
    def test_the_exit_status_of_the_command_is_kept(self) -> None:
        cells("here", "sh", "-c", "exit 3", status=3)
        cells("here", "sh", "-c", "kill -TERM $$", status=128 + signal.SIGTERM)

    def test_skipped_tests_are_counted_by_reason_after_all_output(self) -> None:
        lines = ["SKIPPED [2] tests/a.py:3: no npm", "SKIPPED [1] tests/b.py: no npm", "SKIPPED [1] tests/a.py:9: root"]
        *_, skipped, npm, root = cells("here", "printf", r"%s\n", *lines).splitlines()
        assert [skipped, npm, root] == ["Skipped: 4", "     3  no npm", "     1  root"]

    def test_missing_packages_are_named(self, tmp_path: Path) -> None:
        (tmp_path / "true").symlink_to("/bin/true")
        said = cells("here", "true", PATH=str(tmp_path)).splitlines()[-2]
        assert ("as root, " if os.geteuid() == 0 else "as an ordinary user, ") in said
        assert "bubblewrap, chromium-headless-shell, iproute2, nginx-light" in said

    def test_a_request_to_end_reaches_the_command(self) -> None:
        script = "trap 'echo ended; exit 5' TERM; echo begun; while :; do sleep 0.05; done"
        words = [sys.executable, "-c", PROGRAM, str(TOOLS), ".", "here", "sh", "-c", script]
        with ending(subprocess.Popen(words, stdout=subprocess.PIPE, text=True)) as asked:
            assert asked.stdout
            assert asked.stdout.readline() == "begun\n"
            asked.terminate()
            assert asked.stdout.readline() == "ended\n"
            asked.stdout.read()
            assert asked.wait(TIMEOUT_S) == 5


class TestSettings:
    def test_certificates_proxies_and_registries_are_kept_and_nothing_else(self, tool: Any) -> None:
        kept = {"PIP_CERT": "/a", "NODE_EXTRA_CA_CERTS": "/a", "https_proxy": "b", "npm_config_registry": "c"}
        got = tool.settings({**kept, "PYTHONPATH": "/evil", "SECRET": "d"}, Path("/home"), Path("/clone"))
        assert got == {**kept, "HOME": "/home", "PATH": tool.PATHS}

    def test_a_file_of_the_project_is_named_in_the_clone(self, tool: Any) -> None:
        pins = {"PIP_CONSTRAINT": f"{tool.ROOT}/.ci/constraints.txt"}
        assert tool.settings(pins, Path("/home"), Path("/clone"))["PIP_CONSTRAINT"] == "/clone/.ci/constraints.txt"

    def test_files_named_by_variables_are_copied_but_those_of_the_clone(self, tool: Any, tmp_path: Path) -> None:
        (tmp_path / "root.pem").write_text("a certificate")
        clone, folder = tmp_path / "clone", tmp_path / "settings"
        clone.mkdir()
        (clone / "pins.txt").touch()
        other = {"PIP_CONSTRAINT": str(clone / "pins.txt"), "SSL_CERT_DIR": str(tmp_path), "LANG": "C"}
        got = tool.copy_named_files({"PIP_CERT": str(tmp_path / "root.pem"), **other}, folder, clone)
        assert got == {"PIP_CERT": str(folder / "PIP_CERT"), **other}
        assert [(file.name, file.read_text()) for file in folder.iterdir()] == [("PIP_CERT", "a certificate")]


class TestEnter:
    def test_only_root_may(self, tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
        with pytest.raises(tool.CellError, match="only root"):
            tool.enter(["true"], None, (), 0o022)

    @AS_ROOT
    def test_a_user_that_is_not_there_is_named_with_the_remedy(self, project: Path) -> None:
        assert "useradd --system nobody-here" in cells(
            "enter", "--user", "nobody-here", "true", status=1, project=project
        )

    @AS_ROOT
    def test_the_command_runs_as_the_user_in_a_clone_of_its_own(self, tool: Any, project: Path) -> None:
        if shutil.which("python3", path=tool.PATHS) is None:
            pytest.skip("there is no Python that other users may start")
        asked = ("sh", "-c", "id -un; umask; stat -c '%U %a' README.md")
        said = cells("enter", "--user", "nobody", "--umask", "077", *asked, project=project)
        assert said.split() == ["nobody", "0077", "nobody", "600"]

    @AS_ROOT
    def test_the_exit_status_is_kept_and_nothing_is_left_behind(self, project: Path) -> None:
        (folder,) = cells("enter", "sh", "-c", "pwd; exit 4", status=4, project=project).split()
        assert not Path(folder).parent.exists()

    @AS_ROOT
    def test_packages_are_hidden_from_a_bare_cell_only(self, project: Path, tmp_path: Path) -> None:
        can = subprocess.run(["unshare", "--mount", "true"], capture_output=True, text=True, check=False)
        if can.returncode:
            pytest.skip(f"packages cannot be hidden here: {can.stderr.strip()}")
        program = tmp_path / "openssl"
        program.write_text("#!/bin/sh\necho found")
        program.chmod(0o755)
        path = f"{tmp_path}:{os.environ['PATH']}"
        asked = ("sh", "-c", f"{program} 2>&1 || echo hidden")
        assert cells("enter", *asked, PATH=path, project=project).split() == ["found"]
        assert cells("enter", "--bare", *asked, PATH=path, project=project).split()[-1] == "hidden"
        assert subprocess.run([program], capture_output=True, check=True).stdout == b"found\n"

    @AS_ROOT
    def test_the_clone_of_a_call_that_was_killed_is_removed_by_the_next(self, project: Path) -> None:
        with subprocess.Popen(["true"]) as ended:
            pass
        killed, going_on = (Path(f"/var/tmp/beanleague-cell-{process}-test") for process in (ended.pid, os.getpid()))
        try:
            for folder in (killed, going_on):
                (folder / "beanleague").mkdir(parents=True)
            cells("enter", "true", project=project)
            assert not killed.exists()
            assert going_on.exists()
        finally:
            for folder in (killed, going_on):
                shutil.rmtree(folder, ignore_errors=True)
