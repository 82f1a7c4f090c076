from __future__ import annotations

from functools import cache

import pytest

from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.sandbox.probe import examine
from tests.hostile.arena import Arena, play_all


@cache
def findings() -> dict[Layer, str]:
    """Return why each layer does not work here; "" if it does."""
    return {layer: examine(layer, Limits()).why_not for layer in CONFINING}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Play the arena, and what has a parameter `layer_of_league`, under the best layer, or with --all-layers each."""
    name = next((name for name in ("arena", "layer_of_league") if name in metafunc.fixturenames), None)
    if name is None:
        return
    reasons = findings()
    layers: list[object] = [layer for layer in CONFINING if not reasons[layer]]
    if metafunc.config.getoption("--all-layers"):
        layers = [
            pytest.param(layer, marks=pytest.mark.skipif(bool(why), reason=why)) for layer, why in reasons.items()
        ]
    elif not layers:
        layers = [pytest.param(Layer.PLAIN, marks=pytest.mark.skip(f"no layer works here: {reasons}"))]
    layers = layers if metafunc.config.getoption("--all-layers") else layers[:1]
    metafunc.parametrize(name, layers, indirect=name == "arena")


@pytest.fixture(scope="session")
def arena(request: pytest.FixtureRequest) -> Arena:
    """Every attack, played once under a layer: under the best that works here, with --all-layers under each."""
    return play_all(request.param)
