"""Bots and what is known about their authors."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.names import format_bot


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a bundle says about itself."""

    name: str
    """Name of the bot."""
    games: tuple[str, ...]
    """Ids of the rulesets it plays."""
    command: tuple[str, ...]
    """How it is started, in its folder."""
    description: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True)
class BotVersion:
    """A version of a bot. Versions are never changed."""

    id: int
    """Primary key in the store."""
    number: int
    """1, 2, ... of the bot."""
    manifest: Manifest
    digest: str
    """SHA-256 of the canonical bundle, hexadecimal."""
    bundle_bytes: int
    """Size of the packed bundle."""
    submitted: float
    owner: str = ""
    """Name of the author who owns the bot, "" for organisers."""

    @property
    def bot(self) -> str:
        """The name of the bot."""
        return self.manifest.name

    @property
    def label(self) -> str:
        """The version as it is written: "name@version"."""
        return format_bot(self.bot, self.number)


@dataclass(frozen=True, slots=True)
class Log:
    """What a version wrote to stderr in a league, or the newest part of it."""

    league: str
    text: str
    truncated: bool
    """Whether older text was dropped."""
    updated: float


@dataclass(frozen=True, slots=True)
class Token:
    """What is known about an access token; the token itself is kept nowhere."""

    name: str
    """Whose it is."""
    role: str
    """One of "viewer", "author" and "organiser"."""
    created: float
    expires: float | None
    """None if it does not expire."""
    revoked: float | None
    """None if it was not revoked."""

    def valid(self, now: float) -> bool:
        """Whether it grants access at this time."""
        return self.revoked is None and (self.expires is None or now < self.expires)
