"""Tables at terminals of several widths."""

import io

import pytest
from rich.console import Console, RenderableType

from beanleague.cli.views import tables
from beanproto.v1 import league_pb2 as pb
from tests.cli.samples import STANDINGS, WHEN, match_info

SUSPENDED = pb.Standing(rank=2, bot="b", version=1, rating=1300.0, interval=20, suspended="5 forfeits in a row")


def shown(table: RenderableType, width: int = 100) -> list[str]:
    """The lines of a table at a terminal of this width."""
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_standings_tell_rank_rating_deals_dollars_wins_and_faults() -> None:
    assert shown(tables.standings_table(STANDINGS)) == [
        "rank  bot       rating      deals  mean $   wins  win %  faults  ranks",
        "──────────────────────────────────────────────────────────────────────",
        "   1  trader@1  1712 ±  23     60   15.20  120.5  66.9%    0.0%  1-2",
        "   2  farmer@3  1502 ±   9     60   11.25   50.5  28.1%    1.1%  -",
        "   -  new@12    -               0       -      0      -       -  -",
    ]


def test_standings_of_a_ladder_tell_how_ratings_moved_since_the_last_day() -> None:
    moved = [pb.Standing(rank=1, bot="a", version=1, rating=1700.0, moved=12.4), STANDINGS[1]]
    lines = shown(tables.standings_table(moved))
    assert lines[0].split()[:5] == ["rank", "bot", "rating", "day", "deals"]
    assert "+12" in lines[2].split()
    assert lines[-1] == "day: change of the rating since the last day ended"


def test_standings_of_a_ladder_state_effective_deals_and_the_scope_of_ratings() -> None:
    standings = [pb.Standing(rank=1, bot="a", version=1, rating=1700.0, deals=60, matches=240, effective=41.7)]
    lines = shown(tables.standings_table(standings))
    assert (lines[0].split().count("deals"), "42" in lines[2].split(), "60" in lines[2].split()) == (1, True, False)
    assert lines[3].startswith("rating: results at tables drawn at random from the field")
    assert any(line.startswith("deals: effective deals, the number of equally weighted deals") for line in lines)


def test_standings_of_a_league_state_the_scope_of_ratings_in_their_legend() -> None:
    note = "rating: results at the balanced tables of the league"
    doubtful = pb.Standing(rank=1, bot="a", version=1, rating=1700.0, provisional=True)
    assert shown(tables.standings_table([doubtful]))[-1] == note
    assert note not in shown(tables.standings_table(STANDINGS)), "without another legend"


def test_ratings_of_leagues_and_ladders_together_have_one_note() -> None:
    of_ladder = pb.Standing(rank=1, bot="a", version=1, rating=1700.0, effective=41.7)
    assert tables.rating_note([STANDINGS[0], of_ladder]).startswith("rating: in a ladder: results at tables")
    assert tables.rating_note([pb.Standing(bot="a", version=1)]) == ""


def test_standings_against_the_thief_tell_whom_wins_are_against() -> None:
    thief = pb.Standing(rank=2, bot="Bean Thief", rating=1400.0, deals=4, matches=8, wins=3)
    assert shown(tables.standings_table([STANDINGS[0], thief]))[-1] == (
        "wins: against the Bean Thief; its own wins: against any bot"
    )


def test_ratings_without_interval_tell_what_is_known() -> None:
    """Of one that never lost or never won a bound, of the anchor nothing more, of one nobody met nothing."""
    known = ({"least": 1978.7}, {"most": 1016.2}, {"anchor": True, "interval": 0.0}, {"provisional": True})
    rows = [pb.Standing(rank=1, bot="b", version=1, rating=1500.0, **each) for each in known]
    lines = shown(tables.standings_table([STANDINGS[0], *rows]))
    assert [line.split("b@1")[1].partition(" 0 ")[0].strip() for line in lines[3:7]] == [
        "over 1979",
        "under 1016",
        "1500",
        "unknown ?",
    ]
    assert lines[7].startswith("over, under: 95 % bounds")
    assert lines[8].startswith("? not reliable yet")


def test_a_suspended_bot_is_marked() -> None:
    assert "b@1 suspended" in shown(tables.standings_table([STANDINGS[0], SUSPENDED]))[3]


@pytest.mark.parametrize(
    ("width", "heading"),
    [
        (60, "rank  bot       rating      deals  mean $  win %  faults"),
        (50, "rank  bot       rating      deals  win %  faults"),
        (45, "rank  bot       rating      deals  win %"),
        (36, "rank  bot       rating      win %"),
        (28, "rank  bot       rating"),
    ],
)
def test_a_narrow_terminal_loses_the_lesser_columns_first(width: int, heading: str) -> None:
    assert shown(tables.standings_table(STANDINGS), width)[0] == heading


