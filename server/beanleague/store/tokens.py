"""Tokens: who may call a server that others can reach.

A token is "bean-<id>-<secret>". The secret has 256 random bits: there is nothing to guess, and a plain SHA-256 of the
token is all that need be kept. The id finds the row; the digests are compared in constant time.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from typing import TYPE_CHECKING

from sqlalchemy import select

from beanleague.model import Token
from beanleague.store import MissingError, TakenError
from beanleague.store.columns import TOKEN, Mapper
from beanleague.store.database import Database

if TYPE_CHECKING:
    from sqlmodel import Session

    from beanleague.store.tables import TokenRow

_PREFIX = "bean"
_ID_BYTES = 8
_SECRET_BYTES = 32

_TOKEN = Mapper(Token, TOKEN)


class Tokens:
    """The tokens of a database. Revoked and expired ones stay, so that their holders get the right error."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def new(self, name: str, role: str, lifetime: float | None = None) -> tuple[Token, str]:
        """Create a token; return its description, and the token itself, which is not stored.

        `lifetime`: seconds; None: it never expires.

        Raises:
            TakenError: if a valid token has this name.
        """
        from beanleague.store.tables import TokenRow

        now = time.time()
        number, secret = secrets.token_hex(_ID_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
        text = f"{_PREFIX}-{number}-{secret}"
        row = TokenRow(
            id=number,
            name=name,
            role=role,
            digest=_digest(text),
            created=now,
            expires=None if lifetime is None else now + lifetime,
        )
        with self._database.write() as session:
            if _valid(session, name, now) is not None:
                raise TakenError(f"there is a valid token of {name}; revoke that first (token revoke {name})")
            session.add(row)
            session.flush()
            return _TOKEN.from_row(row), text

    def find(self, text: str) -> Token | None:
        """Return the description of a token, None if it is not one of ours. The token may be revoked or expired."""
        prefix, _, rest = text.partition("-")
        number, _, _ = rest.partition("-")
        if prefix != _PREFIX or len(number) != 2 * _ID_BYTES:
            return None
        with self._database.read() as connection:
            row = connection.execute(select(TOKEN).where(TOKEN.c.id == number)).one_or_none()
            return _TOKEN.from_row(row) if row and hmac.compare_digest(row.digest, _digest(text)) else None

    def list(self) -> tuple[Token, ...]:
        """Return all tokens, the newest first."""
        with self._database.read() as connection:
            rows = connection.execute(select(TOKEN).order_by(TOKEN.c.created.desc(), TOKEN.c.id))
            return tuple(map(_TOKEN.from_row, rows))

    def revoke(self, name: str) -> Token:
        """Make the valid token of this name invalid.

        Raises:
            MissingError: if no valid token has this name.
        """
        now = time.time()
        with self._database.write() as session:
            row = _valid(session, name, now)
            if row is None:
                raise MissingError(f"there is no valid token of {name!r:.60}; 'token list' lists them")
            row.revoked = now
            session.flush()
            return _TOKEN.from_row(row)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode(errors="replace")).digest()


def _valid(session: Session, name: str, now: float) -> TokenRow | None:
    from beanleague.store.tables import TokenRow

    rows = session.scalars(select(TokenRow).filter_by(name=name))
    return next((row for row in rows if _TOKEN.from_row(row).valid(now)), None)
