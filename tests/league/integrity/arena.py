"""Leagues of test bots, played in this process: the trades of thousands of matches cost minutes, not hours."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from statistics import pstdev
from typing import Any

from beanbot import Bot, load_bot
from beanbot.bot import seat_bot
from beanleague.games import new_game
from beanleague.games.records.trade_flow import TradeFlow, added_up, trade_flows
from beanleague.league.bots.house_bots import house_bots
from beanleague.league.integrity import Flows, flows_of
from beanleague.league.schedule.schedule import Table, rotations
from tests.choices import first

GAME = "bohnanza"
BOTS = Path(__file__).parent / "bots"

MULES: Mapping[str, Sequence[str]] = {
    "gives": ("gives",),
    "gives-half": ("gives", "blue", "green", "chili"),
    "gives-third": ("gives", "blue", "green"),
    "gives-sixth": ("gives", "chili"),
    "swaps": ("swaps",),
    "swaps-half": ("swaps", "blue", "green", "chili"),
    "swaps-third": ("swaps", "blue", "green"),
}
"""Arguments of mules. Of the cards 50 % are blue, green or chili, 33 % blue or green, 17 % chili."""

TRADERS: Mapping[str, Mapping[str, float]] = {
    "stingy": {"generosity": 0.1, "max_calls": 3},
    "quiet": {"max_calls": 1},
    "hasty": {"becoming": 0.4},
    "patient": {"becoming": 0.8},
    "generous": {"generosity": 1.0},
    "proud": {"min_gain": 0.3},
    "easy": {"min_gain": 0.0},
}
"""Traders with other weights."""

HONEST = ("trader", *TRADERS, "farmer", "random")


@dataclass
class Arena:
    """Makes bots in `home`, and plays leagues of them."""

    home: Path
    _classes: dict[str, type[Bot[Any]]] = field(default_factory=dict)
    _settings: dict[str, dict[str, Any]] = field(default_factory=dict)

    def bundle(self, name: str) -> Path:
        """Return the folder of a bot: a house bot, one of `TRADERS`, one of `MULES`, or boss."""
        house = {folder.name: folder for folder in house_bots()}
        if name in house:
            return house[name]
        folder = self.home / name
        folder.mkdir(exist_ok=True)
        if name in TRADERS:
            (folder / "bot.py").write_text(trader_with(TRADERS[name]))
        else:
            shutil.copy(BOTS / "signs.py", folder)
            shutil.copy(BOTS / ("boss.py" if name == "boss" else "mule.py"), folder / "bot.py")
        command = json.dumps(["python", "bot.py", *MULES.get(name, ())])
        (folder / "bot.toml").write_text(f'name = "{name}"\ngames = ["{GAME}"]\ncommand = {command}\n')
        return folder

    def play(self, names: Sequence[str], tables: Sequence[Table], seed: int) -> League:
        """Play a deal at each of `tables`, in all rotations."""
        flows: dict[int, tuple[TradeFlow, ...]] = {}
        places: list[list[tuple[int, ...]]] = []
        scores: list[int] = []
        for number, table in enumerate(tables, 1):
            deal = []
            given: list[TradeFlow] = []
            for rotation, seating in enumerate(rotations(table)):
                game = self._match([names[bot] for bot in seating], seed, number, rotation)
                given += (
                    replace(flow, giver=seating[flow.giver], receiver=seating[flow.receiver])
                    for flow in trade_flows(len(seating), game.events)
                )
                assert game.outcome is not None
                deal.append(game.outcome.places)
                scores += game.outcome.scores
            flows[number] = added_up(given)
            places.append(deal)
        return League(tuple(names), tuple(tables), flows, places, pstdev(scores))

    def _match(self, names: Sequence[str], seed: int, number: int, rotation: int) -> Any:
        seats = len(names)
        classes = [self._class(name) for name in names]
        interludes = tuple(seat for seat in range(seats) if classes[seat].interludes)
        game = new_game(GAME, seats=seats, seed=_bytes(seed, f"deal/{number}"), options={"interludes": interludes})
        bots = [
            seat_bot(
                one,
                ruleset=GAME,
                seat=seat,
                seats=seats,
                luck=_bytes(seed, f"luck/{number}/{rotation}/{seat}"),
                settings=self._settings[names[seat]],
            )
            for seat, one in enumerate(classes)
        ]
        while not game.over:
            for seat in game.to_act():
                game.apply(seat, first(bots[seat].decide(game.view(seat))))
        return game

    def _class(self, name: str) -> type[Bot[Any]]:
        if name not in self._classes:
            found = load_bot(self.bundle(name)).class_for(GAME)
            assert found is not None
            self._classes[name] = found
            self._settings[name] = tomllib.loads((self.bundle(name) / "bot.toml").read_text()).get("settings", {})
        return self._classes[name]


@dataclass(frozen=True)
class League:
    """A league that was played."""

    names: tuple[str, ...]
    tables: tuple[Table, ...]
    flows: Mapping[int, tuple[TradeFlow, ...]]
    places: Sequence[Sequence[tuple[int, ...]]]
    spread: float
    """Standard deviation of a score, in dollars."""

    def of(self, deals: int | None = None) -> Flows:
        """Return the flows of its first deals."""
        return flows_of(list(enumerate(self.tables, 1))[:deals], len(self.tables[0]), self.flows)


def trader_with(weights: Mapping[str, float]) -> str:
    """Return the program of a trader with other weights."""
    changed = [f"    {name} = {value}" for name, value in weights.items()]
    return "\n".join(
        [
            "from beanbot import run",
            "from beanbot.policies.trader import Trader",
            "class Other(Trader):",
            *changed,
            "run(Other)\n",
        ]
    )


def _bytes(seed: int, key: str) -> bytes:
    return blake2b(key.encode(), key=b"%d" % seed, digest_size=32).digest()
