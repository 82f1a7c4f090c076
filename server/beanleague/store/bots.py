"""Bots with versions, bundles and logs, and the access tokens of servers.

A token is "bean-<id>-<secret>". The secret has 256 random bits, so that it cannot be guessed, and a plain SHA-256 of
the token suffices. The id finds the row; the digests are compared in constant time.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from beanleague.games.core.game import suggestion
from beanleague.model import BotVersion, Log, Manifest, Token
from beanleague.names import storable
from beanleague.store import ConflictError, MissingError, OwnerError, TakenError, columns, database
from beanleague.store.tables import BOT, BUNDLE, LEAGUE, LOG, TOKEN, TRIAL, VERSION
from beanleague.store.tables.bots import LogRow, TokenRow, VersionRow
from beanleague.store.tables.rules import SMALL

MAX_AUTHOR_BYTES = 256 * 2**20  # maximum size of all bundles of an author
# minimum size charged for a version: even a tiny bundle comes with rows and a trial match
LEAST_BYTES = 16 * 2**10
MAX_LOG_BYTES = 512 * 1024  # maximum log size kept per version and league

_MANIFEST = columns.Mapper(Manifest, VersionRow, apart=("name",))
_VERSION = columns.Mapper(BotVersion, VersionRow, apart=("manifest", "owner", "hidden"))
_LOG = columns.Mapper(Log, LogRow, apart=("league",))


class Bots(database.Queries):
    """Queries and updates of bots. Versions are added, never changed."""

    def check_owner(self, name: str, author: str) -> None:
        """Check that `author` ("" for an organiser) may submit a bot of this name, which must be new or theirs.

        Raises:
            OwnerError: if the bot belongs to another author.
        """
        with self._database.read() as connection:
            bot = connection.execute(sa.select(BOT).where(BOT.c.name == name)).one_or_none()
            if bot is not None:
                _check_owner(bot, author)

    def has(self, name: str) -> bool:
        """Return whether a bot has this name."""
        with self._database.read() as connection:
            return connection.execute(sa.select(BOT.c.id).where(BOT.c.name == name)).first() is not None

    def add(
        self, manifest: Manifest, digest: str, data: bytes, author: str = "", packages: str = "", trial: bytes = b""
    ) -> tuple[BotVersion, bool]:
        """Store a bundle as the next version of its bot. `author`: submitter, "" for an organiser.

        `packages`: digest of its environment. `trial`: packed record of a trial match, if any.

        Returns the version and whether it is new; an existing version with the same bundle is returned unchanged.

        Raises:
            OwnerError: if the bot belongs to another author.
            ConflictError: if the bots of `author` would take more than `MAX_AUTHOR_BYTES`.
        """
        with self._database.write() as connection:
            bot = connection.execute(sa.select(BOT).where(BOT.c.name == manifest.name)).one_or_none()
            if bot is not None:
                _check_owner(bot, author)
                bot_id = bot.id
            else:
                new = {"name": manifest.name, "owner": author, "hidden": False}
                bot_id = connection.execute(sa.insert(BOT).returning(BOT.c.id), new).scalar_one()
            same = connection.execute(_VERSIONS.where(BOT.c.id == bot_id, VERSION.c.digest == digest)).one_or_none()
            if same is not None:
                return _version(same), False
            if author:
                _check_space(connection, author, len(data))
            if connection.scalar(sa.select(BUNDLE.c.digest).where(BUNDLE.c.digest == digest)) is None:
                connection.execute(sa.insert(BUNDLE), {"digest": digest, "data": data})
            newest = connection.scalar(sa.select(sa.func.max(VERSION.c.number)).where(VERSION.c.bot_id == bot_id))
            row = {
                **_MANIFEST.to_row(manifest),
                "bot_id": bot_id,
                "number": (newest or 0) + 1,
                "digest": digest,
                "bundle_bytes": len(data),
                "submitted": time.time(),
                "packages": packages,
            }
            version_id = connection.execute(sa.insert(VERSION).returning(VERSION.c.id), row).scalar_one()
            if trial:
                connection.execute(sa.insert(TRIAL), {"version_id": version_id, "record": trial})
            return _version(connection.execute(_VERSIONS.where(VERSION.c.id == version_id)).one()), True

    def find(self, name: str, digest: str) -> BotVersion | None:
        """Return the version of a bot with this bundle; None if there is none."""
        return self._first(_VERSIONS.where(BOT.c.name == name, VERSION.c.digest == digest), _version)

    def hide(self, name: str, author: str = "", *, hidden: bool = True) -> BotVersion:
        """Hide a bot, or show it again; return its newest version. `author`: caller, "" for an organiser.

        Raises:
            MissingError: if no bot has this name.
            OwnerError: if the bot belongs to another author.
        """
        self.versions(name)
        with self._database.write() as connection:
            bot = connection.execute(sa.select(BOT).where(BOT.c.name == name)).one()
            _check_owner(bot, author)
            connection.execute(sa.update(BOT).where(BOT.c.id == bot.id).values(hidden=hidden))
        return self.version(name)

    def newest(self, *, hidden: bool = False) -> tuple[BotVersion, ...]:
        """Return the newest version of every bot, by name. `hidden`: include hidden bots."""
        row = VERSION.c
        newest = sa.select(row.bot_id, sa.func.max(row.number).label("number")).group_by(row.bot_id).subquery()
        is_newest = (newest.c.bot_id == row.bot_id) & (newest.c.number == row.number)
        query = _VERSIONS.join(newest, is_newest).order_by(BOT.c.name)
        if not hidden:
            query = query.where(BOT.c.hidden.is_(False))
        return self._all(query, _version)

    def versions(self, name: str) -> tuple[BotVersion, ...]:
        """Return all versions of a bot, newest first.

        Raises:
            MissingError: if no bot has this name.
        """
        found = self._all(_VERSIONS.where(BOT.c.name == name).order_by(VERSION.c.number.desc()), _version)
        if not found:
            names = self._all(sa.select(BOT.c.name).order_by(BOT.c.name), lambda row: columns.checked_name(row.name))
            there = suggestion(name, names) if names else "none was submitted yet"
            raise MissingError(f"there is no bot {name!r}; {there}")
        return found

    def version(self, name: str, number: int | None = None) -> BotVersion:
        """Return a version of a bot, the newest if `number` is None.

        Raises:
            MissingError: if no bot has this name, or the bot has no version with this number.
        """
        of = _VERSIONS.where(BOT.c.name == name).order_by(VERSION.c.number.desc()).limit(1)
        newest = self._first(of, _version)
        if newest is None:
            return self.versions(name)[0]  # raises an error that lists the existing names
        if number in {None, newest.number}:
            return newest
        found = self._first(of.where(VERSION.c.number == number), _version) if 0 < number <= SMALL else None
        if found is None:
            raise MissingError(f"bot {name!r} has no version {number}; its newest is {newest.number}")
        return found

    def trial(self, version: BotVersion) -> bytes:
        """Return the packed record of a version's trial match.

        Raises:
            MissingError: if none is stored.
        """
        query = sa.select(TRIAL).where(TRIAL.c.version_id == version.id)
        record: bytes | None = self._first(query, lambda row: row.record)
        if record is None:
            raise MissingError(f"no trial match of {version.label} was kept; earlier releases did not keep them")
        return record

    def bundle(self, digest: str) -> bytes:
        """Return the canonical zip with this digest.

        Raises:
            MissingError: if no bundle has this digest.
        """
        data: bytes | None = self._first(sa.select(BUNDLE).where(BUNDLE.c.digest == digest), lambda row: row.data)
        if data is None:
            raise MissingError(f"the bundle {digest} is missing from the database")
        return data


class Logs(database.Queries):
    """Queries and updates of bot logs."""

    def append(self, league_id: int, texts: Mapping[int, str]) -> None:
        """Append to the logs of versions, by `BotVersion.id`; beyond `MAX_LOG_BYTES` the oldest lines are dropped."""
        now = time.time()

        def add(again: bool) -> None:  # noqa: FBT001  # signature of `repeat`
            with self._database.write(durable=False) as connection:
                for version_id, more in texts.items():
                    key = {"version_id": version_id, "league_id": league_id}
                    row = connection.execute(sa.select(LOG).filter_by(**key)).one_or_none()
                    if again and row is not None and row.updated == now:
                        return
                    text, cut = newest((row.text if row else "") + storable(more), MAX_LOG_BYTES)
                    values = {"text": text, "truncated": cut or bool(row and row.truncated), "updated": now}
                    if row is None:
                        connection.execute(sa.insert(LOG), {**key, **values})
                    else:
                        connection.execute(sa.update(LOG).filter_by(**key).values(values))

        if texts:
            self._database.repeat(add)

    def get(self, version_id: int, league_id: int | None = None) -> tuple[Log, ...]:
        """Return the logs of a version, by league name; `league_id`: only in this league."""
        query = (
            sa.select(*_LOG.columns, LEAGUE.c.name.label("league"))
            .join_from(LOG, LEAGUE, LEAGUE.c.id == LOG.c.league_id)
            .where(LOG.c.version_id == version_id)
            .order_by(LEAGUE.c.name)
        )
        if league_id is not None:
            query = query.where(LOG.c.league_id == league_id)
        return self._all(query, lambda row: _LOG.from_row(row, league=columns.checked_name(row.league)))


_VERSIONS = sa.select(*_MANIFEST.columns, *_VERSION.columns, BOT.c.name, BOT.c.owner, BOT.c.hidden).join_from(
    BOT, VERSION, VERSION.c.bot_id == BOT.c.id
)


def _check_owner(bot: sa.Row[*tuple[Any, ...]], author: str) -> None:
    if author and bot.owner != author:
        raise OwnerError(f"{bot.name} belongs to {bot.owner or 'an organiser'}; choose another name for your bot")


def _check_space(connection: sa.Connection, author: str, more: int) -> None:
    """Check that a bundle of `more` bytes fits into its author's quota; a full disk would stop all leagues."""
    counted = sa.case((VERSION.c.bundle_bytes < LEAST_BYTES, LEAST_BYTES), else_=VERSION.c.bundle_bytes)
    taken = sa.select(sa.func.sum(counted)).join_from(VERSION, BOT, BOT.c.id == VERSION.c.bot_id)
    if (connection.scalar(taken.where(BOT.c.owner == author)) or 0) + max(more, LEAST_BYTES) > MAX_AUTHOR_BYTES:
        raise ConflictError(
            f"the bots of {author} would take more than {MAX_AUTHOR_BYTES // 2**20} MiB, the limit per author; ask "
            "an organiser to submit the bot"
        )


