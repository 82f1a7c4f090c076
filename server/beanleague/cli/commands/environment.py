"""`beanleague environment`: packages that bots of this machine can import."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.console import RenderableType
from rich.text import Text

from beanleague.answers.shapes import Json
from beanleague.cli.errors import CliError
from beanleague.cli.groups import Group
from beanleague.cli.views.output import Output, with_output
from beanleague.cli.views.text import counted
from beanleague.league.bots.environments import Environment, Environments
from beanleague.league.errors import LeagueError

_MAX_NAMES = 12  # importable names shown of an environment; --json has all


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
    help="What to install, with hashes, as pip reads it.",
)
@with_output
def add(name: str, requirements: Path, out: Output) -> None:
    """Install an environment, or a new one of this name.

    pip installs wheels whose hashes are in FILE, and runs nothing of them. Bots that were submitted before
    keep the packages that they were submitted with.
    """
    try:
        added = Environments().add(name, requirements)
    except LeagueError as error:
        raise CliError(str(error)) from None
    bots = f'Bots use it with: environment = "{name}"'
    out.show(shape(added), [f"Installed {name} (digest {added.digest[:16]}): {_listed(added)}.", bots])


@environment.command("list")
@with_output
def list_environments(out: Output) -> None:
    """List the environments of this machine, with what is importable."""
    found = Environments().all()
    hint = "No environments yet; make one with: beanleague environment add NAME --requirements FILE"
    out.show({"environments": [shape(each) for each in found]}, page(found) if found else [hint])


@environment.command("remove")
@click.argument("name")
@with_output
def remove(name: str, out: Output) -> None:
    """Remove an environment, by its name, or by its digest where it has no name any more.

    Bots that were submitted with it cannot play on this machine any more, until the same packages are
    installed again.
    """
    try:
        Environments().remove(name)
    except LeagueError as error:
        raise CliError(str(error)) from None
    out.show({"removed": name}, [f"Removed {name}."])


def shape(found: Environment) -> dict[str, Json]:
    """Return an environment for --json."""
    installed: Json = list(found.distributions())
    importable: Json = list(found.importable())
    return {"name": found.name, "digest": found.digest, "installed": installed, "importable": importable}


def page(found: Sequence[Environment]) -> Iterator[RenderableType]:
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
    return ", ".join(names) if len(names) <= _MAX_NAMES else counted(len(names), "package")
