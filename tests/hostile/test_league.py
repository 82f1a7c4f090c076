"""Attacks in a league that is run: what is stored of it, what the bots wrote, and whether one foretells dice."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from beanleague.league.bots.bundles import pack
from beanleague.league.create import create_league
from beanleague.league.integrity import integrity
from beanleague.model import FaultKind, LeagueRequest
from beanleague.referee.deal_pool import start_workers
from beanleague.referee.messages import BotSpec, Limits, MatchTask
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.layers import Layer
from beanleague.store import Store
from tests.hostile.arena import devices_are_as_they_were, host, was_dialled
from tests.league.helpers import SECRET, keep, league_run, zipped
from tests.league.integrity.arena import Arena
from tests.referee.helpers import bot, finish

FORETELLER = Path(__file__).parent / "channels" / "foretells_dice.py"


def rolls(layer: Layer) -> tuple[int, int]:
    """Return how many rolls were foretold rightly, of how many, in the replay of a deal under `layer`."""
    specs = [BotSpec(1, "foreteller", str(FORETELLER.parent), ("python", FORETELLER.name), trusted=True)]
    specs.append(bot(2, "plays_well"))
    lines: list[str] = []
    pool = WorkerPool(specs, Limits(), workers=1, in_flight=1, layers=[] if layer is Layer.PLAIN else [layer])
    try:
        for rotation, seats in enumerate(((1, 2), (2, 1))):
            pool.submit(MatchTask(rotation, "dice", b"dice 0", seats, (bytes(16),) * 2, rotation))
            _, logs = finish(pool, 1)
            lines += "".join(log.text for log in logs if log.number == 1).split()
    finally:
        logs = pool.close()
    lines += "".join(log.text for log in logs if log.number == 1).split()
    return lines.count("right"), lines.count("right") + lines.count("wrong")


@pytest.mark.slow  # proves that the guesses of the next tests would be found right
def test_without_a_sandbox_it_foretells_them() -> None:
    """Most of them: whatever else reads the file it writes to, such as another Python, wipes out some bits."""
    right, total = rolls(Layer.PLAIN)
    assert total >= 20
    assert right >= 0.5 * total  # by chance a sixth


@pytest.mark.slow  # test_league.py has it in a league
def test_under_a_sandbox_it_guesses(layer_of_league: Layer) -> None:
    """The dice follow from the seed of the deal, so the guesses are as good every time."""
    right, total = rolls(layer_of_league)
    assert total >= 20
    assert right <= 0.25 * total


BOTS = Path(__file__).parent / "bots"
HONEST = "from beanbot import Bot, run\nclass Any(Bot):\n    decide = lambda self, view: view.default()\nrun(Any)\n"
DEALS_WITH_MULE = 20
TABLE = ("touches_devices", "thinks_in_children", "dials_pathname_sockets")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(f"sqlite:///{tmp_path / 'a.db'}")


def submit(store: Store, name: str, game: str, files: Mapping[str, str]) -> None:
    """Keep a bot without the trial, which refuses some of these."""
    toml = f'name = "{name.replace("_", "-")}"\ngames = ["{game}"]\ncommand = ["python", "bot.py"]\n'
    keep(store, zipped({"bot.toml": toml, **files}))


def attacker(name: str) -> dict[str, str]:
    return {"bot.py": (BOTS / f"{name}.py").read_text(), "attacker.py": (BOTS / "attacker.py").read_text()}


def run(store: Store, game: str, deals: int, layer: Layer, limits: Mapping[str, int] | None = None) -> None:
    """Run a league of all bots, whose replays of a deal are played one after the other."""
    request = LeagueRequest(name="spring", ruleset=game, deals=deals, secret=SECRET, limits=limits or {})
    create_league(store, request)
    start_pool = partial(start_workers, layers=[layer])
    league_run(store, start_pool, workers=1, in_flight=1).play()


def written(store: Store, bot: str) -> str:
    """Return what a bot wrote in the league."""
    return "".join(log.text for log in store.logs.get(store.bots.version(bot, None).id))


def test_a_foreteller_by_exact_calls_guesses(layer_of_league: Layer, store: Store) -> None:
    """The dice follow from the master secret, so the guesses are as good every time."""
    submit(store, "foreteller", "dice", {"bot.py": FORETELLER.read_text()})
    submit(store, "honest", "dice", {"bot.py": HONEST})
    run(store, "dice", 4, layer_of_league)
    words = written(store, "foreteller").split()
    right, total = words.count("right"), words.count("right") + words.count("wrong")
    assert total >= 20
    assert right <= 0.25 * total  # by chance a sixth
    assert [totals.faults for totals in store.leagues.totals(1)] == [0, 0]


@pytest.mark.slow  # test_attacks.py plays each of these, though not in a league
def test_devices_clocks_and_sockets_are_not_bent(layer_of_league: Layer, store: Store) -> None:
    """One table of attackers, with a limit of time that tells in a second who thinks for too long."""
    for name in TABLE:
        submit(store, name, "bohnanza", attacker(name))
    with host() as sockets:
        run(store, "bohnanza", 1, layer_of_league, {"move_ms": 500, "bank_ms": 500, "strikes": 0})
        assert not any(map(was_dialled, sockets))
    assert devices_are_as_they_were()
    league = store.leagues.get("spring")
    assert league.matches_done == 3
    utime, children, dialler = store.leagues.totals(league.id)
    for name, totals in (("touches-devices", utime), ("dials-pathname-sockets", dialler)):
        assert "refused:" in written(store, name)
        assert "done:" not in written(store, name)
        assert totals.forfeits == 0
    kinds = {count.kind for count in store.matches.faults(league.id, 1)}
    no_children = "Operation not permitted" in written(store, "thinks-in-children")
    assert (children.forfeits, kinds) == ((0, set()) if no_children else (3, {FaultKind.TIMEOUT}))


@pytest.mark.slow
def test_a_boss_and_its_mule_are_the_pair_that_integrity_finds(
    layer_of_league: Layer, store: Store, tmp_path: Path
) -> None:
    """Beside two bots that trade, from which one sees what is usual."""
    arena = Arena(tmp_path)
    for name in ("boss", "gives", "trader", "stingy"):
        keep(store, pack(arena.bundle(name)))
    run(store, "bohnanza", DEALS_WITH_MULE, layer_of_league)
    found = integrity(store, store.leagues.get("spring"))
    names = {entrant.number: entrant.bot for entrant in store.leagues.entrants(1)}
    assert [(names[pair.giver], names[pair.receiver]) for pair, *_ in found.pairs if pair.found] == [("gives", "boss")]
    assert [(totals.matches, totals.faults) for totals in store.leagues.totals(1)] == [(4 * DEALS_WITH_MULE, 0)] * 4
