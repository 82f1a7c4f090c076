"""Tables as CSV: what others wrote there stays a text, in spreadsheets too."""

import csv
import io
import json

import pytest

from beanleague.answers import deals_csv, matches_csv, matrix_csv, shape, standings_csv
from beanproto.v1 import league_pb2 as pb

FORMULAS = ("=cmd|' /C calc'!A0", "+1+1", "-1+cmd|' /C calc'!A0", "@SUM(1)", "\t=1", '=HYPERLINK("http://x")')


def cells(table: str) -> list[str]:
    """All values of a table, below its headings."""
    _, *rows = csv.reader(io.StringIO(table, newline=""))
    return [cell for row in rows for cell in row]


def tables(text: str) -> dict[str, str]:
    """Each table with this text in place of every name."""
    opponents = [
        pb.MatrixRow(better=[-1, 0.5], pair_score=[-1, 0.5]),
        pb.MatrixRow(better=[0.5, -1], pair_score=[0.5, -1]),
    ]
    standings = [pb.Standing(bot=name, version=1, suspended=text) for name in (text, "ann")]
    deal = pb.Deal(number=1, table=[pb.Entrant(bot=text, version=1)], node=pb.Node(name=text))
    return {
        "deals": deals_csv([deal]),
        "standings": standings_csv(standings),
        "matches": matches_csv([pb.MatchInfo(match=text, seats=[pb.SeatResult(bot=text)])]),
        "matrix": matrix_csv(pb.RatingsResponse(standings=standings, matrix=opponents)),
    }


@pytest.mark.parametrize("table", tables(""))
@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_that_a_spreadsheet_would_run_has_an_apostrophe_before_it(text: str, table: str) -> None:
    """Nodes name themselves, and a server may say anything."""
    found = cells(tables(text)[table])
    assert any(cell.startswith(f"'{text}") for cell in found)
    assert not [cell for cell in found if cell.startswith(("=", "+", "-", "@", "\t"))]


@pytest.mark.parametrize("name", ["-2-3", "--help", "-"])
def test_a_name_is_as_it_is(name: str) -> None:
    assert name in cells(tables(name)["standings"])
    assert f"{name}@1" in cells(tables(name)["matrix"])


def test_a_number_below_zero_is_a_number() -> None:
    assert "-3" in cells(matches_csv([pb.MatchInfo(seats=[pb.SeatResult(bot="ann", score=-3)])]))


def test_a_rating_that_is_not_known_has_an_empty_cell() -> None:
    known = pb.Standing(bot="ann", version=1, rank=1, rating=1712, interval=23)
    never_lost = pb.Standing(bot="ben", version=1, rank=2, rating=1500, least=1600)
    unknown = pb.Standing(bot="cid", version=1, rank=3, rating=1500)
    new = pb.Standing(bot="dan", version=1)
    rows = csv.DictReader(io.StringIO(standings_csv([known, never_lost, unknown, new])))
    assert [row["rating"] for row in rows] == ["1712.0", "", "", ""]


def test_means_of_a_bot_that_has_not_played_have_empty_cells() -> None:
    played = pb.Standing(bot="ann", version=1, matches=3, mean_score=0, win_share=0, fault_share=0)
    rows = csv.DictReader(io.StringIO(standings_csv([played, pb.Standing(bot="ben", version=1)])))
    figures = ("mean_score", "win_share", "fault_share")
    assert [tuple(row[name] for name in figures) for row in rows] == [("0.0", "0.0", "0.0"), ("", "", "")]


def test_unknown_values_are_null_in_json() -> None:
    past = pb.RatingsResponse(
        standings=[pb.Standing(bot="ann", version=1, rank=1, rating=1500, matches=1)],
        matrix=[pb.MatrixRow(better=[-1, 0.25], pair_score=[-1, 0.5])],
        history=[pb.RatingSnapshot(deals=1, ratings=[pb.PastRating(bot="ann", version=1, rating=1500)])],
    )
    shaped = json.loads(json.dumps(shape(past)))
    assert shaped["standings"][0]["rating"] is None
    assert shaped["matrix"] == [{"better": [None, 0.25], "pair_score": [None, 0.5]}]
    assert shaped["history"][0]["ratings"][0]["rating"] is None
