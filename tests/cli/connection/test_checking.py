"""What a server says that cannot be: each command ends with a sentence, wherever in an answer it is."""

from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from beanproto.v1.league_pb2 import (
    ComparisonProgress,
    LeagueInfo,
    ListLeaguesResponse,
    MatrixRow,
    NewTokenResponse,
    Progress,
    RatingsResponse,
    ShowBotResponse,
    Standing,
    StandingsResponse,
    TokenInfo,
    VerifyProgress,
)
from tests.cli.conftest import Run
from tests.cli.fake_server import FakeLeague
from tests.cli.samples import STANDINGS, info

FAR = Timestamp(seconds=10**18)
BOTH = [Standing(bot="ann"), Standing(bot="ben")]


def streamed(*answers: Message) -> Callable[..., Any]:
    return lambda *_: iter(answers)


def wrong_league(**wrong: object) -> LeagueInfo:
    """A league of the samples with something wrong."""
    changed = info()
    changed.MergeFrom(type(changed)(**wrong))  # type: ignore[arg-type]
    return changed


@pytest.mark.parametrize(
    ("words", "call", "answer", "wrong"),
    [
        ("league show spring", "ShowLeague", wrong_league(state=99), "state"),
        ("league show spring --json", "ShowLeague", wrong_league(created=FAR), "created.seconds"),
        ("league list", "ListLeagues", ListLeaguesResponse(leagues=[info(), wrong_league(state=99)]), "leagues.state"),
        (
            "standings spring",
            "Standings",
            StandingsResponse(standings=[*STANDINGS, Standing(rating=float("nan"))]),
            "standings.rating",
        ),
        (
            "standings spring --matrix",
            "Ratings",
            RatingsResponse(standings=BOTH, matrix=[MatrixRow()]),
            "does not fit together",
        ),
        (
            "standings spring --matrix --csv",
            "Ratings",
            RatingsResponse(standings=BOTH, matrix=[MatrixRow(better=[0, 1], pair_score=[0])] * 2),
            "RatingsResponse does not fit together",
        ),
        ("bot show ann", "ShowBot", ShowBotResponse(name="ann"), "ShowBotResponse does not fit together"),
        (
            "token new ann --role author",
            "NewToken",
            NewTokenResponse(token="a; rm -r ~", info=TokenInfo(name="ann")),
            "NewTokenResponse does not fit together",
        ),
        ("league run spring", "RunLeague", streamed(Progress(host_delay=float("inf"))), "host_delay"),
        ("league verify spring", "VerifyLeague", streamed(VerifyProgress(seconds=float("nan"))), "seconds"),
        (
            "compare a b --game duel",
            "Compare",
            streamed(ComparisonProgress(lower=2.9, upper=-2.9)),
            "does not fit together",
        ),
        ("compare a b --game duel --json", "Compare", streamed(ComparisonProgress(verdict=99)), "verdict"),  # type: ignore[arg-type]
        ("compare a b --game duel", "Compare", streamed(ComparisonProgress(llr=float("nan"))), "llr"),
    ],
)
def test_what_cannot_be_is_said(run: Run, league: FakeLeague, words: str, call: str, answer: Any, wrong: str) -> None:
    league.answers |= {"ShowLeague": info(), call: answer}
    found = run(*words.split(), "--server", league.address)
    assert (found.exit_code, found.stdout) == (1, "")
    (line,) = found.stderr.splitlines()
    assert line.startswith(f"Error: the server at {league.address} said what cannot be (")
    assert wrong in line.partition(")")[0]


def test_a_part_of_a_matrix_can_be_but_is_not_shown_as_the_whole(run: Run, league: FakeLeague) -> None:
    part = [MatrixRow(better=[-1], pair_score=[-1])]
    league.answers["Ratings"] = RatingsResponse(standings=BOTH, matrix=part)
    found = run("standings", "spring", "--matrix", "--server", league.address)
    assert found.stderr == "Error: the matrix in the answer of the server does not fit together with its standings\n"


def test_what_can_be_is_shown(run: Run, league: FakeLeague) -> None:
    league.answers["ShowLeague"] = info()
    assert run("league", "show", "spring", "--server", league.address).exit_code == 0
