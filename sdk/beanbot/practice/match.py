"""A match in this process, with the views that bots get in a league."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from beanbot._runtime.asking import Breakpoint, Failure, ask, attempt, turn_and_decision
from beanbot._runtime.program import Home
from beanbot.bot import Bot, seat_bot
from beanbot.practice.alarms import AlarmError, DebuggerLeftError, TooSlow, Watch, ask_within, too_slow, watched
from beanleague.games import (
    Action,
    Fault,
    Game,
    IllegalActionError,
    Option,
    Outcome,
    PlayedMove,
    Record,
    View,
    new_game,
    ruleset,
)
from beanleague.games.core.game import in_turn
from beanleague.games.records.faults import illegal_reason, places_with_forfeits

STRIKES = 3
"""Number of faults that a seat may make per match; the default of leagues."""

MAX_REASON = 1000  # maximum length of a fault's reason in a record

Report = Callable[[str, str], None]
"""Function called with the name of a bot and a description of its fault, which may have several lines."""

Keep = Callable[[Record], None]
"""Function called with the record of each match."""


@dataclass(frozen=True, slots=True)
class PracticePlayer:
    """Bot that takes part in a practice."""

    name: str
    """Name in the results."""
    bot_class: type[Bot[Any]]
    """Class of the bot, instantiated for each match."""
    home: Home | None = None
    """Working and import folder of the bot; None for the folder of the process."""
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The `[settings]` table of the bot's `bot.toml`."""


@dataclass(frozen=True, slots=True)
class Slowest:
    """Slowest decision of a seat in a match."""

    seconds: float
    """Duration in seconds."""
    where: str
    """Description of the decision, e.g. "2.1, move 169 (bohnanza, seat 3, turn 12, TRADE)"."""


@dataclass(frozen=True, slots=True)
class PracticeMatch:
    """The result of a match."""

    outcome: Outcome
    """Scores and places; seats that forfeited are last."""
    entrants: tuple[PracticePlayer, ...]
    """Per seat: the entrant."""
    faults: tuple[int, ...]
    """Number of faults, per seat."""
    forfeited: tuple[bool, ...]
    """Per seat: whether it forfeited; it was not asked afterwards."""
    decisions: tuple[int, ...]
    """Per seat: number of decisions; a list of actions counts once."""
    times: tuple[array[float], ...]
    """Per seat: seconds of each decision, in order."""
    slowest: tuple[Slowest | None, ...]
    """Per seat: the slowest decision; None without decisions."""


def play_match(
    entrants: Sequence[PracticePlayer],
    *,
    game: str,
    seed: bytes,
    lucks: Sequence[bytes],
    report: Report,
    options: Mapping[str, Option] | None = None,
    keep: Keep | None = None,
    name: str = "",
    move_ms: int = 0,
    hangs_s: float = 0,
    strikes: int | None = STRIKES,
) -> PracticeMatch:
    """Play one match of `game` with `entrants[seat]` in each seat.

    `seed`: seed of the game's chance; `lucks[seat]`: seed of each bot's random generator, 16 bytes. `keep`: called with
    the record. `name`: name of the match in messages, e.g. "2.1". A decision that takes longer than `move_ms` is a
    fault; 0 for no limit. `hangs_s`, `strikes`: see `PracticeSettings`.
    """
    seats = len(entrants)
    chosen = dict(options or {})
    if ruleset(game).interludes:
        chosen["interludes"] = tuple(seat for seat in range(seats) if entrants[seat].bot_class.interludes)
    playing = new_game(game, seats=seats, seed=seed, options=chosen)
    here = Home(Path.cwd())
    log = _Log(name, here)
    try:
        with watched(hangs_s) as watch:
            players = [
                _Player(
                    entrants[seat],
                    playing,
                    seat,
                    lucks[seat],
                    report,
                    log,
                    here=here,
                    watch=watch,
                    hangs_s=hangs_s,
                    move_ms=move_ms,
                    strikes=strikes,
                )
                for seat in range(seats)
            ]
            while not playing.over:
                for seat in playing.to_act():
                    players[seat].move()
        assert playing.outcome is not None
        places = places_with_forfeits(playing.outcome.places, [player.forfeited_at for player in players])
        outcome = replace(playing.outcome, places=places)
        for player in players:
            player.end(outcome)
    finally:
        log.home.leave()
        here.enter()
    if keep:
        keep(log.record(playing, outcome, [entrant.name for entrant in entrants], lucks))
    return PracticeMatch(
        outcome,
        tuple(entrants),
        tuple(player.faults for player in players),
        tuple(player.forfeited_at is not None for player in players),
        tuple(player.decisions for player in players),
        tuple(player.times for player in players),
        tuple(player.slowest for player in players),
    )


@dataclass(slots=True)
class _Log:
    """Moves and faults of a match."""

    name: str
    """Name of the match in messages."""
    home: Home
    """Current folder of the process."""
    moves: list[PlayedMove] = field(default_factory=list)
    """Moves so far."""
    faults: list[Fault] = field(default_factory=list)
    """Faults so far."""

    def record(self, game: Game, outcome: Outcome, names: Sequence[str], lucks: Sequence[bytes]) -> Record:
        """Return the record of the match, without times."""
        return Record(
            ruleset=game.ruleset,
            seats=game.seats,
            seed=game.seed,
            options=game.options,
            players=tuple(names),
            moves=tuple(self.moves),
            events=tuple(game.events),
            scores=outcome.scores,
            places=outcome.places,
            faults=tuple(self.faults),
            luck=tuple(lucks),
        )


