"""What a host offers to bots, and what would make it faster or stronger."""

import os
import shutil
from dataclasses import replace

import pytest

from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.capabilities import Capabilities, capabilities
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.sandbox.probe import examine, groups_here

BEST = Capabilities(
    root=True,
    bubblewrap=True,
    layer=Layer.BUBBLEWRAP,
    controllers=("memory", "pids", "cpu"),
    why_no_programs="",
    why_not_forked="",
)
NOT_FORKED = "namespaces are refused"


def test_on_the_best_host_there_is_nothing_to_gain() -> None:
    assert [*BEST.faster(), *BEST.stronger()] == []
    assert BEST.summary() == (
        "root, with the package bubblewrap, bots under bubblewrap, control groups, bots in Python are forked"
    )


@pytest.mark.parametrize(
    ("here", "stronger"),
    [
        (replace(BEST, root=False), ["run as root: "]),
        (replace(BEST, controllers=()), ["run where root may create control groups: "]),
        (replace(BEST, bubblewrap=False, layer=Layer.LANDLOCK), ["install the package bubblewrap: "]),
        (replace(BEST, layer=Layer.LANDLOCK), ["allow this user to create namespaces "]),
        (
            replace(BEST, root=False, bubblewrap=False, layer=None, controllers=()),
            ["install the package bubblewrap: ", "run as root, or in a systemd session ", "run as root: "],
        ),
    ],
)
def test_advice_names_exactly_what_a_host_lacks(here: Capabilities, stronger: list[str]) -> None:
    for sentence, begin in zip(here.stronger(), stronger, strict=True):
        assert sentence.startswith(begin)


def test_where_bots_are_not_forked_it_says_why_and_what_would_be_faster() -> None:
    here = replace(BEST, why_not_forked=NOT_FORKED)
    (advice,) = here.faster()
    assert advice.startswith("run bots under bubblewrap: ")
    assert here.summary().endswith(f"bots are not forked: {NOT_FORKED}")


@pytest.mark.parametrize("layer", CONFINING)
def test_the_capabilities_of_this_host_are_those_that_its_bots_get(layer: Layer) -> None:
    found = examine(layer, Limits())
    if found.sandbox is None:
        pytest.skip(found.why_not)
    sandbox = found.sandbox
    here = capabilities(sandbox, groups_here(Limits()))
    assert (here.layer, here.root, here.bubblewrap) == (layer, os.getuid() == 0, bool(shutil.which("bwrap")))
    assert here.controllers == sandbox.groups.controllers
    assert here.why_not_forked or layer is Layer.BUBBLEWRAP
    assert here.why_no_programs == sandbox.why_no_programs


def test_where_no_layer_works_bots_neither_fork_nor_start_programs() -> None:
    here = capabilities(None, groups_here(Limits()))
    assert (here.layer, here.why_not_forked, here.why_no_programs) == (None, "no layer works", "no layer works")
