"""Matches in this process: no gRPC and no clock, with the same views as in a league.

From the command line: `beanbot practice mybot.py bots/trader --deals 50`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from beanbot._runtime.program import BotProgram
from beanbot.bot import Bot
from beanbot.practice.alarms import has_timers
from beanbot.practice.deals import PracticeSettings
from beanbot.practice.match import STRIKES, Keep, PracticeMatch, PracticePlayer, Report
from beanbot.practice.result import Paired, Pairing, PracticeResult, PracticeRow, summarise
from beanbot.practice.workers import WorkerDiedError, play_deals
from beanleague.games import Option, new_game, ruleset
from beanleague.games.core.game import suggestion

__all__ = ["Paired", "Pairing", "PracticeError", "PracticeResult", "PracticeRow", "deals", "play", "summarise"]


class PracticeError(Exception):
    """Raised when the bots cannot play the requested matches; the message gives the reason."""


def play(
    bots: Sequence[type[Bot[Any]] | BotProgram],
    *,
    game: str = "bohnanza",
    deals: int = 20,
    seats: int | None = None,
    seed: int | str = 1,
    options: Mapping[str, Option] | None = None,
    report: Report | None = None,
    workers: int = 1,
    move_ms: int = 0,
    paired: bool = False,
    lenient: bool = False,
) -> PracticeResult:
    """Play `deals` deals, each in all rotations, and return the results.

    `workers` is the number of processes that play; the results are the same, but changes that bots make to their
    classes are not visible here. If `paired`, the first two bots, for example two versions of one bot, each play the
    same deals from the same seats against the other bots, and `result.paired` compares them. The other arguments are
    those of `deals`.

    Raises:
        PracticeError: if `deals` or `workers` is less than 1, a bot ends its process, or as in `deals`.
        UnknownRulesetError, SetupError: see `deals`.
    """
    if deals < 1:
        raise PracticeError(f"deals must be at least 1, not {deals}")
    if workers < 1:
        raise PracticeError(f"workers must be at least 1, not {workers}")
    playing = prepare(
        bots, game=game, seats=seats, seed=seed, options=options, move_ms=move_ms, paired=paired, lenient=lenient
    )
    try:
        played = list(play_deals(playing, range(1, deals + 1), report=report or _to_stderr, workers=workers))
    except WorkerDiedError as error:
        raise PracticeError(str(error)) from None
    return summarise(game, playing.seats, played, paired=paired_names(playing))


def deals(
    bots: Sequence[type[Bot[Any]] | BotProgram],
    *,
    game: str = "bohnanza",
    seats: int | None = None,
    seed: int | str = 1,
    options: Mapping[str, Option] | None = None,
    report: Report | None = None,
    keep: Keep | None = None,
    move_ms: int = 0,
    lenient: bool = False,
) -> Iterator[tuple[PracticeMatch, ...]]:
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
        move_ms: Milliseconds that a decision may take before it is interrupted, which is a fault; 0 for no limit. Works
            only in the main thread.
        lenient: Whether seats never forfeit. Default: as in a league, the fourth fault of a match forfeits it.

    Raises:
        PracticeError: if there are no bots, a bot does not play the game, the game does not allow this number of
            seats or has no such option, or decisions are limited where nothing can interrupt them (WebAssembly).
        UnknownRulesetError: if the game is unknown.
        SetupError: if the value of an option is bad.
    """
    playing = prepare(bots, game=game, seats=seats, seed=seed, options=options, move_ms=move_ms, lenient=lenient)
    return play_deals(playing, count(1), report=report or _to_stderr, keep=keep and (lambda _, record: keep(record)))


def prepare(
    bots: Sequence[type[Bot[Any]] | BotProgram],
    *,
    game: str,
    seats: int | None,
    seed: int | str,
    options: Mapping[str, Option] | None,
    move_ms: int = 0,
    hangs_s: float = 0,
    paired: bool = False,
    lenient: bool = False,
) -> PracticeSettings:
    """Check the arguments and return the settings; arguments and errors are those of `play` and `deals`.

    `hangs_s`: see `PracticeSettings`.
    """
    seats = seats_for(bots[paired:], game) if seats is None else seats
    rules = ruleset(game)
    if not bots:
        raise PracticeError("at least one bot is needed")
    if move_ms and not has_timers():
        raise PracticeError("this Python cannot interrupt bots; leave out the limit of a decision")
    if paired:
        _check_pair(bots, game)
    if not rules.least_seats <= seats <= rules.most_seats:
        raise PracticeError(f"{game} is for {rules.least_seats} to {rules.most_seats} seats, not {seats}")
    _check_options(game, seats, options or {})
    return PracticeSettings(
        game,
        tuple(_entrants(bots, game)),
        seats,
        seed,
        options or {},
        move_ms,
        hangs_s,
        strikes=None if lenient else STRIKES,
        paired=paired,
    )


def _check_pair(bots: Sequence[type[Bot[Any]] | BotProgram], game: str) -> None:
    """Check that the first two bots can be paired, and have opponents."""
    if ruleset(game).most_seats == 1:
        raise PracticeError(f"in {game} all bots play the same deals; leave out 'paired'")
    if len(bots) < 3 or bots[0] == bots[1]:
        raise PracticeError("to pair two bots, name both, and then at least one for them to play against")


def paired_names(playing: PracticeSettings) -> tuple[str, str] | None:
    """Return the names of the two paired bots; None without pairing."""
    return (playing.entrants[0].name, playing.entrants[1].name) if playing.paired else None


def seats_for(bots: Sequence[object], game: str) -> int:
    """Return the default number of seats for `bots`: one for each, as far as the game allows."""
    rules = ruleset(game)
    return min(max(len(bots), rules.least_seats), rules.most_seats)


def _check_options(game: str, seats: int, options: Mapping[str, Option]) -> None:
    known = ruleset(game).options
    for name in options:
        if name not in known:
            raise PracticeError(f"{game} has no option {name!r}; {suggestion(name, known)}")
    new_game(game, seats=seats, seed=b"options", options=options)


def _entrants(bots: Sequence[type[Bot[Any]] | BotProgram], game: str) -> list[PracticePlayer]:
    """Return the bots with unique names; a bot given several times keeps its name."""
    entrants: dict[object, PracticePlayer] = {}
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
        entrants[bot] = PracticePlayer(name, bot_class, program.home, program.settings)
    return [entrants[bot] for bot in bots]


def _to_stderr(name: str, problem: str) -> None:
    print(f"{name}: {problem}", file=sys.stderr)
