from functools import cache

import pytest

from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.sandbox.probe import examine
from tests.hostile.arena import SHORT, Arena, attacks, one_of_each, play


@cache
def findings() -> dict[Layer, str]:
    """Return why each layer does not work here; "" if it does."""
    return {layer: examine(layer, Limits()).why_not for layer in CONFINING}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Play one attack of each class under the best layer, or with --all-layers all attacks under each.

    Likewise what has a parameter `layer_of_league`.
    """
    everything = metafunc.config.getoption("--all-layers")
    if "attack" in metafunc.fixturenames:
        metafunc.parametrize("attack", attacks() if everything else one_of_each())
    name = next((name for name in ("arena", "layer_of_league") if name in metafunc.fixturenames), None)
    if name is None:
        return
    reasons = findings()
    layers: list[object] = [layer for layer in CONFINING if not reasons[layer]]
    if everything:
        layers = [
            pytest.param(layer, marks=pytest.mark.skipif(bool(why), reason=why)) for layer, why in reasons.items()
        ]
    elif not layers:
        layers = [pytest.param(Layer.PLAIN, marks=pytest.mark.skip(f"no layer works here: {reasons}"))]
    layers = layers if everything else layers[:1]
    metafunc.parametrize(name, layers, indirect=name == "arena")


@pytest.fixture(scope="session")
def arena(request: pytest.FixtureRequest) -> Arena:
    """One attack of each class under the best layer that works here; with --all-layers every attack under each."""
    if request.config.getoption("--all-layers"):
        return play(attacks(), request.param)
    return play(one_of_each(), request.param, SHORT)
