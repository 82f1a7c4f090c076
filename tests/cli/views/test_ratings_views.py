"""Ratings as `standings` and `league` show them: in words, bars and matrices."""

import io
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from rich.console import Console, Group

from beanleague.cli.commands.standings import _write_picture
from beanleague.cli.params import CliError
from beanleague.cli.views.ratings import integrity_page, matrix_tables, rating_bars
from beanproto.v1 import league_pb2 as pb
from tests.cli.conftest import On

RATED = pb.RatingsResponse(
    league="spring",
    standings=[pb.Standing(bot=name, version=1, rank=rank) for rank, name in enumerate(("ann", "ben"), 1)],
    history=[
        pb.RatingSnapshot(
            deals=deals,
            ratings=[pb.PastRating(bot=name, version=1, rating=1500, interval=40) for name in ("ann", "ben")],
        )
        for deals in (4, 8)
    ],
)


def test_a_plot_is_written_as_the_picture_of_the_site(tmp_path: Path) -> None:
    file = tmp_path / "ratings.svg"
    _write_picture(RATED, file)
    text = file.read_text()
    assert ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
    assert [f">{name}@1<" in text for name in ("ann", "ben", "cid")] == [True, True, False]
    assert "currentColor" in text
    assert "var(--" not in text


def test_a_plot_in_a_folder_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(CliError, match=re.escape("cannot write /nowhere/x.svg: No such file or directory")):
        _write_picture(RATED, Path("/nowhere/x.svg"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("standings spring --plot x.png", "x.png must end in .svg"),
        ("standings new --plot x.svg", "the history of new has 0 points, but a picture needs 2"),
    ],
)
def test_a_plot_that_cannot_be_written_is_an_error(on: On, spring: str, words: str, message: str) -> None:
    on("league", "create", "new", "--game", "bohnanza", "--deals", "1")
    found = on(*words.split())
    assert found.exit_code == 1
    assert message in found.stderr


def test_a_plot_that_takes_the_league_for_its_file_is_wrong_usage(on: On) -> None:
    found = on("standings", "--plot", "spring")
    assert found.exit_code == 2
    assert "--plot takes 'spring' as its file name, so the league is missing" in " ".join(found.stderr.split())


BOTS = 20
NAMES = [f"a-bot-with-a-long-name-{number}" for number in range(BOTS)]
STANDINGS = [
    pb.Standing(rank=number + 1, bot=name, version=12, rating=1700 - 20 * number, interval=33.0)
    for number, name in enumerate(NAMES)
]


def shown(drawn: object, width: int) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(drawn)
    return [line.rstrip() for line in capture.get().splitlines()]


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_a_matrix_shows_every_cell_at_any_width(width: int) -> None:
    """Cells can be distinguished: 10 and more for the row, the column's number beside it."""
    rows = [
        pb.MatrixRow(better=[0.01 * (10 + row + column) for column in range(BOTS)], pair_score=[0.5] * BOTS)
        for row in range(BOTS)
    ]
    lines = shown(matrix_tables(pb.RatingsResponse(standings=STANDINGS, matrix=rows)), width)
    assert max(map(len, lines)) <= width
    assert not any("…" in line for line in lines)
    better = lines[1 : next(number for number, line in enumerate(lines) if line.startswith("Share"))]
    columns = [number for line in better if line.split()[:1] == ["bot"] for number in line.split()[1:]]
    assert columns == [str(number) for number in range(1, BOTS + 1)]
    for row, name in enumerate(NAMES):
        cells = [cell for line in better if f" {name}@12 " in line for cell in line.split()[2:]]
        assert cells == [str(10 + row + column) for column in range(BOTS)]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_bars_are_drawn_whole_at_any_width(width: int) -> None:
    lines = shown(rating_bars(STANDINGS), width)
    assert len(lines) == BOTS + 1
    assert max(map(len, lines)) <= width
    assert all("─●─" in line for line in lines[:BOTS])
    starts = [line.index("─") for line in lines[:BOTS]]
    assert starts == sorted(starts, reverse=True)
    assert lines[BOTS].split() == ["Elo,", "95", "%", "1287", "1733"]


