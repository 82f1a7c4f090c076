"""Reports of bots: the matches that count in one, and the program that makes it of their records."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from beanleague.games import record_to_line
from beanleague.league.uses.analyses import BOUNDS
from beanleague.league.uses.matches import newest_matches, whole_match
from beanleague.league.uses.programs import AnalysisProgress, Program, Runner
from beanleague.store import Store
from beanleague.wire import record_from_bytes

_MATCHES = 20  # the newest of each bot
_LINES = "matches.jsonl"


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """A bot of a league to report on."""

    league: str
    """Name of the league."""
    bot: str
    """The bot, "name" or "name@version"."""
    against: str = ""
    """A bot whose figures stand beside its own; "" for none."""


def counted_matches(newest: Iterable[tuple[str, Iterable[str]]]) -> Mapping[str, Sequence[str]]:
    """Return the bots in whose figures each match counts, by its name, in order of first mention.

    `newest`: pairs of a bot and the names of its matches; a bot may come again with others.
    """
    counts: dict[str, list[str]] = {}
    for bot, matches in newest:
        for match in matches:
            bots = counts.setdefault(match, [])
            if bot not in bots:
                bots.append(bot)
    return counts


def report(store: Store, request: ReportRequest, run: Runner) -> Iterator[AnalysisProgress]:
    """Report on the newest matches of a bot in a league; yield the progress, and the report as JSON last.

    Raises:
        MissingError, NameFormatError: as `newest_matches`.
        LeagueError, SandboxError: as `output_of`; and whatever `run` raises.
    """
    bots = dict.fromkeys(filter(None, (request.bot, request.against)))
    counts = counted_matches([(bot, newest_matches(store, request.league, bot, _MATCHES)) for bot in bots])

    def program() -> Program:
        lines = "".join(
            record_to_line(record_from_bytes(whole_match(store, match).record), match, of_bots)
            for match, of_bots in counts.items()
        )
        words = ["analyse", _LINES, "--report", request.bot, "--against", request.against]
        return Program(words, {_LINES: lines.encode()})

    return run(program, BOUNDS)
