"""Matches in this process: no gRPC and no clock, with the same views as in a league.

From the command line: `python -m beanbot.practice mybot.py bots/trader --games 200`.
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
from beanbot.practice.match import Entrant, Keep, MatchResult, Report
from beanbot.practice.result import BotRow, Pairing, PracticeResult, summarise
from beanleague.games import Option, new_game, ruleset

__all__ = ["BotRow", "Pairing", "PracticeError", "PracticeResult", "deals", "play", "summarise"]


class PracticeError(Exception):
    """Raised when the bots cannot play the requested matches; the message says why."""


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
    """Play at least `games` matches, in whole deals, and return the results.

    The other arguments are those of `deals`.

    Raises:
        PracticeError: if `games` is less than 1, or as in `deals`.
        UnknownRulesetError, SetupError: as in `deals`.
    """
    if games < 1:
        raise PracticeError(f"games must be at least 1, not {games}")
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
    keep: Keep | None = None,
) -> Iterator[tuple[MatchResult, ...]]:
    """Return an endless iterator over deals; each is played once in every rotation of the seats.

    In a game for one player, every bot plays each deal once, with the same luck. The same arguments give the same
    matches if the bots use no randomness but `Bot.random`.

    Args:
        bots: Bot classes, or bots from `load_bot`. A bot given several times takes several seats. Fewer bots than
            `seats` are seated several times, in turn; of more bots, every combination plays, in turn.
        game: The id of the ruleset.
        seats: Seats at the table. Default: one per bot, as far as the game allows.
        seed: Decides all chance.
        options: Options of the game, as in a league; `deck` is the text of a deck.
        report: Called with the name of a bot and a description of each fault; the default action is then played.
            Default: print them to stderr.
        keep: Called with the record of each match, which `beanleague match replay` shows.

    Raises:
        PracticeError: if there are no bots, a bot does not play the game, or the game does not allow this number of
            seats or has no such option.
        UnknownRulesetError: if there is no such game.
        SetupError: if the value of an option is bad.
    """
    seats = seats_for(bots, game) if seats is None else seats
    rules = ruleset(game)
    if not bots:
        raise PracticeError("at least one bot is needed")
    if not rules.least_seats <= seats <= rules.most_seats:
        raise PracticeError(f"{game} is for {rules.least_seats} to {rules.most_seats} seats, not {seats}")
    _check_options(game, seats, options or {})
    return play_deals(
        _entrants(bots, game),
        game=game,
        seats=seats,
        seed=seed,
        report=report or _to_stderr,
        options=options,
        keep=keep,
    )


def seats_for(bots: Sequence[object], game: str) -> int:
    """Return the default number of seats for `bots`: one for each, as far as the game allows."""
    rules = ruleset(game)
    return min(max(len(bots), rules.least_seats), rules.most_seats)


def matches_a_deal(bots: Sequence[object], seats: int) -> int:
    """Return the number of matches in each deal."""
    return seats if seats > 1 else len(set(bots))


def _check_options(game: str, seats: int, options: Mapping[str, Option]) -> None:
    known = ruleset(game).options
    for name in options:
        if name not in known:
            raise PracticeError(f"{game} has no option {name!r}; there are: {', '.join(known) or 'none'}")
    new_game(game, seats=seats, seed=b"options", options=options)


def _entrants(bots: Sequence[type[Bot[Any]] | BotProgram], game: str) -> list[Entrant]:
    """Return the bots with unique names; a bot given several times keeps its name."""
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


def _to_stderr(name: str, problem: str) -> None:
    print(f"{name}: {problem}", file=sys.stderr)
