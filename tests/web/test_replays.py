"""What the page's server says of records."""

import hashlib
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from starlette.exceptions import HTTPException

from beanleague.games import action_to_json, new_game, record_from_json, record_to_json, verify
from beanleague.service.access import Role
from beanleague.service.server import embedded
from beanleague.store import Store
from beanleague.web.pages.match import Replay, Replays
from beanleague.web.reading import Reader
from beanleague.wire import record_from_pb
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.cli.helpers import played as played_record
from tests.web import asking
from tests.web.altered import HOSTILE, change_record, execute
from tests.web.conftest import site_of

MATCH = "/matches/spring/3.1"


Served = tuple[httpx.Client, LeagueStub]


@contextmanager
def clients(database: Path, guest: Role = Role.ORGANISER) -> Iterator[Served]:
    """Serve a database; give a client of its site, and the calls of its service."""
    with site_of(database, guest=guest) as (url, stub), client_of(url) as client:
        yield client, stub


def client_of(url: str) -> httpx.Client:
    return asking.Client(base_url=url, headers={"origin": url}, follow_redirects=True)


@pytest.fixture(scope="module")
def site(played: Path) -> Iterator[Served]:
    with clients(played) as served:
        yield served


def replay(seed: bytes = b"a test", ruleset: str = "bohnanza", seats: int = 3) -> Replay:
    record = played_record(seats, seed=seed, ruleset=ruleset)
    return Replay(record, "tag", hashlib.sha256(record.seed).digest())


class TestReplay:
    @pytest.mark.parametrize(("ruleset", "seats"), [("bohnanza", 4), ("duel", 2), ("bean-thief-easy", 1)])
    def test_every_move_is_legal_where_it_was_asked_in_whatever_order_they_are_looked_at(
        self, ruleset: str, seats: int
    ) -> None:
        shown = replay(ruleset=ruleset, seats=seats)
        moves = list(enumerate(shown.record.moves[:60]))
        random.Random(1).shuffle(moves)
        for index, move in [*moves[:15], *sorted(moves, key=lambda each: each[0])]:
            asked = shown.asked(index)
            assert asked.seat == move.seat
            assert move.action in asked.legal() or len(asked.legal()) > 100, "offers are a selection"
            assert asked.default() in asked.legal()

    def test_the_legal_actions_are_those_of_the_game(self) -> None:
        shown = replay()
        record = shown.record
        game = new_game(record.ruleset, seats=record.seats, seed=record.seed, options=record.options)
        for index, move in enumerate(record.moves[:40]):
            assert shown.asked(index).legal() == game.legal(move.seat)
            game.apply(move.seat, move.action)

    def test_moves_that_are_not_there_or_cannot_be_reached_are_refused(self) -> None:
        shown = replay()
        moves = shown.record.moves
        for move in (-1, len(moves)):
            with pytest.raises(HTTPException, match="there is no move"):
                shown.asked(move)
        broken = Replay(replace(shown.record, moves=(moves[0], moves[0], *moves)), "tag", b"")
        assert broken.asked(0).legal()
        with pytest.raises(HTTPException, match="cannot be replayed up to move 5"):
            broken.asked(5)
        assert broken.asked(0).legal()
        old = Replay(replace(shown.record, rules=1), "tag", b"")
        with pytest.raises(HTTPException, match="rules"):
            old.asked(0)

    def test_a_record_is_right_only_with_the_seed_that_was_published(self) -> None:
        shown = replay()
        assert shown.problem == ""
        assert Replay(shown.record, "tag", b"\1" * 32).problem.startswith("its seed does not match the digest 0101")
        assert "scores" in Replay(replace(shown.record, scores=(9, 9, 9)), "tag", b"").problem


class TestDecisions:
    def test_where_each_move_took_time_each_is_a_decision(self) -> None:
        plain = replay().record
        shown = Replay(replace(plain, ms=(5,) * len(plain.moves)), "tag", b"")
        assert [shown.decision(move) for move in (0, 7)] == [range(1), range(7, 8)]

    def test_a_list_begins_with_the_move_that_took_time_or_after_another_seat(self) -> None:
        plain = replay().record
        seats = [move.seat for move in plain.moves]
        last = next(i for i in range(2, len(seats)) if seats[i] == seats[i - 1] == seats[i - 2])
        first = next(i for i in range(last, -1, -1) if i == 0 or seats[i - 1] != seats[last])
        quick = [0] * len(seats)
        assert Replay(replace(plain, ms=tuple(quick)), "tag", b"").decision(last) == range(first, last + 1)
        quick[last - 1] = 5
        assert Replay(replace(plain, ms=tuple(quick)), "tag", b"").decision(last) == range(last - 1, last + 1)


