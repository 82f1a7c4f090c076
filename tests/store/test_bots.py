from __future__ import annotations

import pytest

from beanleague.store import ConflictError, MissingError, OwnerError
from beanleague.store import bots as bots_module
from beanleague.store.store import Store
from tests.store.helpers import add_bots, manifest


def test_submissions_are_numbered_for_each_bot(store: Store) -> None:
    for name, digest in [("a", "1"), ("b", "2"), ("a", "3")]:
        version, created = store.bots.add(manifest(name), digest, b"zip " + digest.encode())
        assert created
        assert store.bots.bundle(version.digest) == b"zip " + digest.encode()
    assert [(version.bot, version.number) for version in store.bots.newest()] == [("a", 2), ("b", 1)]
    assert [version.number for version in store.bots.versions("a")] == [2, 1]


def test_the_same_bundle_again_is_the_version_it_was(store: Store) -> None:
    store.bots.add(manifest("a"), "1", b"zip")
    store.bots.add(manifest("a"), "2", b"zip")
    version, created = store.bots.add(manifest("a"), "1", b"zip")
    assert not created
    assert version.number == 1
    assert store.bots.find("a", "1") == version
    assert store.bots.find("a", "3") is None
    assert store.bots.find("b", "1") is None


def test_a_version_is_found_as_it_was_submitted(store: Store) -> None:
    kept, _ = store.bots.add(manifest("a", description="Plants.", author="Ann"), "1", b"zip")
    assert store.bots.version("a", 1) == store.bots.version("a") == kept
    assert kept.manifest == manifest("a", description="Plants.", author="Ann")
    assert kept.bundle_bytes == 3


def test_the_error_for_a_missing_bot_lists_those_that_exist(store: Store) -> None:
    with pytest.raises(MissingError, match="there is no bot 'a'; none was submitted yet"):
        store.bots.version("a")
    add_bots(store, 13)
    with pytest.raises(MissingError, match=r"there is no bot 'a'; there are: bot0, bot1, bot10, .*, bot8, \.\.\.$"):
        store.bots.versions("a")
    with pytest.raises(MissingError, match=r"there is no bot 'bott3'; did you mean 'bot3'\?$"):
        store.bots.version("bott3")
    with pytest.raises(MissingError, match="bot 'bot1' has no version 2; its newest is 1"):
        store.bots.version("bot1", 2)
    with pytest.raises(MissingError, match="the bundle xyz is missing from the database"):
        store.bots.bundle("xyz")


def test_an_author_replaces_only_their_own_bots_and_organisers_all(store: Store) -> None:
    first, _ = store.bots.add(manifest("a"), "1", b"zip", author="ann")
    store.bots.add(manifest("b"), "2", b"zip")
    assert first.owner == "ann"
    for name, author, whose in (("a", "ben", "ann"), ("b", "ben", "the organisers"), ("b", "ann", "the organisers")):
        with pytest.raises(OwnerError, match=f"the bot {name} belongs to {whose}; give yours another name"):
            store.bots.check_owner(name, author)
        with pytest.raises(OwnerError):
            store.bots.add(manifest(name), "3", b"zip", author=author)
    store.bots.check_owner("c", "ben")
    store.bots.add(manifest("a"), "4", b"zip", author="ann")
    by_organiser, _ = store.bots.add(manifest("a"), "5", b"zip")
    assert by_organiser.owner == "ann", "it stays the author's"
    assert [(bot.bot, bot.number, bot.owner) for bot in store.bots.newest()] == [("a", 3, "ann"), ("b", 1, "")]


def test_the_bots_of_an_author_take_so_much_space_and_no_more(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots_module, "MAX_AUTHOR_BYTES", 100)
    store.bots.add(manifest("a"), "1", bytes(60), author="ann")
    store.bots.add(manifest("b"), "2", bytes(40), author="ann")
    for name in ("a", "c"):
        with pytest.raises(ConflictError, match=r"the bots of ann would take more than .*; ask an organiser"):
            store.bots.add(manifest(name), "3", b"1", author="ann")
    assert not store.bots.add(manifest("a"), "1", bytes(60), author="ann")[1], "what is there takes nothing more"
    store.bots.add(manifest("d"), "4", bytes(100), author="ben")
    store.bots.add(manifest("a"), "5", bytes(100))
    with pytest.raises(ConflictError):
        store.bots.add(manifest("b"), "6", b"1", author="ann")
