"""Errors of the league; every one is a `LeagueError` whose message is a sentence or two for people."""

from dataclasses import dataclass


class LeagueError(Exception):
    """Base of every error that `beanleague.league` raises on purpose."""


class RequestError(LeagueError):
    """Raised for a request that can never work: a bad name, too few bots, an unknown option."""


class RefusedError(LeagueError):
    """Raised when a bot is not admitted because it failed its trial match."""


class RunError(LeagueError):
    """Raised when a run cannot continue. Deals that were played are kept."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a bundle is refused."""

    where: str
    """A file or "bot.toml: key"; "" for the whole bundle."""
    what: str
    """What is wrong, and what to do."""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


class BundleError(LeagueError):
    """Raised for a bundle with problems. `problems`: all that were found, at least one."""

    def __init__(self, *problems: Problem) -> None:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(f"{problems[0]}{more}")
        self.problems = problems
