"""What `standings` and `league` show of ratings, for a league that was played."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from beanleague.cli.commands.standings import _write_picture
from beanleague.cli.params import CliError
from beanproto.v1.league_pb2 import PastRating, RatingSnapshot, RatingsResponse, Standing
from tests.cli.conftest import On


def table(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_the_matrix_has_a_row_and_a_column_for_every_bot_and_adds_up(on: On, spring: str) -> None:
    data = json.loads(on("standings", spring, "--matrix", "--json").stdout)
    order = [standing["bot"] for standing in data["standings"]]
    assert sorted(order) == ["ann", "ben", "cid"]
    for name in ("better", "pair_score"):
        figures = [row[name] for row in data["matrix"]]
        for row in range(3):
            for column in range(3):
                if row != column:
                    assert figures[row][column] + figures[column][row] == pytest.approx(1)
    text = on("standings", spring, "--matrix").stdout
    assert text.count("Probability (%) that the row's bot is better") == 1
    assert text.count("Share (%) of their pairs") == 1
    assert all(text.count(f"{bot}@1") == 2 for bot in order)


def test_the_matrix_as_csv_has_a_line_for_each_two_bots(on: On, spring: str) -> None:
    heading, *rows = table(on("standings", spring, "--matrix", "--csv").stdout)
    assert heading == ["bot", "opponent", "better", "pair_score"]
    assert len({(row[0], row[1]) for row in rows}) == 6
    assert all(0 <= float(share) <= 1 for row in rows for share in row[2:])


def test_standings_as_csv_are_the_standings(on: On, spring: str) -> None:
    heading, *rows = table(on("standings", spring, "--csv").stdout)
    data = json.loads(on("standings", spring, "--json").stdout)["standings"]
    written = {name: ["" if standing[name] is None else str(standing[name]) for standing in data] for name in data[0]}
    assert {name: [row[place] for row in rows] for place, name in enumerate(heading)} == written


def test_a_plot_draws_every_rating_within_its_interval(on: On, spring: str) -> None:
    lines = on("standings", spring, "--plot").stdout.splitlines()
    assert len(lines) == 4
    for line in lines[:3]:
        bar = line[line.index("±") :]
        assert bar.count("●") == 1
        assert bar.index("─") < bar.index("●") < bar.rindex("─")
    assert lines[3].split()[:3] == ["Elo,", "95", "%"]


RATED = RatingsResponse(
    league="spring",
    standings=[Standing(bot=name, version=1, rank=rank) for rank, name in enumerate(("ann", "ben"), 1)],
    history=[
        RatingSnapshot(
            deals=deals, ratings=[PastRating(bot=name, version=1, rating=1500, interval=40) for name in ("ann", "ben")]
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
        ("standings new --plot x.svg", "too few deals of new have been played yet"),
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
    assert "--plot takes 'spring' as its file, so no league is named" in " ".join(found.stderr.split())


def test_show_tells_what_seats_are_worth_and_how_much_is_luck(on: On, spring: str) -> None:
    lines = on("league", "show", spring).stdout.splitlines()
    (seats,) = (line for line in lines if line.startswith("seats "))
    assert seats.count("±") == 3
    assert any(line.startswith("luck ") and "of a result is the luck of seat and deal" in line for line in lines)


def test_a_gauntlet_says_so_and_plays(on: On, spring: str) -> None:
    words = "league create gate --game bohnanza --deals 2 --seats 3 --bot ann --bot ben --bot cid --gauntlet cid"
    assert on(*words.split()).exit_code == 0
    assert on("league", "run", "gate").exit_code == 0
    assert "gauntlet cid@1 sits at every table" in on("league", "show", "gate").stdout
