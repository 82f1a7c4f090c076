"""Decisions of the house bots, and figures of search and analysis, as digests that are the same on every Python.

`decisions.toml` has them; they hold in WebAssembly too, so nothing here needs more than the SDK and the games. A change
that is not meant to change how a bot plays leaves them as they are. After one that is, with a line in the changelog,
this writes them anew:

    python -m tests.bots.decisions > tests/bots/decisions.toml
"""

from __future__ import annotations

import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from hashlib import blake2b
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count
from pathlib import Path
from random import Random

from beanbot import load_bot
from beanbot._runtime.program import BotProgram
from beanbot.analysis.course import course
from beanbot.analysis.harvests import Harvests
from beanbot.analysis.mistakes import mistakes
from beanbot.analysis.report import Seated, early_harvests, figures
from beanbot.analysis.yardstick import otherwise
from beanbot.policies.trader import Trader
from beanbot.practice.match import PracticePlayer, play_match
from beanbot.search import Memory, by_default, determinise, farmer, play_out
from beanleague.games import Record, Ruleset, new_game, ruleset, rulesets
from beanleague.house_folder import house_folder, house_folders

FILE = Path(__file__).with_name("decisions.toml")

DEALS = 20
SEARCHED_DEALS = {"dicer": 2, "grandmaster": 6}
"""Deals a game of each bot that searches, whose matches take long; there are at most five table sizes."""
NETWORK = "bohnanza: grandmaster at four seats"
"""The series in which the network of grandmaster decides: products of float32, which differ by processor."""
NEEDS_NUMPY = frozenset({"grandmaster"})
"""Bots that are left out where there is no numpy."""


@dataclass(frozen=True, slots=True)
class Series:
    """Matches of one game whose decisions have a digest for each bot."""

    name: str
    """The key in `decisions.toml`, e.g. "dice: dicer"."""
    game: str
    """The id of the ruleset."""
    tables: tuple[tuple[str, ...], ...]
    """The bots of each deal, by seat."""
    slow: bool = False
    """Whether it takes more than two seconds of CPU."""

    @property
    def bots(self) -> frozenset[str]:
        """All bots that play."""
        return frozenset(name for table in self.tables for name in table)


@cache
def bot(name: str) -> BotProgram:
    """Return a house bot."""
    folder = house_folder(name)
    assert folder, f"there is no house bot {name}"
    return load_bot(folder)


@cache
def names(game: str) -> tuple[str, ...]:
    """Return the house bots that play a game, in the order of their names."""
    return tuple(
        folder.name
        for folder in house_folders()
        if game in tomllib.loads((folder / "bot.toml").read_text("utf-8"))["games"]
    )


def series() -> list[Series]:
    """Return all series: of each game one of the quick bots, and one of each bot that searches."""
    found = []
    for rules in rulesets():
        quick = [name for name in names(rules.id) if name not in SEARCHED_DEALS]
        found.append(Series(rules.id, rules.id, tuple(_tables(rules, quick, DEALS))))
        for name in SEARCHED_DEALS.keys() & names(rules.id):
            found.extend(_searched(rules, name, quick))
    return sorted(found, key=lambda each: each.name)


