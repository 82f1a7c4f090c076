import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from beanleague.store import MissingError, Store, TakenError

DAY = 86_400.0


def test_a_token_is_found_by_its_text_alone(store: Store) -> None:
    made, text = store.tokens.new("ann", "author", DAY)
    assert store.tokens.find(text) == made
    assert (made.name, made.role, made.revoked) == ("ann", "author", None)
    assert made.expires == pytest.approx(made.created + DAY)
    for wrong in (text[:-1], text + "x", text[:-1] + ("x" if text[-1] != "x" else "y"), "", "bean", "bean--", "ann"):
        assert store.tokens.find(wrong) is None


@pytest.mark.sqlite
def test_the_database_holds_nothing_by_which_one_could_call(store: Store) -> None:
    _, text = store.tokens.new("ann", "author")
    secret = text.split("-", 2)[2].encode()
    with closing(sqlite3.connect(store.database.name)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        rows = list(database.execute("SELECT * FROM token"))
        assert len(rows) == 1
        assert not any(secret in str(value).encode() for value in rows[0])
    assert secret not in Path(store.database.name).read_bytes()


def test_no_two_tokens_are_alike(store: Store) -> None:
    texts = {store.tokens.new(f"n{number}", "viewer")[1] for number in range(50)}
    assert len(texts) == 50


def test_a_name_has_one_valid_token_and_later_ones_after_it(store: Store) -> None:
    _, first = store.tokens.new("ann", "author")
    with pytest.raises(TakenError, match=r"there is a valid token of ann; revoke that first"):
        store.tokens.new("ann", "organiser")
    revoked = store.tokens.revoke("ann")
    assert revoked == store.tokens.find(first)
    assert not revoked.valid(time.time())
    _, second = store.tokens.new("ann", "viewer", -1.0)  # it has run out already
    store.tokens.new("ann", "organiser")
    assert [token.role for token in store.tokens.list()] == ["organiser", "viewer", "author"]
    found = store.tokens.find(second)
    assert found is not None
    assert not found.valid(time.time())


def test_what_is_not_valid_cannot_be_revoked(store: Store) -> None:
    store.tokens.new("ann", "author", -1.0)
    for name in ("ann", "ben"):
        with pytest.raises(MissingError, match=f"there is no valid token of '{name}'"):
            store.tokens.revoke(name)
