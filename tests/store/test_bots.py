from __future__ import annotations

import pytest

from beanleague.store import MissingError
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


def test_what_is_missing_is_told_with_what_there_is(store: Store) -> None:
    with pytest.raises(MissingError, match="there is no bot 'a'; none was submitted yet"):
        store.bots.version("a")
    add_bots(store, 12)
    with pytest.raises(MissingError, match=r"there is no bot 'a'; there are: bot0, bot1, bot10, .*, bot7, \.\.\.$"):
        store.bots.versions("a")
    with pytest.raises(MissingError, match="bot 'bot1' has no version 2; its newest is 1"):
        store.bots.version("bot1", 2)
    with pytest.raises(MissingError, match="the bundle xyz is not there"):
        store.bots.bundle("xyz")
