"""Errors of the league; every one is a `LeagueError` whose message is a sentence or two for people."""

from __future__ import annotations

from dataclasses import dataclass


class LeagueError(Exception):
    """Base of every error that `beanleague.league` raises on purpose."""


class RequestError(LeagueError):
    """What was asked for can never work: a bad name, too few bots, an unknown option."""


class RefusedError(LeagueError):
    """A bot is not admitted: it failed its trial match."""


class RunError(LeagueError):
    """A run cannot go on. What was played stays."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a bundle is bad. `where`: a file or "bot.toml: key"; "" for the whole."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


class BundleError(LeagueError):
    """A bundle is bad. `problems`: all that was found, at least one."""

    def __init__(self, *problems: Problem) -> None:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(f"{problems[0]}{more}")
        self.problems = problems
