"""Errors of the league: each is a `LeagueError` whose message is a sentence or two for people."""

from dataclasses import dataclass


class LeagueError(Exception):
    """Base of all errors that `beanleague.league` raises deliberately."""


class RequestError(LeagueError):
    """Raised for a request that can never work: a bad name, too few bots, an unknown option."""


class RefusedError(LeagueError):
    """Raised when a bot is not admitted because it failed its trial match."""


class RunError(LeagueError):
    """Raised when a run cannot continue. Finished deals are kept."""


class StillRunningError(LeagueError):
    """Raised when a run that was asked to stop has not stopped in time."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason for refusing a bundle."""

    where: str
    """File, or "bot.toml: key"; "" if the whole bundle is concerned."""
    what: str
    """The mistake and how to fix it."""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


class BundleError(LeagueError):
    """Raised for a bundle with problems. `problems`: all of them, at least one."""

    def __init__(self, *problems: Problem) -> None:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(f"{problems[0]}{more}")
        self.problems = problems