def _tables(rules: Ruleset, bots: list[str], deals: int, first: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield a table for each deal: of every size in turn, with every bot in turn; `first` takes a seat of each."""
    if rules.most_seats == 1:
        yield from ((name,) for _ in range(deals) for name in (first or bots))
        return
    for deal in range(deals):
        seats = rules.least_seats + deal % (rules.most_seats - rules.least_seats + 1)
        others = [bots[(deal + seat) % len(bots)] for seat in range(seats - len(first))]
        at = deal % seats
        yield (*others[:at], *first, *others[at:])


def _searched(rules: Ruleset, name: str, quick: list[str]) -> Iterator[Series]:
    tables = tuple(_tables(rules, quick, 2 if rules.id == "duel" else SEARCHED_DEALS[name], (name,)))
    if name == "grandmaster" and rules.id != "duel":
        by_network = [rules.id == "bohnanza" and len(table) == 4 for table in tables]
        by_formula = tuple(table for table, network in zip(tables, by_network, strict=True) if not network)
        yield Series(f"{rules.id}: {name}", rules.id, by_formula)
        if any(by_network):
            yield Series(NETWORK, rules.id, tuple(table for table in tables if table not in by_formula))
    else:
        yield Series(f"{rules.id}: {name}", rules.id, tables, slow=rules.id == "duel")


def digests(of: Series) -> dict[str, str]:
    """Play all matches of a series; return a digest of the decisions of each bot.

    Raises:
        AssertionError: if a bot makes a mistake.
    """
    decided: dict[str, list[str]] = defaultdict(list)
    for deal, table in enumerate(of.tables):
        for move in record_of(of.game, table, deal).moves:
            decided[table[move.seat]].append(f"{deal}.{move.seat}: {move.action}")
    return {name: digest(lines) for name, lines in sorted(decided.items())}


def record_of(game: str, table: tuple[str, ...], deal: int) -> Record:
    """Play a match, in which each bot is seeded as in practice: by 16 bytes that its seat gets."""
    kept: list[Record] = []
    play_match(
        [_entrant(name, game) for name in table],
        game=game,
        seed=_bytes(f"{game}/{deal}", 32),
        lucks=[_bytes(f"{game}/{deal}/{seat}", 16) for seat in range(len(table))],
        report=_refuse,
        keep=kept.append,
    )
    return kept[0]


def _entrant(name: str, game: str) -> PracticePlayer:
    program = bot(name)
    bot_class = program.class_for(game)
    assert bot_class, f"{name} does not play {game}"
    return PracticePlayer(name, bot_class, program.home, program.settings)


def search_figures(game: str) -> list[str]:
    """Determinise and play out from views of a match at random; return what was dealt, and the results."""
    rules = ruleset(game)
    random, memory = Random(_bytes(game, 16)), Memory()
    playing = new_game(game, seats=rules.least_seats, seed=_bytes(f"{game}/search", 32))
    policies = [farmer if game in {"bohnanza", "bohnanza-classic"} else by_default] * playing.seats
    found: list[str] = []
    for number in count():
        if playing.over or len(found) == 12:
            return found
        for seat in playing.to_act():
            view = playing.view(seat)
            if seat == 0:
                memory.see(view)
                if number % 7 == 0:
                    guess = determinise(view, memory, random)
                    found.append(f"{guess.view(playing.seats - 1)!r} {play_out(guess, policies, random)}")
            playing.apply(seat, random.choice(view.legal()))
    return found


def analysis_figures() -> list[str]:
    """Analyse a match of each kind, with few play-outs; return all that was found."""
    match = record_of("bohnanza", ("trader", "merchant", "random"), 1)
    dice = record_of("dice", ("novice", "random"), 1)
    harvests = Harvests(match)
    return [
        repr(course(match, 2, 2)),
        repr(course(dice, 2)),
        repr(course(match, 2, 2).by_strength([1500.0, 1612.5, 1403.25])),
        repr(mistakes(match, 2, 3, 6)),
        repr(otherwise(match, 1, Trader, 2)),
        repr([*figures(match, harvests)]),
        repr(early_harvests({"1.0": harvests}, [Seated("1.0", match, seat) for seat in range(3)])),
    ]


SEARCHED = ("bohnanza", "bohnanza-classic", "bohnanza-two", "duel", "dice", "bean-thief-hard")
"""Games of every family, of which there are figures of search."""

FIGURES: dict[str, Callable[[], list[str]]] = {
    **{f"search in {game}": partial(search_figures, game) for game in SEARCHED},
    "analysis": analysis_figures,
}
"""Figures by their key in `decisions.toml`, where their digest is "figures"."""


def products() -> str:
    """Return a digest of what the network of grandmaster gives for some inputs; each processor multiplies otherwise."""
    folder = house_folder("grandmaster")
    assert folder
    spec = spec_from_file_location("network_of_grandmaster", folder / "network.py")
    assert spec
    assert spec.loader
    network = module_from_spec(spec)
    spec.loader.exec_module(network)
    inputs = len(network.weights()[0])
    rows = [[(row * 37 + at * 101) % 256 / 256 for at in range(inputs)] for row in range(64)]
    return digest([network.output(network.np.array(row, "float32")).tobytes().hex() for row in rows])


def kept() -> dict[str, dict[str, str]]:
    """Return the digests that are kept, by the name of the series."""
    return tomllib.loads(FILE.read_text("utf-8"))


def digest(lines: Iterable[str]) -> str:
    """Return the digest of some lines."""
    return _bytes("\n".join(lines), 8).hex()


def _bytes(text: str, size: int) -> bytes:
    return blake2b(text.encode(), digest_size=size).digest()


def _refuse(name: str, what: str) -> None:
    raise AssertionError(f"{name}: {what}")


def _lines() -> Iterator[str]:
    yield "# Digests of decisions and figures: see decisions.py, which writes this file."
    for each in series():
        found = digests(each) | ({"products": products()} if each.name == NETWORK else {})
        yield from ("", f'["{each.name}"]', *(f'{name} = "{value}"' for name, value in found.items()))
    for name, figured in FIGURES.items():
        yield from ("", f'["{name}"]', f'figures = "{digest(figured())}"')


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in _lines())