class _Player:
    """Seat of a match with its bot. A bot that cannot be created fails every decision."""

    def __init__(
        self,
        entrant: PracticePlayer,
        game: Game,
        seat: int,
        luck: bytes,
        report: Report,
        log: _Log,
        *,
        here: Home,
        watch: Watch,
        hangs_s: float,
        move_ms: int,
        strikes: int | None,
    ) -> None:
        self._name = entrant.name
        self._news = entrant.bot_class.news
        self._trades = entrant.bot_class.trades
        self._game = game
        self._seat = seat
        self._report = report
        self._log = log
        self._home = entrant.home or here
        self._watch = watch
        self._hangs_s = hangs_s
        self._move_ms = move_ms
        self._strikes = strikes
        self.faults = 0
        self.forfeited_at: int | None = None
        self.decisions = 0
        self.times = array("d")
        self.slowest: Slowest | None = None
        self._enter()
        self._bot = attempt(
            seat_bot,
            entrant.bot_class,
            ruleset=game.ruleset,
            seat=seat,
            seats=game.seats,
            luck=luck,
            move_ms=move_ms,
            settings=entrant.settings,
        )
        if isinstance(self._bot, Failure):
            self._report_problem(", before the match", f"{self._bot.line}\n{self._bot.details}")

    def move(self) -> None:
        """Play one decision of the bot, or the default action if it fails or one of its actions is illegal."""
        game, seat = self._game, self._seat
        if self.forfeited_at is not None:
            self._apply(game.default(seat), asked=True, by_default=True)
            return
        if game.trading and not self._trades:
            self._apply(game.default(seat), asked=False)
            return
        view = game.view(seat, news=self._news)
        self.decisions += 1
        actions = self._decide(view)
        if isinstance(actions, Failure):
            kind = "timeout" if isinstance(actions, TooSlow) else "error"
            self._fault(view, 0, kind, actions.line, actions.details)
            return
        for step, action in enumerate(in_turn(game, seat, actions)):
            try:
                self._apply(action, asked=not step)
            except IllegalActionError as error:
                self._fault(view, step, "illegal", illegal_reason(action, error))
                return

    def _apply(self, action: Action, *, asked: bool, by_default: bool = False) -> None:
        self._game.apply(self._seat, action, asked=asked)
        self._log.moves.append(PlayedMove(self._seat, action, by_default))

    def end(self, outcome: Outcome) -> None:
        """Call `match_over` of the bot."""
        if isinstance(self._bot, Failure):
            return
        self._enter()
        done = attempt(self._bot.match_over, outcome.scores, outcome.places)
        if isinstance(done, Failure):
            self._report_problem(", after the match", done.details)

    def _decide(self, view: View) -> Sequence[Action] | Failure:
        if isinstance(self._bot, Failure):
            return self._bot
        self._enter()
        start = perf_counter()
        actions = self._ask(self._bot, view)
        seconds = perf_counter() - start
        self.times.append(seconds)
        if not self.slowest or seconds > self.slowest.seconds:
            self.slowest = Slowest(seconds, self._where(turn_and_decision(view)))
        return actions

    def _ask(self, bot: Bot[Any], view: View) -> Sequence[Action] | Failure:
        if self._move_ms:
            return _unless_left(ask_within(self._move_ms, bot, view))
        self._watch.number += 1
        try:
            return _unless_left(ask(bot, view))
        except AlarmError as alarm:
            late = alarm
        finally:
            self._watch.number += 1
        return too_slow(f"no answer within {self._hangs_s:g} s; --move-ms sets another limit", late)

    def _enter(self) -> None:
        """Enter the bot's home, its working folder in a league."""
        if self._log.home is not self._home:
            self._log.home.leave()
            self._log.home = self._home
            self._home.enter()

    def _fault(self, view: View, step: int, kind: str, reason: str, details: str = "") -> None:
        """Record a fault in action `step` of a decision, and play the default action instead."""
        self.faults += 1
        where = f", action {step + 1} of the list" if step else ""
        forfeited = self._strikes is not None and self.faults > self._strikes
        then = "\nthe match is forfeited, as in a league" if forfeited else ""
        self._report_problem(
            f"{turn_and_decision(view)}{where}", "\n".join(dict.fromkeys(filter(None, (reason, details)))) + then
        )
        self._log.faults.append(Fault(self._seat, len(self._log.moves), kind, reason[:MAX_REASON], forfeited))
        if forfeited:
            self.forfeited_at = self._game.moment
        self._apply(self._game.default(self._seat), asked=not step, by_default=True)

    def _where(self, when: str) -> str:
        """Return the position in the match for messages; `practice --at` takes the move's number."""
        match = f"{self._log.name}, " if self._log.name else ""
        return f"{match}move {len(self._log.moves)} ({self._game.ruleset}, seat {self._seat}{when})"

    def _report_problem(self, when: str, problem: str) -> None:
        self._report(self._name, f"{self._where(when)}:\n{problem}")


def _unless_left(answer: Sequence[Action] | Failure) -> Sequence[Action] | Failure:
    """Return an answer, unless its author has left a debugger at a terminal.

    Raises:
        DebuggerLeftError: in that case.
    """
    if isinstance(answer, Breakpoint) and sys.stdin is not None and sys.stdin.isatty():
        raise DebuggerLeftError
    return answer
