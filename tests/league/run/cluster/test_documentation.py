"""What docs/cluster.md tells people to type, typed."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="needs the packages of the extra cluster")

from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.layers import CONFINING
from beanleague.referee.sandbox.probe import examine
from beanleague.store import Store
from tests.chaos.leagues import new_league
from tests.league.run.cluster import forward
from tests.league.run.cluster.hosts import Host, Program, hosts

PAGE = Path(__file__).parents[4] / "docs" / "cluster.md"
COPY = """#!/bin/sh
exec cp -r "$2" ../host2/
"""
"""Instead of `scp`, which needs a server of SSH on the other host."""


READY = {"cluster scheduler": "Scheduling", "node": "Connected", "ssh": "ready"}
"""What a program says as soon as others can use it."""


def blocks(heading: str) -> list[tuple[str, bool, str]]:
    """The commands of a section: where each is typed, whether it goes on for good, and its text."""
    section = PAGE.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found = re.findall(r"```sh\n# on (\S+?)(, for good)?\n(.*?)```", section, re.DOTALL)
    return [(where, bool(good), text) for where, good, text in found]


def type_all(on: Mapping[str, Host], heading: str) -> list[Program]:
    """Type the commands of a section; return what goes on."""
    running = []
    for where, for_good, text in blocks(heading):
        program = on[where].start("bash", "-c", f"set -e\n{'exec ' if for_good else ''}{text}")
        if for_good:
            program.says(next(says for word, says in READY.items() if word in text))
            running.append(program)
        else:
            assert program.end() == 0, program.text
    return running


def install(folder: Path, name: str, text: str) -> None:
    """Put a program on a host's path."""
    folder.joinpath("bin").mkdir(exist_ok=True)
    folder.joinpath("bin", name).write_text(text)
    folder.joinpath("bin", name).chmod(0o755)


def league_on(host: Host) -> Path:
    """Make the league "spring" where the commands look for it."""
    folder = host.home / ".local" / "share" / "beanleague"
    folder.mkdir(parents=True)
    return new_league(folder / "beanleague.db", 4, "bohnanza-two")


def is_played(file: Path) -> bool:
    with Store(f"sqlite:///{file}") as store:
        return store.leagues.get("spring").deals_done == 4


@pytest.fixture(autouse=True)
def _sandbox() -> None:
    if not any(examine(layer, Limits()).sandbox for layer in CONFINING):
        pytest.skip("no sandbox works here, so nodes refuse bots")


@pytest.mark.slow
def test_two_hosts_play_a_league_by_copy_and_paste(tmp_path: Path) -> None:
    with hosts(tmp_path, 2) as made:
        on = {host.address: host for host in made}
        file = league_on(made[0])
        install(made[0].home, "scp", COPY)
        running = type_all(on, "Two hosts")
        assert is_played(file)
        assert "Node host1 has come" in running[0].text
        assert "Node host2 has come" in running[0].text
        assert "2 nodes with" in made[0].programs[-1].text


@pytest.mark.slow
def test_a_node_needs_no_more_than_one_forwarded_port(tmp_path: Path) -> None:
    """`ssh -L` is a program here that does the same, without a server of SSH."""
    with hosts(tmp_path, 2) as made:
        on = {host.address: host for host in made}
        file = league_on(made[0])
        install(made[1].home, "ssh", f"#!/bin/sh\nexec python {forward.__file__} 127.0.0.1 8786 192.0.2.1 2222\n")
        far = made[0].start("python", forward.__file__, "192.0.2.1", "2222", "127.0.0.1", "8786")
        far.says("ready")
        running = type_all(on, "Over SSH")
        run = made[0].start("beanleague", "league", "run", "spring", "--cluster", "tcp://127.0.0.1:8786")
        assert run.end() == 0, run.text
        assert is_played(file)
        assert "Node host2 has joined; 1 now." in running[0].text
