"""Bots, their versions, logs and tokens."""

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
    """Command line that starts the bot, run in its folder."""
    description: str = ""
    """One line about the bot; may be empty."""
    author: str = ""
    """Author as named in the manifest; may be empty."""
    environment: str = ""
    """Name of the bot's environment; "" for the default one."""


@dataclass(frozen=True, slots=True)
class BotVersion:
    """A version of a bot; immutable."""

    id: int
    """Primary key in the store."""
    number: int
    """Version number of the bot: 1, 2, ..."""
    manifest: Manifest
    """Manifest of the bundle."""
    digest: str
    """SHA-256 of the canonical bundle, hexadecimal."""
    bundle_bytes: int
    """Size of the packed bundle."""
    submitted: float
    """Time of submission."""
    packages: str = ""
    """Digest of the bot's environment, "" for the default one. It stays even if the environment's name is
    reassigned."""
    owner: str = ""
    """Name of the author who owns the bot, "" for organisers."""
    hidden: bool = False
    """Whether the bot is left out of lists, and of leagues that do not name it."""

    @property
    def bot(self) -> str:
        """The name of the bot."""
        return self.manifest.name

    @property
    def label(self) -> str:
        """The version as "name@version"."""
        return format_bot(self.bot, self.number)


@dataclass(frozen=True, slots=True)
class Log:
    """Stderr of a version in a league, or the latest part of it."""

    league: str
    """Name of the league."""
    text: str
    """Text of the log."""
    truncated: bool
    """Whether older text was dropped."""
    updated: float
    """Time of the last addition."""


@dataclass(frozen=True, slots=True)
class Token:
    """Public data of an access token; the token itself is not stored."""

    name: str
    """Name of the holder."""
    role: str
    """One of "viewer", "author" and "organiser"."""
    created: float
    """Time of creation."""
    expires: float | None
    """Time of expiry; None if it never expires."""
    revoked: float | None
    """Time of revocation; None if not revoked."""

    def valid(self, now: float) -> bool:
        """Return whether the token grants access at this time."""
        return self.revoked is None and (self.expires is None or now < self.expires)
