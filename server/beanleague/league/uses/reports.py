"""Reports on bots: choice of the matches, and the program that analyses their records."""

from collections.abc import Iterator
from dataclasses import dataclass

from beanleague.games.records.lines import counted_matches, report_lines
from beanleague.league.uses.analyses import BOUNDS
from beanleague.league.uses.matches import newest_matches, whole_match
from beanleague.league.uses.programs import AnalysisProgress, Program, Runner
from beanleague.store import Store
from beanleague.wire import record_from_bytes

_MATCHES = 20  # number of newest matches of each bot
_LINES = "matches.jsonl"


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """Request for a report on a bot in a league."""

    league: str
    """Name of the league."""
    bot: str
    """Bot, as "name" or "name@version"."""
    against: str = ""
    """Bot to compare with; "" for none."""


def report(store: Store, request: ReportRequest, run: Runner) -> Iterator[AnalysisProgress]:
    """Report on the newest matches of a bot in a league; yield the progress, and the report as JSON last.

    Raises:
        MissingError, NameFormatError: see `newest_matches`.
        LeagueError, SandboxError: see `output_of`; also any error of `run`.
    """
    bots = dict.fromkeys(filter(None, (request.bot, request.against)))
    counts = counted_matches([(bot, newest_matches(store, request.league, bot, _MATCHES)) for bot in bots])

    def program() -> Program:
        lines = report_lines(counts, lambda match: record_from_bytes(whole_match(store, match).record))
        words = ["analyse", _LINES, "--report", request.bot, "--against", request.against]
        return Program(words, {_LINES: lines.encode()})

    return run(program, BOUNDS)
