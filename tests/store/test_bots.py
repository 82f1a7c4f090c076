import pytest

from beanleague.model import League
from beanleague.store import ConflictError, MissingError, OwnerError, Store
from beanleague.store import bots as bots_module
from beanleague.store.bots import MAX_LOG_BYTES, newest
from tests.store.helpers import add_bots, add_league, digest, manifest


def test_the_trial_match_of_a_version_is_kept_with_it(store: Store) -> None:
    with_trial, _ = store.bots.add(manifest("a"), digest("1"), b"zip", trial=b"record")
    without, _ = store.bots.add(manifest("a"), digest("2"), b"zap")
    assert store.bots.trial(with_trial) == b"record"
    with pytest.raises(MissingError, match=r"no trial match of a@2 was kept"):
        store.bots.trial(without)


def test_submissions_are_numbered_for_each_bot(store: Store) -> None:
    for name, data in [("a", "1"), ("b", "2"), ("a", "3")]:
        version, created = store.bots.add(manifest(name), digest(data), data.encode())
        assert created
        assert store.bots.bundle(version.digest) == data.encode()
    assert [(version.bot, version.number) for version in store.bots.newest()] == [("a", 2), ("b", 1)]
    assert [version.number for version in store.bots.versions("a")] == [2, 1]


def test_the_same_bundle_again_is_the_version_it_was(store: Store) -> None:
    store.bots.add(manifest("a"), digest("1"), b"zip")
    store.bots.add(manifest("a"), digest("2"), b"zip")
    version, created = store.bots.add(manifest("a"), digest("1"), b"zip")
    assert not created
    assert version.number == 1
    assert store.bots.find("a", digest("1")) == version
    assert store.bots.find("a", digest("3")) is None
    assert store.bots.find("b", digest("1")) is None


def test_a_version_is_found_as_it_was_submitted(store: Store) -> None:
    kept, _ = store.bots.add(manifest("a", description="Plants.", author="Ann"), digest("1"), b"zip")
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
    first, _ = store.bots.add(manifest("a"), digest("1"), b"zip", author="ann")
    store.bots.add(manifest("b"), digest("2"), b"zip")
    assert first.owner == "ann"
    for name, author, whose in (("a", "ben", "ann"), ("b", "ben", "an organiser"), ("b", "ann", "an organiser")):
        with pytest.raises(OwnerError, match=f"the author of {name} is {whose}; give yours another name"):
            store.bots.check_owner(name, author)
        with pytest.raises(OwnerError):
            store.bots.add(manifest(name), digest("3"), b"zip", author=author)
    store.bots.check_owner("c", "ben")
    store.bots.add(manifest("a"), digest("4"), b"zip", author="ann")
    by_organiser, _ = store.bots.add(manifest("a"), digest("5"), b"zip")
    assert by_organiser.owner == "ann", "it stays the author's"
    assert [(bot.bot, bot.number, bot.owner) for bot in store.bots.newest()] == [("a", 3, "ann"), ("b", 1, "")]


def test_the_bots_of_an_author_take_so_much_space_and_no_more(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots_module, "MAX_AUTHOR_BYTES", 100)
    store.bots.add(manifest("a"), digest("1"), bytes(60), author="ann")
    store.bots.add(manifest("b"), digest("2"), bytes(40), author="ann")
    for name in ("a", "c"):
        with pytest.raises(ConflictError, match=r"the bots of ann would take more than .*; ask an organiser"):
            store.bots.add(manifest(name), digest("3"), b"1", author="ann")
    _, created = store.bots.add(manifest("a"), digest("1"), bytes(60), author="ann")
    assert not created, "what is there takes nothing more"
    store.bots.add(manifest("d"), digest("4"), bytes(100), author="ben")
    store.bots.add(manifest("a"), digest("5"), bytes(100))
    with pytest.raises(ConflictError):
        store.bots.add(manifest("b"), digest("6"), b"1", author="ann")


def test_what_a_version_writes_is_kept_for_each_league(store: Store, league: League) -> None:
    other = add_league(store, [1, 2], "autumn", seats=2)
    store.logs.append(league.id, {1: "one\n", 2: "two\n"})
    store.logs.append(league.id, {1: "three\n"})
    store.logs.append(other.id, {1: "four\n"})
    store.logs.append(other.id, {})
    assert [(log.league, log.text) for log in store.logs.get(1)] == [("autumn", "four\n"), ("spring", "one\nthree\n")]
    assert [log.text for log in store.logs.get(2, league.id)] == ["two\n"]
    assert store.logs.get(2, other.id) == ()


def test_the_newest_lines_are_kept(store: Store, league: League) -> None:
    lines = "".join(f"line {number}\n" for number in range(50_000))
    for start in range(0, len(lines), 100_000):
        store.logs.append(league.id, {1: lines[start : start + 100_000]})
    (log,) = store.logs.get(1)
    assert log.truncated
    assert MAX_LOG_BYTES - 20 < len(log.text) <= MAX_LOG_BYTES
    assert lines.endswith("\n" + log.text)


def test_a_nul_is_replaced(store: Store, league: League) -> None:
    store.logs.append(league.id, {1: "a\0b"})
    assert store.logs.get(1)[0].text == "a\N{REPLACEMENT CHARACTER}b"


@pytest.mark.parametrize(
    ("text", "most", "kept"),
    [
        ("abc\ndef\n", 8, "abc\ndef\n"),
        ("abc\ndef\n", 7, "def\n"),
        ("abc\ndef\n", 4, "def\n"),
        ("abcdef", 4, "cdef"),
        ("abc\n", 3, "bc\n"),
        ("\N{EURO SIGN}\N{EURO SIGN}", 4, "\N{EURO SIGN}"),
    ],
)
def test_the_end_of_a_text_is_whole_lines_if_it_can_be(text: str, most: int, kept: str) -> None:
    assert newest(text, most) == (kept, kept != text)
