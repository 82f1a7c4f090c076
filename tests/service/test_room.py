"""Room that owners share: who fills it loses their own things alone."""

import pytest
from starlette.requests import Request
from starlette.responses import Response

from beanleague.service.room import SharedRoom
from beanleague.web import play_tables, security
from beanleague.web.pages import submit
from beanleague.web.security import Sessions, Visitor
from beanproto.v1.league_pb2 import ROLE_AUTHOR
from beanproto.v1.league_pb2_grpc import LeagueStub


def filled(room: SharedRoom[str], **counts: int) -> list[str | None]:
    """Put so many things of each owner into a room, "ann1", "ann2", ...; return what went for each."""
    return [room.put(owner, f"{owner}{number}") for owner, count in counts.items() for number in range(1, count + 1)]


def counts(room: SharedRoom[str], *owners: str) -> list[int]:
    return [room.of(owner) for owner in owners]


class TestRoom:
    def test_an_owner_with_too_many_things_loses_its_oldest(self) -> None:
        assert filled(SharedRoom(10, 3), ann=5) == [None, None, None, "ann1", "ann2"]

    def test_that_is_full_is_taken_from_whoever_has_most(self) -> None:
        room: SharedRoom[str] = SharedRoom(10, 10)
        filled(room, ben=1, ann=7, cid=2)
        assert filled(room, dora=3) == ["ann1", "ann2", "ann3"]
        assert counts(room, "ann", "ben", "cid", "dora") == [4, 1, 2, 3]

    def test_is_shared_evenly_in_the_end(self) -> None:
        room: SharedRoom[str] = SharedRoom(12, 12)
        filled(room, ann=100, ben=100, cid=100)
        assert (counts(room, "ann", "ben", "cid"), len(room)) == ([4, 4, 4], 12)
        assert filled(room, dora=1) == ["ann97"], "the oldest of whoever has most, of equal ones of the first"

    def test_of_things_that_are_removed_is_free(self) -> None:
        room: SharedRoom[str] = SharedRoom(2, 2)
        filled(room, ann=2)
        room.remove("ann", "ann1")
        room.remove("ann", "ann1")
        assert filled(room, ben=1) == [None]

    def test_that_is_claimed_comes_from_who_has_two_more_and_from_nobody_else(self) -> None:
        room: SharedRoom[str] = SharedRoom(4, 4)
        filled(room, ann=3, ben=1)
        assert (room.claim("ben"), room.claim("cid")) == ("ann3", "ann2")
        assert (room.claim("ben"), room.claim("cid")) == (None, None)


def visitor(name: str) -> Visitor:
    return Visitor(name, ROLE_AUTHOR, f"bean-{name}")


def request_with(cookie: str) -> Request:
    return Request({"type": "http", "headers": [(b"cookie", cookie.encode())]})


def signed_in(sessions: Sessions, name: str) -> str:
    """Sign in; return the cookie."""
    response = Response()
    sessions.begin(response, visitor(name))
    return response.headers["set-cookie"].partition(";")[0]


class TestSessions:
    @pytest.fixture
    def sessions(self, monkeypatch: pytest.MonkeyPatch) -> Sessions:
        monkeypatch.setattr(security, "_MAX_SESSIONS", 20)
        monkeypatch.setattr(security, "_MAX_SESSIONS_OF_TOKEN", 15)
        return Sessions(secure=True)

    def test_of_one_token_that_signs_in_all_the_time_sign_nobody_else_out(self, sessions: Sessions) -> None:
        cookies = [signed_in(sessions, name) for name in ("ben", "cid", "dora")]
        own = [signed_in(sessions, "ann") for _ in range(200)]
        assert [found.name for cookie in cookies if (found := sessions.caller(request_with(cookie)))] == [
            "ben",
            "cid",
            "dora",
        ]
        assert sum(sessions.caller(request_with(cookie)) is not None for cookie in own) == 15

    def test_of_many_are_taken_from_who_has_most(self, sessions: Sessions) -> None:
        for name in ("ann", "ben"):
            for _ in range(9):
                signed_in(sessions, name)
        others = [signed_in(sessions, f"author{number}") for number in range(8)]
        assert all(sessions.caller(request_with(cookie)) for cookie in others)

    def test_that_ended_take_no_room(self, sessions: Sessions) -> None:
        first = signed_in(sessions, "ann")
        for _ in range(30):
            sessions.end(request_with(signed_in(sessions, "ann")), Response())
        assert sessions.caller(request_with(first))


class _NoAnswers:
    """A service that answers nothing to what is tried."""

    def TryBot(self, *_: object, **__: object) -> list[object]:  # noqa: N802 - as it is called
        return []


def test_many_uploads_of_one_author_push_out_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submit, "_MAX_KEPT", 20)
    monkeypatch.setattr(submit, "_MAX_KEPT_OF_TOKEN", 15)
    stub: LeagueStub = _NoAnswers()  # type: ignore[assignment]
    uploads, ben = submit.Submissions(stub), visitor("ben")
    first = uploads.begin(b"x", "bot.zip", ben, "192.0.2.1", to_keep=False)
    own = [uploads.begin(b"x", "bot.zip", visitor("ann"), "192.0.2.2", to_keep=False) for _ in range(209)]
    assert uploads.find(first.id, ben) is first
    assert sum(uploads.find(each.id, visitor("ann")) is not None for each in own) == 15


def test_many_matches_of_one_visitor_push_out_those_of_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_tables, "_MAX_KEPT", 20)
    monkeypatch.setattr(play_tables, "_MAX_KEPT_OF_VISITOR", 15)
    tables, ben = play_tables.PlayTables(None), visitor("ben")  # type: ignore[arg-type]

    def over(who: Visitor) -> play_tables.PlayTable:
        table = play_tables.PlayTable(who, who.name, {}, {})
        tables._tables[table.id] = table
        tables._end(table)
        return table

    first = over(ben)
    own = [over(visitor("ann")) for _ in range(209)]
    assert tables.find(first.id, ben) is first
    assert sum(tables.find(each.id, visitor("ann")) is not None for each in own) == 15
