"""`beanleague doctor`: how bots are kept from doing harm on this machine."""

from __future__ import annotations

import click
from rich.text import Text

from beanleague.cli.params.options import as_json
from beanleague.cli.views.output import console, print_json
from beanleague.cli.views.shapes import Json
from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.cgroups import CONTROLLERS, Groups
from beanleague.referee.sandbox.layers import ABOUT, CONFINING, Layer
from beanleague.referee.sandbox.probe import Finding, examine, groups_here


@click.command("doctor")
@as_json
def doctor(as_json: bool) -> None:
    """Try every layer of the sandbox on this machine, and tell what it covers and lacks.

    Bots run under the first that works. The exit code is 1 if only trusted bots can be run here.
    """
    limits = Limits()
    findings = [examine(layer, limits) for layer in Layer]
    used = next((found.layer for found in findings if found.sandbox and found.layer in CONFINING), None)
    groups = groups_here(limits)
    if as_json:
        told: Json = {"controllers": list(groups.controllers), "why_not": groups.why_not}
        print_json({"used": used, "layers": [_shape(found) for found in findings], "control_groups": told})
    else:
        _show(findings, groups, used)
    click.get_current_context().exit(0 if used else 1)


def _shape(found: Finding) -> Json:
    about = ABOUT[found.layer]
    return {
        "layer": found.layer,
        "works": found.sandbox is not None,
        "why_not": found.why_not,
        "what": about.what,
        "covers": about.covers,
        "lacks": about.lacks,
    }


def _show(findings: list[Finding], groups: Groups, used: Layer | None) -> None:
    page = console()
    for found in findings:
        about = ABOUT[found.layer]
        state = ("works", "green") if found.sandbox else (f"does not work here: {found.why_not}", "red")
        page.print(Text.assemble((found.layer, "bold"), "  ", state))
        page.print(f"  {about.what}")
        page.print(f"  covers: {about.covers}")
        page.print(f"  lacks:  {about.lacks}")
    missing = [controller for controller in CONTROLLERS if controller not in groups.controllers]
    state = (f"limit {', '.join(groups.controllers)}", "green") if groups.controllers else ("none", "yellow")
    page.print(Text.assemble(("control groups", "bold"), "  ", state))
    if missing:
        page.print(f"  not limited by them: {', '.join(missing)}" + (f" ({groups.why_not})" if groups.why_not else ""))
    page.print()
    if used:
        page.print(f"Bots run under {used} here.")
    else:
        page.print(
            "Only the house bots can be run here, and with --trust-bots all others, unprotected. Install the package "
            "bubblewrap, or allow this user to make namespaces (sysctl user.max_user_namespaces)."
        )