class TestRecord:
    def test_a_served_record_equals_the_exported_one(self, site: Served) -> None:
        client, stub = site
        answer = client.get(f"{MATCH}.json")
        record = record_from_pb(stub.GetMatch(pb.GetMatchRequest(match="spring/3.1")).record)
        assert answer.text == record_to_json(record)
        assert verify(record_from_json(answer.text)).reproduced
        assert answer.headers["content-type"] == "application/json"

    def test_a_record_is_sent_compressed_and_only_once(self, site: Served) -> None:
        client, _ = site
        with client.stream("GET", f"{MATCH}.json") as answer:
            packed = sum(map(len, answer.iter_raw()))
        plain = client.get(f"{MATCH}.json", headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert packed * 5 < len(plain.content)
        tag = plain.headers["etag"]
        again = client.get(f"{MATCH}.json", headers={"if-none-match": tag})
        assert (again.status_code, again.content) == (304, b"")
        tagged = tag.strip('"')
        assert "immutable" in client.get(f"{MATCH}.json?v={tagged}").headers["cache-control"]
        assert client.get(f"{MATCH}.json?v=old").headers["cache-control"] == "no-cache"
        assert f"{MATCH}/replay.json?v={tagged}" in client.get(MATCH).text

    def test_the_viewer_gets_the_record_with_what_was_asked_and_had_happened(self, site: Served) -> None:
        client, _ = site
        answer = client.get(f"{MATCH}/replay.json")
        assert answer.headers["content-encoding"] == "gzip"
        served = answer.json()
        asked, happened = served.pop("asked"), served.pop("happened")
        assert set(served.pop("words")) == {"texts", "lines", "faults", "did", "asks"}
        assert served == client.get(f"{MATCH}.json").json()
        assert asked[0] == client.get(f"{MATCH}/legal?move=0").json()["decision"]
        assert len(asked) == len(happened) == len(served["moves"])
        tag = answer.headers["etag"].strip('"')
        assert "immutable" in client.get(f"{MATCH}/replay.json?v={tag}").headers["cache-control"]

    def test_legal_actions_are_those_of_a_record(self, site: Served) -> None:
        client, stub = site
        record = record_from_pb(stub.GetMatch(pb.GetMatchRequest(match="spring/3.1")).record)
        for index, move in enumerate(record.moves[:12]):
            answer = client.get(f"{MATCH}/legal?move={index}").json()
            assert answer["seat"] == move.seat
            assert json.loads(json.dumps(action_to_json(move.action))) in answer["legal"] or answer["more"]
            assert answer["default"] in answer["legal"]

    @pytest.mark.parametrize(
        ("path", "status", "sentence"),
        [
            ("/matches/spring/3.9.json", 404, "rotation"),
            ("/matches/spring/99.0", 404, "deal 99 does not exist"),
            ("/matches/spring/beans", 404, "is not a match"),
            ("/matches/nothing/1.0", 404, "there is no league"),
            (f"{MATCH}/legal?move=999999", 404, "there is no move 999999"),
            (f"{MATCH}/legal?move=-1", 400, "is not the number of a move"),
            (f"{MATCH}/legal", 400, "is not the number of a move"),
            (f"{MATCH}/log?move=999999", 404, "there is no move 999999"),
            ("/bots/nobody", 404, "there is no bot"),
            ("/bots/ann?league=winter", 404, "does not play in winter"),
            ("/compare?league=winter", 404, "there is no league"),
            ("/compare?league=spring&a=ann&b=nobody", 404, "nobody does not play"),
            ("/compare?league=spring&a=ann&b=ann", 400, "compared with itself"),
        ],
    )
    def test_missing_matches_are_not_found(self, site: Served, path: str, status: int, sentence: str) -> None:
        answer = site[0].get(path, headers={"accept": "text/html"})
        assert answer.status_code == status
        assert sentence.lower() in answer.text.lower()


class TestBadRecords:
    def test_a_damaged_record_is_a_page_that_says_so(self, database: Path) -> None:
        execute(database, "UPDATE deal SET seed_digest = ? WHERE number = 2", b"\1" * 32)
        change_record(database, 3, 1, lambda record: record.options["deck"].Clear())
        change_record(database, 4, 0, lambda record: record.moves.pop())
        change_record(database, 5, 0, lambda record: setattr(record, "ruleset", HOSTILE))
        with clients(database) as (client, _):
            page = client.get("/matches/spring/2.0").text
            assert "not reproduced" in page
            assert f"does not match the digest {'01' * 32}" in page
            damaged = client.get("/matches/spring/3.1")
            assert damaged.status_code == 200
            assert "There is no replay" in damaged.text
            assert "cannot be read" in damaged.text
            assert client.get("/matches/spring/3.1.json").status_code == 502
            assert "not reproduced" in client.get("/matches/spring/4.0").text
            assert "asked" not in client.get("/matches/spring/4.0/replay.json").json()
            for path in ("", ".json", "/replay.json", "/legal?move=0", "/log?move=0"):
                answer = client.get(f"/matches/spring/5.0{path}")
                assert answer.status_code in {200, 409, 502}, path
                assert "<script>alert" not in answer.text or answer.headers["content-type"] == "application/json"

    def test_a_request_that_waits_too_long_is_refused(self, played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("beanleague.web.site._TURN_TIMEOUT_S", 0.0)
        with embedded(f"sqlite:///{played}", cache=played.parent / "cache") as channel:
            replays = Replays(LeagueStub(channel), Reader())
            with (
                replays.replay("spring/1.0"),
                pytest.raises(HTTPException, match="too many records"),
                replays.replay("spring/1.1"),
            ):
                pass
            with replays.replay("spring/1.1") as replay:
                assert replay.problem == ""


class TestLogs:
    LINES = (
        "".join(f"[spring/3.1, move {number}] line {number}\n" for number in range(200))
        + f"[spring/3.1, move 7] {HOSTILE}\n[spring/3.2, move 1] no\n"
    )

    def owned(self, database: Path) -> dict[str, str]:
        """Give the bot ann to an author of this name, write logs, and return tokens by name."""
        execute(database, "UPDATE bot SET owner = 'zoe' WHERE name = 'ann'")
        with Store(f"sqlite:///{database}") as store:
            league = store.leagues.get("spring")
            store.logs.append(league.id, {store.bots.version(name).id: self.LINES for name in ("ann", "ben", "cid")})
            return {
                name: store.tokens.new(name, role, None)[1] for name, role in (("zoe", "author"), ("vic", "viewer"))
            }

    def test_the_lines_of_a_move_are_those_of_its_decision(self, database: Path) -> None:
        self.owned(database)
        with clients(database) as (client, stub):
            record = record_from_pb(stub.GetMatch(pb.GetMatchRequest(match="spring/3.1")).record)
            name = next(name for name in ("ann@1", "ben@1", "cid@1") if name in record.players)
            own = [index for index, move in enumerate(record.moves) if record.players[move.seat] == name]
            for index in (own[0], own[3]):
                lines = client.get(f"{MATCH}/log?move={index}").json()["lines"]
                assert f"[spring/3.1, move {index}] line {index}" in lines
                assert all("[spring/3.1, move " in line for line in lines)
            every = "".join(str(client.get(f"{MATCH}/log?move={index}").json()["lines"]) for index in own[:9])
            assert "\u202e" not in every

    def test_visitors_and_other_authors_do_not_get_them(self, database: Path) -> None:
        tokens = self.owned(database)
        with site_of(database, guest=Role.VIEWER) as (url, stub):
            record = record_from_pb(stub.GetMatch(pb.GetMatchRequest(match="spring/3.1")).record)
            for name in (None, "vic", "zoe"):
                with client_of(url) as client:
                    if name:
                        assert client.post("/sign-in", data={"token": tokens[name]}).status_code == 200
                    for bot in ("ann", "ben"):
                        mine = name == "zoe" and bot == "ann"
                        page = client.get(f"/bots/{bot}").text
                        assert ("line 199" in page) == mine
                        log = client.get(f"/bots/{bot}/log")
                        assert (log.status_code == 200 and "line 1" in log.text) == mine
                        if not mine:
                            assert log.status_code == 403
                    for index, move in list(enumerate(record.moves))[:20:3]:
                        lines = client.get(f"{MATCH}/log?move={index}").json()["lines"]
                        mine = name == "zoe" and record.players[move.seat] == "ann@1"
                        assert any("line" in line for line in lines) == mine
                    in_match = "ann@1" in record.players
                    assert ("/log?move=" in client.get(MATCH).text) == (name == "zoe" and in_match)


def test_seeds_are_shown_of_played_deals_alone(database: Path) -> None:
    """What is scheduled and not played has no page."""
    execute(database, "UPDATE deal SET played = NULL, seed = NULL WHERE number = 10")
    execute(database, "DELETE FROM fault WHERE deal = 10")
    execute(database, "DELETE FROM match_seat WHERE deal = 10")
    execute(database, "DELETE FROM match WHERE deal = 10")
    with clients(database) as (client, _):
        answer = client.get("/matches/spring/10.0")
        assert answer.status_code == 404
        assert "deal 10 is not played yet" in answer.text.lower()
