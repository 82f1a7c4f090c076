"""Bots and what is known about their authors."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.names import format_bot


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of a bundle's `bot.toml`."""

    name: str
    """Name of the bot."""
    games: tuple[str, ...]
    """Ids of the rulesets it plays."""
    command: tuple[str, ...]
    """How it is started, in its folder."""
    description: str = ""
    """One line about the bot; may be empty."""
    author: str = ""
    """Who wrote it; may be empty."""
    environment: str = ""
    """The name of the environment that it plays in; "" for the default one."""


@dataclass(frozen=True, slots=True)
class BotVersion:
    """A version of a bot. Versions are never changed."""

    id: int
    """Primary key in the store."""
    number: int
    """1, 2, ... for each bot."""
    manifest: Manifest
    """The manifest of its bundle."""
    digest: str
    """SHA-256 of the canonical bundle, hexadecimal."""
    bundle_bytes: int
    """Size of the packed bundle."""
    submitted: float
    """When it was submitted."""
    packages: str = ""
    """The digest of its environment, "" for the default one. Whatever the name stands for later, this is kept."""
    owner: str = ""
    """Name of the author who owns the bot, "" for organisers."""
    hidden: bool = False
    """Whether lists leave the bot out, and leagues that do not name it."""

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
    """Name of the league."""
    text: str
    """The text."""
    truncated: bool
    """Whether older text was dropped."""
    updated: float
    """When it was last added to."""


@dataclass(frozen=True, slots=True)
class Token:
    """What is known about an access token; the token itself is kept nowhere."""

    name: str
    """Name of its holder."""
    role: str
    """One of "viewer", "author" and "organiser"."""
    created: float
    """When it was created."""
    expires: float | None
    """When it expires; None if it does not."""
    revoked: float | None
    """When it was revoked; None if it was not."""

    def valid(self, now: float) -> bool:
        """Whether it grants access at this time."""
        return self.revoked is None and (self.expires is None or now < self.expires)
