"""Why a layer of the sandbox does not work, in words that help."""

from pathlib import Path

import pytest

from beanleague.referee.sandbox.probe import explained


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"),
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "user.max_user_namespaces=15000"),
    ],
)
def test_a_failure_of_bubblewrap_is_told_with_the_remedy(tmp_path: Path, name: str, value: str, remedy: str) -> None:
    line = "bwrap: setting up uid map: Permission denied"
    assert explained(line, root=False, settings=tmp_path) == line
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_text(f"{value}\n")
    assert f"sysctl -w {remedy}" in explained(line, root=False, settings=tmp_path)
    assert explained("another program failed", root=False, settings=tmp_path) == "another program failed"
    assert (explained(line, root=True, settings=tmp_path) == line) is (name != "user/max_user_namespaces")
