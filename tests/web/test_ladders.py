"""The pages of ladders: their entries, those of an author, and entering by hand."""

import re
from pathlib import Path

from beanleague.league.bots.bundles import read_bundle
from beanleague.league.ladder.changing import leave
from beanleague.service.access import Role
from beanleague.store import Store
from beanproto.v1 import league_pb2 as pb
from tests.league.fakepool import FakePools
from tests.league.helpers import bundle, store_with_bots
from tests.league.ladder.playing import play_ladder
from tests.web import asking
from tests.web.conftest import site_of


def test_a_ladder_shows_who_is_placed_who_plays_and_why(tmp_path: Path) -> None:
    store_with_bots(tmp_path / "a.db", 4).close()
    with site_of(tmp_path / "a.db", pools=FakePools()) as (url, stub):
        stub.CreateLadder(
            pb.CreateLadderRequest(name="spring", ruleset="bohnanza", anchor="bot0", without_house_bots=True)
        )
        for bot in ("bot1", "bot2"):
            stub.EnterLadder(pb.EnterLadderRequest(name="spring", bot=bot))
        stub.LeaveLadder(pb.LeaveLadderRequest(name="spring", bot="bot2"))
        stub.CreateLeague(pb.CreateLeagueRequest(name="cup", ruleset="bohnanza", seats=3))
        page = asking.get(f"{url}/ladders/spring").text
        for words in ("Being placed now", "0 of about 30", "0 deals", "an organiser took it out"):
            assert words in page
        assert '<a href="/leagues/spring/entries" aria-current="page">Entries</a>' in page
        assert 'hx-get="/leagues/spring/entries" hx-trigger="every 10s" hx-select="#entries"' in page
        assert asking.get(f"{url}/leagues/spring").status_code == 200
        assert "/entries" not in asking.get(f"{url}/leagues/cup").text
        assert asking.get(f"{url}/leagues/cup/entries").status_code == 404


def test_an_author_enters_a_bot_by_a_button_and_sees_what_became_of_it(tmp_path: Path) -> None:
    play_ladder(tmp_path / "a.db")
    with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        token = store.tokens.new("ann", "author", None)[1]
        made = read_bundle(bundle("fig"))
        store.bots.add(made.manifest, made.digest, made.data, author="ann")
    with site_of(tmp_path / "a.db", guest=Role.VIEWER) as (url, _), asking.Client(headers={"origin": url}) as ann:
        assert ann.post(f"{url}/ladders/spring", data={"bot": "fig@1", "what": "enter"}).status_code == 403
        assert "<form" not in ann.get(f"{url}/ladders/spring").text
        ann.post(f"{url}/sign-in", data={"token": token})
        page = ann.get(f"{url}/ladders/spring").text
        assert '<option value="fig@1">' in page
        assert '<option value="bot1@1">' not in page
        entered = ann.post(f"{url}/ladders/spring", data={"bot": "fig@1", "what": "enter"}, follow_redirects=True).text
        assert "0 of about" in entered
        assert '<option value="fig@1">' not in entered
        mine = ann.get(f"{url}/authors/ann").text
        for words in (
            "fig",
            "1 of 3 versions entered within 24 hours; 0 of 2 bots play",
            "joined",
            "Take it out</button>",
        ):
            assert words in mine
        seen_by_others = asking.get(f"{url}/authors/ann").text
        assert "Take it out</button>" not in seen_by_others
        assert "Sign out" not in seen_by_others
        left = ann.post(f"{url}/ladders/spring", data={"bot": "fig@1", "what": "leave"}, follow_redirects=True).text
        assert "ann took it out" in left
        refused = ann.post(f"{url}/ladders/spring", data={"bot": "bot1@1", "what": "leave"})
        assert refused.status_code == 403
        assert asking.get(f"{url}/authors/nobody").status_code == 404
        for words in ("Checkpoint (SHA-256)", "its digest follows from all before"):
            assert words in page
        assert 'title="change since the last day ended">' in ann.get(f"{url}/leagues/spring").text
        history = ann.get(f"{url}/leagues/spring/history").text
        for words in (
            ">day 1</text>",
            ">now</text>",
            ">day 1</time></th>",
            "Rating at the ends of the last days",
            "The line of bot0 is flat",
        ):
            assert words in history
        known = asking.get(f"{url}/bots/bot3?league=spring&version=1").text
        for words in ("In the ladder", "After deals", "Its worst deals lately", "joined"):
            assert words in known
        worst = known[known.index("Its worst deals lately") :].partition('href="')[2].partition('"')[0]
        assert re.fullmatch(r"/deals/spring/[0-9]+\?bot=bot3@1", worst)
        deal = worst.partition("?")[0].removeprefix("/deals/spring/")
        assert f'<a href="/matches/spring/{deal}.0">' in asking.get(f"{url}{worst}").text


def test_a_ladder_whose_anchor_has_left_says_that_the_mean_of_its_field_is_1500(tmp_path: Path) -> None:
    play_ladder(tmp_path / "a.db")
    with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        leave(store, "spring", "bot0")
    with site_of(tmp_path / "a.db") as (url, _):
        standings, history = (asking.get(f"{url}/leagues/spring{page}").text for page in ("", "/history"))
    assert "on the Elo scale of this league, where the mean of the field is 1500." in standings
    assert "The scale is laid so that the mean of the field is 1500." in history
    assert "bot0 is flat" not in history


def test_the_name_in_the_header_leads_to_the_visitors_own_page_with_the_way_out(database: Path) -> None:
    """Also before they have submitted a bot."""
    with Store(f"sqlite:///{database}") as store:
        token = store.tokens.new("zoe", "author", None)[1]
    with site_of(database, guest=Role.VIEWER) as (url, _), asking.Client(headers={"origin": url}) as zoe:
        assert asking.get(f"{url}/authors/zoe").status_code == 404
        zoe.post(f"{url}/sign-in", data={"token": token})
        assert '<a class="caller" href="/authors/zoe"' in zoe.get(url).text
        mine = zoe.get(f"{url}/authors/zoe").text
        assert "You have no bots here yet." in mine
        assert '<form method="post" action="/sign-out"' in mine
        zoe.post(f"{url}/sign-out")
        assert 'class="caller" href="/sign-in"' in zoe.get(url).text