ONE_SIDED = [
    pb.Standing(rank=1, bot="best", version=1, rating=2340, least=1800),
    pb.Standing(rank=2, bot="anchor", version=1, rating=1500, interval=0, anchor=True),
    pb.Standing(rank=3, bot="good", version=1, rating=1400, interval=50),
    pb.Standing(rank=4, bot="worst", version=1, rating=300, most=1000),
    pb.Standing(rank=5, bot="alone", version=1, rating=1500),
]
"""Of a league in which one never lost and one never won, and one has met nobody."""


def test_bars_of_bounds_have_one_end() -> None:
    best, anchor, good, worst, alone, scale = shown(rating_bars(ONE_SIDED), 100)
    assert best.split()[:4] == ["best@1", "over", "1800", "▶"]
    assert worst.split()[:3] == ["worst@1", "under", "1000"]
    assert worst.split()[3].startswith("◀")
    assert (anchor.split(), good.count("●")) == (["anchor@1", "1500", "●"], 1)
    assert alone.split() == ["alone@1", "unknown"]
    assert scale.split()[-2:] == ["1000", "1800"]


def test_bars_name_provisional_ratings_and_suspended_bots() -> None:
    out, unsure, _ = shown(
        rating_bars(
            [
                pb.Standing(rank=1, bot="out", version=1, rating=1520, interval=20, suspended="forfeited too often"),
                pb.Standing(rank=2, bot="unsure", version=1, rating=1500, interval=80, provisional=True),
            ]
        ),
        100,
    )
    assert out.split()[:5] == ["out@1", "suspended", "1520", "±", "20"]
    assert unsure.split()[:5] == ["unsure@1", "1500", "±", "80", "?"]


def page(*, show_all: bool = False, found: bool = True) -> list[str]:
    mule, boss, bean = (pb.Entrant(bot=name, version=1) for name in ("mule", "boss", "bean"))
    answer = pb.IntegrityResponse(
        league="spring",
        deals=40,
        pairs=[
            pb.PairFlow(
                giver=mule,
                receiver=boss,
                found=found,
                excess=2.218,
                interval=0.32,
                deals=12,
                conspicuous=[7, 3, 12, 1, 2, 4, 5],
                trades=380,
                given=pb.Side(cards=437, gifts=250, dollars=152.5),
                received=pb.Side(cards=224, gifts=9, dollars=64.25),
            ),
            pb.PairFlow(giver=bean, receiver=mule, excess=0.1, deals=12, trades=100),
        ],
    )
    out = Console(file=io.StringIO(), width=120, color_system=None)
    out.print(Group(*integrity_page(answer, show_all=show_all)))
    assert isinstance(out.file, io.StringIO)
    return [line.rstrip() for line in out.file.getvalue().splitlines()]


def test_pairs_found_come_with_sizes_intervals_and_deals_to_look_at() -> None:
    lines = page()
    assert lines[0] == "spring  40 deals with trades, 2 pairs compared, 1 found"
    row = "! mule@1 boss@1 2.22 ± 0.32 152.50 64.25 437:224 250:9 380 7 of 12 7, 3, 12, 1, 2, 4, ..."
    assert " ".join(lines[4].split()) == row
    assert not any("bean@1" in line for line in lines)
    assert any("not a proof" in line for line in lines)


def test_all_pairs_are_shown_on_request() -> None:
    assert any(line.split()[:3] == ["bean@1", "mule@1", "0.10"] for line in page(show_all=True))


def test_pairs_found_by_night_are_named_with_the_day() -> None:
    flow = pb.PairFlow(giver=pb.Entrant(bot="mule", version=1), receiver=pb.Entrant(bot="boss", version=2), excess=3.3)
    nights = [pb.NightlyCheck(day=4, deals=900, pairs=[flow]), pb.NightlyCheck(day=3, deals=800)]
    lines = [str(line) for line in integrity_page(pb.IntegrityResponse(league="spring", nights=nights), show_all=False)]
    assert lines[-1] == "when day 4 began, of the newest 900 deals: mule@1 to boss@2 ($3.30)"


def test_where_nothing_can_be_compared_that_is_said() -> None:
    (*_, line) = integrity_page(pb.IntegrityResponse(league="spring", deals=3), show_all=True)
    assert str(line).startswith("No pair can be compared with others")


def test_where_nothing_is_found_that_is_said() -> None:
    assert page(found=False) == ["spring  40 deals with trades, 2 pairs compared, 0 found"]