def test_even_a_very_narrow_terminal_is_not_overrun() -> None:
    assert all(len(line) <= 12 for line in shown(tables.standings_table(STANDINGS), 12))


@pytest.mark.usefixtures("utc")
def test_matches_tell_seats_in_order_with_dollars_and_forfeits() -> None:
    assert shown(tables.matches_table([match_info()])) == [
        "match        seats in order, dollars                       faults  played",
        "───────────────────────────────────────────────────────────────────────────────────────",
        "spring/12.0  trader@1 $12  farmer@3 $9 forfeit  new@12 $3       4  2023-11-14 22:13 UTC",
    ]


def test_results_of_a_match_tell_every_seat() -> None:
    assert shown(tables.results_table(match_info())) == [
        "seat  bot       dollars  place  decisions  faults",
        "────────────────────────────────────────────────────",
        "   0  trader@1       12      1        310  0",
        "   1  farmer@3        9      3         20  4 forfeit",
        "   2  new@12          3      2        290  0",
    ]


@pytest.mark.usefixtures("utc")
def test_bots_and_versions_tell_when_they_came() -> None:
    bot = pb.BotInfo(name="trader", version=2, games=["bohnanza"], author="Ann", submitted=WHEN, description="trades")
    assert shown(tables.bots_table([bot]))[2:] == ["trader@2  bohnanza  Ann     2023-11-14 22:13 UTC  trades"]
    version = pb.BotVersion(
        version=2,
        digest="ab" * 32,
        bundle_bytes=2048,
        submitted=WHEN,
        entries=[
            pb.BotEntry(league="spring", standing=STANDINGS[0], entrants=3),
            pb.BotEntry(league="autumn", standing=pb.Standing()),
            pb.BotEntry(league="winter", standing=SUSPENDED, entrants=3),
        ],
    )
    assert shown(tables.versions_table([version]), 110)[2:] == [
        "      2  2023-11-14 22:13 UTC  2.0 KiB  abababababababab  spring: rank 1 of 3, rating 1712",
        "                                                          autumn: not played yet",
        "                                                          winter: rank 2 of 3, rating 1300, suspended",
    ]


def test_the_author_of_a_bot_is_whose_token_submitted_it_else_who_its_files_say() -> None:
    bots = [
        pb.BotInfo(name="sprout", version=1, author="Ann", owner="ann"),
        pb.BotInfo(name="bean", version=2, author="Bea"),
        pb.BotInfo(name="trader", version=2),
    ]
    lines = shown(tables.bots_table(bots))
    assert "author" in lines[0]
    rows = [line.split() for line in lines[2:]]
    assert rows == [["sprout@1", "ann", "-"], ["bean@2", "Bea", "-"], ["trader@2", "-", "-"]]


def test_a_bot_of_many_games_leaves_room_for_authors_and_columns_left_out_are_named() -> None:
    games = ["bohnanza", *(f"bean-thief-{number}" for number in range(10))]
    bots = [pb.BotInfo(name="random", games=games, version=1, owner="ann", submitted=WHEN, description="plays" * 9)]
    *lines, note = shown(tables.bots_table(bots), 80)
    assert lines[2].startswith("random@1  bohnanza and 10 more  ann")
    assert note == "too narrow for: description"


@pytest.mark.usefixtures("utc")
def test_deals_keep_the_seed_secret_until_played() -> None:
    table = [pb.Entrant(bot="a", version=1), pb.Entrant(bot="b", version=2)]
    deals = [
        pb.Deal(number=1, table=table, seed_digest=b"\xaa" * 32, seed=b"\x01" * 32, played=WHEN),
        pb.Deal(number=2, table=table, seed_digest=b"\xbb" * 32),
    ]
    assert shown(tables.deals_table(deals))[2:] == [
        "   1  a@1, b@2  aaaaaaaaaaaaaaaa       0101010101010101     2023-11-14 22:13 UTC",
        "   2  a@1, b@2  bbbbbbbbbbbbbbbb       secret until played  -",
    ]


def test_deals_name_their_nodes_where_these_differ() -> None:
    deals = [pb.Deal(number=1, played=WHEN, node=pb.Node(name="left")), pb.Deal(number=2)]
    assert "node" not in shown(tables.deals_table(deals))[0]
    deals[1].node.name = "right"
    title, _, *rows = shown(tables.deals_table(deals))
    assert [line.split()[-1] for line in (title, *rows)] == ["node", "left", "right"]
