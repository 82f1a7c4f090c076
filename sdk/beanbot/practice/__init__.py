"""Trying bots out in this process: matches without gRPC, with the same views as in a league.

`python -m beanbot.practice mybot.py bots/trader --games 200` does it from the command line.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from beanbot._runtime.program import BotProgram
from beanbot.bot import Bot
from beanbot.practice.deals import play_deals
from beanbot.practice.match import Entrant, MatchResult, Report
from beanbot.practice.result import BotRow, Pairing, PracticeResult, summarise
from beanleague.games import Option, new_game, ruleset

__all__ = ["BotRow", "Pairing", "PracticeError", "PracticeResult", "deals", "play", "summarise"]


class PracticeError(Exception):
    """The bots cannot play what is asked for; the text says why."""


def play(
    bots: Sequence[type[Bot[Any]] | BotProgram],
    *,
    game: str = "bohnanza",
    games: int = 100,
    seats: int | None = None,
    seed: int = 1,
    options: Mapping[str, Option] | None = None,
    report: Report | None = None,
) -> PracticeResult:
    """Play at least `games` matches, whole deals, between bot classes or loaded bots; see `deals`.

    Raises:
        PracticeError, UnknownRulesetError, SetupError: see `deals`; or `games` is less than 1.
    """
    if games < 1:
        raise PracticeError(f"at least 1 game must be played, not {games}")
    seats = seats_for(bots, game) if seats is None else seats
    played = deals(bots, game=game, seats=seats, seed=seed, options=options, report=report)
    return summarise(game, seats, list(islice(played, -(-games // matches_a_deal(bots, seats)))))


def deals(
    bots: Sequence[type[Bot[Any]] | BotProgram],
    *,
    game: str = "bohnanza",
    seats: int | None = None,
    seed: int = 1,
    options: Mapping[str, Option] | None = None,
    report: Report | None = None,
) -> Iterator[tuple[MatchResult, ...]]:
    """Return an endless iterator that plays a deal at a time, once in each rotation of the seats.

    A game for one player is played by every bot on the same luck.

    A bot may be given several times, to take several seats. If there are fewer bots than `seats`, they are
    seated several times in turn; if more, the deals take every choice of them in turn. The same arguments give
    the same matches, for bots that draw no luck but their own. `options`: of the game, as a league may have them; a
    `deck` is the text of one. `report` is told what goes wrong with a bot
    (default: it is printed to stderr); the default action is then played.

    Raises:
        PracticeError: there are no bots, one does not play the game, or the game is not for so many seats, or has
            no such option.
        UnknownRulesetError: there is no such game.
        SetupError: the value of an option is bad.
    """
    seats = seats_for(bots, game) if seats is None else seats
    rules = ruleset(game)
    if not bots:
        raise PracticeError("at least one bot is needed")
    if not rules.least_seats <= seats <= rules.most_seats:
        raise PracticeError(f"{game} is for {rules.least_seats} to {rules.most_seats} seats, not {seats}")
    _check_options(game, seats, options or {})
    return play_deals(
        _entrants(bots, game), game=game, seats=seats, seed=seed, report=report or _to_stderr, options=options
    )


def seats_for(bots: Sequence[object], game: str) -> int:
    """Return how many seats suit so many bots: one for each, as far as the game allows."""
    rules = ruleset(game)
    return min(max(len(bots), rules.least_seats), rules.most_seats)


def matches_a_deal(bots: Sequence[object], seats: int) -> int:
    """Return how many matches each deal has."""
    return seats if seats > 1 else len(set(bots))


def _check_options(game: str, seats: int, options: Mapping[str, Option]) -> None:
    known = ruleset(game).options
    for name in options:
        if name not in known:
            raise PracticeError(f"{game} has no option {name!r}; there are: {', '.join(known) or 'none'}")
    new_game(game, seats=seats, seed=b"options", options=options)


def _entrants(bots: Sequence[type[Bot[Any]] | BotProgram], game: str) -> list[Entrant]:
    """Return the bots by names of their own; a bot given several times keeps its one name."""
    entrants: dict[object, Entrant] = {}
    same: Counter[str] = Counter()
    for bot in bots:
        if bot in entrants:
            continue
        program = bot if isinstance(bot, BotProgram) else BotProgram(bot.__name__, (bot,))
        bot_class = program.class_for(game)
        if bot_class is None:
            plays = ", ".join(name for each in program.classes for name in each.games)
            raise PracticeError(f"{program.name} does not play {game}; it plays {plays}")
        same[program.name] += 1
        name = f"{program.name} #{same[program.name]}" if same[program.name] > 1 else program.name
        entrants[bot] = Entrant(name, bot_class)
    return [entrants[bot] for bot in bots]


def _to_stderr(name: str, what: str) -> None:
    print(f"{name}: {what}", file=sys.stderr)
