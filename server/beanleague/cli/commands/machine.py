"""`beanleague doctor` and `environment`: sandbox and packages of this machine."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import RenderableType
from rich.text import Text

from beanleague.answers import Json
from beanleague.cli.params import Group, failing
from beanleague.cli.views.output import Output, quantity, with_output
from beanleague.league.bots.environments import Environment, Environments
from beanleague.league.errors import LeagueError
from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.capabilities import Capabilities, capabilities
from beanleague.referee.sandbox.cgroups import CONTROLLERS, ControlGroups
from beanleague.referee.sandbox.in_memory import why_not_isolated
from beanleague.referee.sandbox.layers import ABOUT, CONFINING, Layer
from beanleague.referee.sandbox.probe import LayerFinding, examine, groups_here

_NO_NODE = "no layer that works here closes the network to bots"


@click.command("doctor")
@with_output
def doctor(out: Output) -> None:
    """Test every layer of the sandbox on this machine; show what each protects, and the environments.

    Bots run under the first layer that works. Exit code 1 means that none works, so only trusted
    bots can run here.
    """
    limits = Limits()
    findings = [examine(layer, limits) for layer in Layer]
    sandbox = next((found.sandbox for found in findings if found.sandbox and found.layer in CONFINING), None)
    groups = groups_here(limits)
    here = capabilities(sandbox, groups)
    isolated = why_not_isolated(limits)
    shape = _shape(findings, groups, isolated, here)
    with failing(LeagueError):
        environments = Environments().all()
    shape["environments"] = [_environment_shape(each) for each in environments]
    listed = ["\nEnvironments of bots:", *_environments(environments)] if environments else []
    out.show(shape, [*_page(findings, groups, isolated), *_summary(here), *listed])
    click.get_current_context().exit(0 if sandbox else 1)


def _shape(
    findings: Sequence[LayerFinding], groups: ControlGroups, isolated: str, here: Capabilities
) -> dict[str, Json]:
    """Return the findings for --json. `isolated`: reason why isolated leagues do not work, "" if they do."""
    layers: Json = [
        {"layer": each.layer, "works": each.sandbox is not None, "why_not": each.why_not, **asdict(ABOUT[each.layer])}
        for each in findings
    ]
    return {
        "used": here.layer,
        "layers": layers,
        "control_groups": {"controllers": list(groups.controllers), "why_not": groups.why_not},
        "isolated_leagues": {"works": not isolated, "why_not": isolated},
        "own_users": here.root,
        "cluster_node": {"works": bool(here.layer), "why_not": "" if here.layer else _NO_NODE},
        "root": here.root,
        "bubblewrap": here.bubblewrap,
        "programs": {"works": not here.why_no_programs, "why_not": here.why_no_programs},
        "forked_bots": {"works": not here.why_not_forked, "why_not": here.why_not_forked},
        "faster": list(here.faster()),
        "stronger": list(here.stronger()),
    }


def _page(findings: Sequence[LayerFinding], groups: ControlGroups, isolated: str) -> Iterator[RenderableType]:
    for found in findings:
        yield from _layer(found)
    yield from _control_groups(groups)
    used = any(found.sandbox and found.layer in CONFINING for found in findings)
    state = ("can be one", "green") if used else (f"only for trusted bots: {_NO_NODE}", "red")
    yield Text.assemble(("node of a cluster", "bold"), "  ", state)
    state = (f"do not work here: {isolated}", "red") if isolated else ("work", "green")
    yield Text.assemble(("isolated leagues", "bold"), "  ", state)


def _layer(found: LayerFinding) -> Iterator[RenderableType]:
    """Yield the lines about a sandbox layer: its state, its protection and its gaps."""
    about = ABOUT[found.layer]
    state = ("works", "green") if found.sandbox else (f"does not work here: {found.why_not}", "red")
    yield Text.assemble((found.layer, "bold"), "  ", state)
    yield Text(f"  {about.what}")
    yield Text(f"  covers: {about.covers}")
    yield Text(f"  lacks:  {about.lacks}")
    if found.sees_others and found.layer in CONFINING:
        yield Text("  here:   bots get no mounts of their own, and see the descriptors and threads of others", "yellow")


def _control_groups(groups: ControlGroups) -> Iterator[RenderableType]:
    """Yield the limits that control groups can and cannot set here."""
    missing = [controller for controller in CONTROLLERS if controller not in groups.controllers]
    state = (f"limit {', '.join(groups.controllers)}", "green") if groups.controllers else ("none", "yellow")
    yield Text.assemble(("control groups", "bold"), "  ", state)
    if missing:
        yield Text(f"  not limited: {', '.join(missing)}" + (f" ({groups.why_not})" if groups.why_not else ""))


def _summary(here: Capabilities) -> Iterator[RenderableType]:
    """Yield the kind of this machine, the restrictions of bots on it, and possible improvements."""
    yield ""
    yield Text.assemble(("here", "bold"), f"  {here.summary()}")
    for kind, advice in (("faster", here.faster()), ("stronger", here.stronger())):
        yield from (Text(f"  {kind}: {sentence}") for sentence in advice)
    yield ""
    if here.layer:
        yield Text(f"Bots run under {here.layer} here.")
        if here.why_no_programs:
            yield Text(f"They start no programs: {here.why_no_programs}.")
        if not here.root:
            yield Text(
                "They all run as one user, so replays of a deal can signal to each other, fast and exactly, "
                "through the number of descriptors in transit over sockets. To prevent this, run as root or use "
                "isolated leagues."
            )
    else:
        yield Text(
            "No sandbox works here: only the house bots can run, and with --trust-bots all others, unprotected. To "
            "change this, install the package bubblewrap, or allow this user to create namespaces (sysctl "
            "user.max_user_namespaces)."
        )


_MAX_NAMES = 12  # importable names shown per environment; --json has all


@click.group("environment", cls=Group)
def environment() -> None:
    """Install packages that bots can import; see docs/environments.md.

    Environments belong to this machine. Bots name theirs in bot.toml.
    """


@environment.command("add")
@click.argument("name")
@click.option(
    "--requirements",
    required=True,
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Requirements file for pip, with hashes.",
)
@with_output
def add(name: str, requirements: Path, out: Output) -> None:
    """Install an environment, or replace the one with this name.

    pip installs the wheels listed in FILE with their hashes, and does not run their code. Bots submitted earlier keep
    their packages.
    """
    with failing(LeagueError):
        added = Environments().add(name, requirements)
    bots = f'Bots use it with: environment = "{name}"'
    out.show(_environment_shape(added), [f"Installed {name} (digest {added.digest[:16]}): {_listed(added)}.", bots])


@environment.command("list")
@with_output
def list_environments(out: Output) -> None:
    """List the environments of this machine, with their importable modules."""
    with failing(LeagueError):
        found = Environments().all()
    hint = "No environments yet; create one with: beanleague environment add NAME --requirements FILE"
    out.show({"environments": [_environment_shape(each) for each in found]}, _environments(found) if found else [hint])


@environment.command("remove")
@click.argument("name")
@with_output
def remove(name: str, out: Output) -> None:
    """Remove an environment by its name, or by its digest if it no longer has a name.

    Bots submitted with it can no longer play on this machine until the same packages are installed again.
    """
    with failing(LeagueError):
        Environments().remove(name)
    out.show({"removed": name}, [f"Removed {name}."])


def _environment_shape(found: Environment) -> dict[str, Json]:
    """Return the JSON form of an environment."""
    installed: Json = list(found.distributions())
    importable: Json = list(found.importable())
    return {"name": found.name, "digest": found.digest, "installed": installed, "importable": importable}


def _environments(found: Sequence[Environment]) -> Iterator[RenderableType]:
    """Yield a few lines for each environment."""
    for each in found:
        name = (each.name, "bold") if each.name else ("without a name", "dim")
        yield Text.assemble(name, f"  digest {each.digest[:16]}")
        yield Text(f"  installed:  {_listed(each)}")
        names = each.importable()
        more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
        yield Text(f"  importable: {', '.join(names[:_MAX_NAMES])}{more}")


def _listed(found: Environment) -> str:
    names = found.distributions()
    return ", ".join(names) if len(names) <= _MAX_NAMES else quantity(len(names), "package")