def _version(row: sa.Row[*tuple[Any, ...]]) -> BotVersion:
    manifest = _MANIFEST.from_row(row, name=columns.checked_name(row.name))
    return _VERSION.from_row(
        row, manifest=manifest, owner=row.owner and columns.checked_name(row.owner), hidden=row.hidden
    )


def newest(text: str, limit: int) -> tuple[str, bool]:
    """Return the last whole lines of `text` within `limit` bytes of UTF-8, and whether anything was dropped."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return data.decode(), False
    tail = data[-limit:]
    _, end, lines = tail.partition(b"\n")
    return (lines if end and lines else tail).decode("utf-8", "ignore"), True


_PREFIX = "bean"
_ID_BYTES = 8
_SECRET_BYTES = 32

_TOKEN = columns.Mapper(Token, TokenRow)


class Tokens(database.Queries):
    """Queries and updates of access tokens.

    Revoked and expired tokens stay stored, so that their holders get the right error.
    """

    def new(self, name: str, role: str, lifetime: float | None = None) -> tuple[Token, str]:
        """Create a token; return its description, and the token itself, which is not stored.

        `lifetime`: in seconds; None if it never expires.

        Raises:
            TakenError: if a valid token has this name.
        """
        now = time.time()
        number, secret = secrets.token_hex(_ID_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
        text = f"{_PREFIX}-{number}-{secret}"
        token = Token(name, role, now, None if lifetime is None else now + lifetime, None)
        with self._database.write() as connection:
            if _valid(connection, name, now) is not None:
                raise TakenError(f"{name} already has a valid token; revoke it first (token revoke {name})")
            connection.execute(sa.insert(TOKEN), {**_TOKEN.to_row(token), "id": number, "digest": _digest(text)})
            return token, text

    def find(self, text: str) -> Token | None:
        """Return the data of a token, which may be revoked or expired; None if the token was never issued here."""
        prefix, _, rest = text.partition("-")
        number, _, _ = rest.partition("-")
        if prefix != _PREFIX or len(number) != 2 * _ID_BYTES:
            return None
        with self._database.read() as connection:
            row = connection.execute(sa.select(TOKEN).where(TOKEN.c.id == number)).one_or_none()
            return _TOKEN.from_row(row) if row and hmac.compare_digest(row.digest, _digest(text)) else None

    def list(self) -> tuple[Token, ...]:
        """Return all tokens, newest first."""
        return self._all(sa.select(TOKEN).order_by(TOKEN.c.created.desc(), TOKEN.c.id), _TOKEN.from_row)

    def revoke(self, name: str) -> Token:
        """Make the valid token of this name invalid.

        Raises:
            MissingError: if no valid token has this name.
        """
        now = time.time()
        with self._database.write() as connection:
            row = _valid(connection, name, now)
            if row is None:
                raise MissingError(f"there is no valid token of {name!r:.60}; 'token list' lists them")
            connection.execute(sa.update(TOKEN).where(TOKEN.c.id == row.id).values(revoked=now))
            return replace(_TOKEN.from_row(row), revoked=now)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode(errors="replace")).digest()


def _valid(connection: sa.Connection, name: str, now: float) -> sa.Row[*tuple[Any, ...]] | None:
    rows = connection.execute(sa.select(TOKEN).where(TOKEN.c.name == name))
    return next((row for row in rows if _TOKEN.from_row(row).valid(now)), None)
