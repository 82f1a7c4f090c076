"""`beanleague doctor` and `environment`: what is found on this machine."""

import json
from pathlib import Path

import pytest

from beanleague.league.bots.environments import VARIABLE
from beanleague.referee.messages import Limits
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox import in_memory, probe
from beanleague.referee.sandbox.cgroups import ControlGroups
from beanleague.referee.sandbox.layers import ABOUT, CONFINING, Layer, SandboxError
from beanleague.referee.sandbox.probe import LayerFinding, choose, examine
from tests.cli.conftest import Run
from tests.league.bots.test_environments import requirements, wheel


def test_the_first_layer_that_works_is_the_one_bots_get(run: Run) -> None:
    result = run("doctor", "--json")
    answer = json.loads(result.stdout)
    works = {layer["layer"]: layer["works"] for layer in answer["layers"]}
    assert list(works) == list(Layer)
    assert answer["used"] == next((layer for layer in CONFINING if works[layer]), None)
    assert result.exit_code == (0 if answer["used"] else 1)
    assert choose(Limits(), trusted=True).layer == (answer["used"] or Layer.PLAIN)
    assert bool(answer["control_groups"]["controllers"]) != bool(answer["control_groups"]["why_not"])


def test_doctor_shows_the_gaps_of_each_layer(run: Run) -> None:
    output = " ".join(run("doctor").stdout.split())
    for layer in Layer:
        assert layer in output
        assert " ".join(ABOUT[layer].lacks.split()) in output
    assert "control groups" in output


def test_doctor_shows_whether_leagues_can_be_isolated(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    if examine(Layer.BUBBLEWRAP, Limits()).sandbox is None:
        assert f"isolated leagues  do not work here: {Layer.BUBBLEWRAP} does not work" in run("doctor").stdout
        pytest.skip("bubblewrap does not work here")
    monkeypatch.setattr(in_memory, "_free_mib", lambda: 64)  # as in a container of Docker
    assert "isolated leagues  do not work here: a copy of all files that bots read" in run("doctor").stdout
    assert json.loads(run("doctor", "--json").stdout)["isolated_leagues"]["works"] is False
    with pytest.raises(SandboxError, match=r"this league is isolated, which is not possible here: .* 64 MiB left"):
        WorkerPool([], Limits(), workers=1, in_flight=1, isolate=True)
    monkeypatch.setattr(in_memory, "_free_mib", lambda: 1024)
    assert "isolated leagues  work\n" in run("doctor").stdout
    monkeypatch.setattr(in_memory, "MEMORY", Path("/proc"))
    assert "no tmpfs is mounted at /proc" in run("doctor").stdout


def test_without_control_groups_it_says_that_bots_start_no_programs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    if not any(examine(layer, Limits()).sandbox for layer in CONFINING):
        pytest.skip("no layer works here")
    monkeypatch.setattr(
        "beanleague.cli.commands.machine.groups_here", lambda _: ControlGroups(why_not="there are none")
    )
    assert "They start no programs: " in run("doctor").stdout


@pytest.mark.parametrize("uid", [0, 1000])
def test_doctor_shows_whether_all_bots_run_as_one_user(run: Run, monkeypatch: pytest.MonkeyPatch, uid: int) -> None:
    if not any(examine(layer, Limits()).sandbox for layer in CONFINING):
        pytest.skip("no layer works here")
    findings = {layer: examine(layer, Limits()) for layer in Layer}
    monkeypatch.setattr("beanleague.cli.commands.machine.examine", lambda layer, _: findings[layer])
    monkeypatch.setattr("beanleague.referee.sandbox.capabilities.os.getuid", lambda: uid)
    assert ("They all run as one user" in " ".join(run("doctor").stdout.split())) == (uid != 0)
    assert json.loads(run("doctor", "--json").stdout)["own_users"] == (uid == 0)


def test_doctor_shows_the_kind_of_host_and_possible_improvements(run: Run) -> None:
    answer = json.loads(run("doctor", "--json").stdout)
    page = " ".join(run("doctor").stdout.split())
    assert ("here root, " if answer["root"] else "here an ordinary user, ") in page
    assert ("with the package bubblewrap" if answer["bubblewrap"] else "without the package bubblewrap") in page
    assert ("bots in Python are forked" in page) == answer["forked_bots"]["works"]
    assert answer["forked_bots"]["why_not"] in page
    for kind in ("faster", "stronger"):
        for advice in answer[kind]:
            assert f"{kind}: {advice}" in page
    assert bool(answer["faster"]) != answer["forked_bots"]["works"]


def test_where_no_layer_works_it_says_why_and_strangers_are_not_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(layer: Layer, limits: Limits) -> LayerFinding:
        return examine(layer, limits) if layer is Layer.PLAIN else LayerFinding(layer, None, "namespaces are refused")

    monkeypatch.setattr("beanleague.cli.commands.machine.examine", refused)
    result = run("doctor")
    assert result.exit_code == 1
    assert result.stdout.count("does not work here: namespaces are refused") == len(CONFINING)
    assert "--trust-bots" in result.stdout
    monkeypatch.setattr(probe, "examine", refused)
    with pytest.raises(SandboxError, match=r"no sandbox works on this machine .*: namespaces are refused"):
        choose(Limits(), trusted=False)
    assert choose(Limits(), trusted=True).layer is Layer.PLAIN


def test_doctor_shows_whether_this_machine_can_be_a_node_of_a_cluster(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = json.loads(run("doctor", "--json").stdout)
    assert used["cluster_node"]["works"] is bool(used["used"])
    monkeypatch.setattr(
        "beanleague.cli.commands.machine.examine", lambda layer, _: LayerFinding(layer, None, "it is closed")
    )
    assert "node of a cluster  only for trusted bots: no layer that works here closes the network" in " ".join(
        run("doctor").stdout.split("\n")
    )
    assert json.loads(run("doctor", "--json").stdout)["cluster_node"]["works"] is False


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "environments"))


def test_an_environment_is_added_listed_and_removed(run: Run, tmp_path: Path) -> None:
    assert run("environment", "list").output.startswith("No environments yet; create one with: beanleague environment")
    added = run("environment", "add", "beans", "--requirements", str(requirements(wheel(tmp_path))))
    assert added.exit_code == 0, added.output
    assert "tiny 1.0" in added.output
    assert 'environment = "beans"' in added.output
    listed = run("environment", "list").output
    assert "beans  digest " in listed
    assert "importable: tiny" in listed
    (shape,) = json.loads(run("environment", "list", "--json").stdout)["environments"]
    assert (shape["name"], shape["installed"], shape["importable"]) == ("beans", ["tiny 1.0"], ["tiny"])
    assert "importable: tiny" in run("doctor").output
    assert run("environment", "remove", "beans").output == "Removed beans.\n"


def test_a_failed_command_about_environments_prints_a_sentence(run: Run, tmp_path: Path) -> None:
    missing = run("environment", "remove", "beans")
    assert missing.exit_code == 1
    assert missing.stderr == "Error: there is no environment 'beans' here; there are none\n"
    unsealed = run("environment", "add", "beans", "--requirements", str(requirements(wheel(tmp_path), hashed=False)))
    assert unsealed.exit_code == 1
    assert unsealed.stderr.startswith("Error: pip cannot install it:")
    assert "Traceback" not in unsealed.stderr
