"""`league`, `standings`, `games` and lists with a server whose answers are laid down; and what is hidden."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from beanproto.v1 import league_pb2 as pb
from tests.cli.conftest import On, Run
from tests.cli.connection.test_completion import completed
from tests.cli.helpers import FakeLeague
from tests.cli.samples import WHEN, info, match_info, progress, standings


def test_create_sends_what_was_said_and_tells_how_to_run(run: Run, league: FakeLeague) -> None:
    created = info(deals_done=0)
    created.workers = 2
    league.answers["CreateLeague"] = created
    words = "league create spring --game bohnanza --seats 3 --bot trader --bot farmer@3 --deals 100 --strikes 0"
    more = ("--gauntlet", "new", "--option", "max_rounds=6", "--secret", "ab" * 16)
    result = run(*words.split(), *more, "--server", league.address)
    (asked,) = league.asked
    assert isinstance(asked, pb.CreateLeagueRequest)
    assert asked.name == "spring"
    assert asked.bots == ["trader", "farmer@3"]
    assert (asked.deals, asked.gauntlet) == (100, "new")
    assert asked.secret == b"\xab" * 16
    assert asked.options[0].number == 6
    assert asked.limits.HasField("strikes")
    assert not asked.limits.HasField("move_ms")
    worst = "Bots that use all of their time would think for 7:30:00 (300 matches x 3 seats x 60 s, 2 at a time)"
    assert result.output.splitlines() == [
        "Created spring: bohnanza, 3 bots, 3 seats, 100 deals of 3 matches.",
        f"{worst}; most need far less, and a run shows the time left.",
        f"Run it with: beanleague league run spring --server {league.address}",
    ]


def test_the_worst_case_of_a_short_league_is_rounded_up_to_a_second(run: Run, league: FakeLeague) -> None:
    created = info(deals_done=0)
    created.workers, created.matches_total, created.limits.match_ms = 2, 3, 1
    league.answers["CreateLeague"] = created
    result = run("league", "create", "spring", "--game", "bohnanza", "--server", league.address)
    assert "would think for 0:01 (3 matches x 3 seats x 0.001 s, 2 at a time)" in result.output


def test_create_without_a_budget_leaves_it_to_the_server(run: Run, league: FakeLeague) -> None:
    league.answers["CreateLeague"] = info()
    run("league", "create", "spring", "--game", "bohnanza", "--server", league.address)
    (asked,) = league.asked
    assert isinstance(asked, pb.CreateLeagueRequest)
    assert asked.WhichOneof("budget") is None
    assert asked.seats == 0


def test_create_tells_what_an_isolated_league_costs(run: Run, league: FakeLeague) -> None:
    answer = info()
    answer.isolate = True
    league.answers |= {"CreateLeague": answer, "ShowLeague": answer}
    words = ("league", "create", "spring", "--game", "bohnanza", "--isolate", "--server", league.address)
    assert "times the CPU time" in run(*words).output
    (asked,) = league.asked
    assert isinstance(asked, pb.CreateLeagueRequest)
    assert asked.isolate
    assert "\nisolated no process" in run("league", "show", "spring", "--server", league.address).output


def test_one_is_written_in_the_singular(run: Run, league: FakeLeague) -> None:
    one = info(deals_done=1)
    one.deals_total, one.matches_total, one.entrant_count = 1, 1, 1
    league.answers |= {"CreateLeague": one, "AddBots": one, "RunLeague": lambda *_: iter([progress(deals_done=1)])}
    result = run("league", "create", "spring", "--game", "bohnanza", "--server", league.address)
    assert "1 bot, 3 seats, 1 deal of 1 match." in result.output
    result = run("league", "add", "spring", "--deals", "1", "--server", league.address)
    assert "spring has 1 bot and 1 deal, 0 to play." in result.output


@pytest.mark.parametrize(
    ("deals_done", "words", "told"), [(20, ("new",), True), (0, ("new",), False), (20, ("--deals", "80"), False)]
)
def test_adding_bots_to_a_league_that_has_begun_tells_what_its_ratings_mean(
    run: Run, league: FakeLeague, deals_done: int, words: tuple[str, ...], told: bool
) -> None:
    league.answers["AddBots"] = info(deals_done=deals_done)
    result = run("league", "add", "spring", *words, "--server", league.address)
    assert ("Ratings count deals of the field before and after alike" in result.output) is told


@pytest.mark.parametrize("command", ["suspend", "remove"])
@pytest.mark.parametrize(("deals_done", "endless", "told"), [(20, False, True), (0, False, False), (20, True, False)])
def test_taking_a_bot_out_of_a_league_that_has_begun_tells_that_ratings_count_its_deals(
    run: Run, league: FakeLeague, command: str, deals_done: int, endless: bool, told: bool
) -> None:
    league.answers["SuspendBot"] = message = info(deals_done=deals_done)
    message.endless = endless
    result = run("league", command, "spring", "new", "--reason", "asked for", "--server", league.address)
    assert ("Ratings still count its deals" in result.output) is told


@pytest.mark.parametrize("gone", [True, False])
def test_taking_the_anchor_out_of_a_ladder_tells_what_its_scale_is(run: Run, league: FakeLeague, gone: bool) -> None:
    league.answers["SuspendBot"] = message = info()
    message.endless = True
    message.anchor.extend(message.entrants[: 0 if gone else 1])
    result = run("league", "remove", "spring", "new", "--reason", "asked for", "--server", league.address)
    assert ("the mean of the field is 1500" in result.output) is gone


@pytest.mark.parametrize(
    ("state", "deals"),
    [(pb.LEAGUE_STATE_STOPPED, "40 so far (120 matches)"), (pb.LEAGUE_STATE_DONE, "40 of 40 (120 matches)")],
)
def test_a_comparison_tells_who_is_compared_and_no_number_of_deals_before_it_ends(
    run: Run, league: FakeLeague, state: pb.LeagueState.ValueType, deals: str
) -> None:
    message = info(state)
    message.format, message.compares, message.has_standings = pb.LEAGUE_FORMAT_COMPARISON, True, False
    message.deals_total = 40 if state == pb.LEAGUE_STATE_DONE else 1_000_000
    league.answers |= {"ShowLeague": message, "ListLeagues": pb.ListLeaguesResponse(leagues=[message])}
    lines = run("league", "show", "spring", "--server", league.address).output.splitlines()
    assert lines[1] == f"deals    {deals}"
    assert lines[-1] == "compares trader@1 with farmer@3, beside new@12"
    assert deals.split(" (", maxsplit=1)[0] in run("league", "list", "--server", league.address).output


@pytest.mark.usefixtures("utc")
def test_show_tells_what_only_some_leagues_have_to_tell(run: Run, league: FakeLeague) -> None:
    message = info()
    message.has_standings = True
    message.hero.CopyFrom(pb.Entrant(bot="new", version=12))
    message.anchor.extend(message.entrants[:2])
    message.all_seatings, message.luck = True, 0.314
    message.seat_effects.add(seat=0, elo=12.3, interval=4)
    message.seat_effects.add(seat=1, elo=-0.3, interval=4)
    message.absent.add(bot="farmer", version=2, retired=True)
    message.absent.add(bot="late", version=1, suspended="5 forfeits in a row")
    message.voids.add(deal=7, reason="the worker ended", happened=WHEN)
    league.answers["ShowLeague"] = message
    shown = run("league", "show", "spring", "--server", league.address, COLUMNS="100").output
    assert shown.splitlines()[8:] == [
        "seatings each deal is played in every order of its bots",
        "gauntlet new@12 sits at every table",
        "anchor   the mean of trader@1, farmer@3, or of those of them that results connect, is rated 1500",
        "stopped  the last run ended before the last deal; go on with 'league run spring'",
        "seats    worth in Elo, 0: +12 ± 4, 1: +0 ± 4",
        "luck     31% of a result is the luck of seat and deal",
        "absent   farmer@2, retired: a newer version plays",
        "absent   late@1, suspended: 5 forfeits in a row",
        "void     deal 7 (2023-11-14 22:13 UTC): the worker ended",
    ]


def test_show_of_a_ladder_without_its_anchor_tells_what_its_scale_is(run: Run, league: FakeLeague) -> None:
    message = info()
    message.endless = True
    league.answers["ShowLeague"] = message
    shown = run("league", "show", "spring", "--server", league.address).output
    assert "anchor   none is in the field: the mean of the field is 1500" in shown.splitlines()


def test_create_and_show_tell_of_owners_whose_bots_must_share_tables(run: Run, league: FakeLeague) -> None:
    message = info()
    message.shared_owners.add(name="ann", bots=2, together=True)
    message.shared_owners.add(name="ben", bots=3, together=True)
    league.answers |= {"CreateLeague": message, "ShowLeague": message}
    line = "bots of ann and ben have to share tables with others of the same owner: there are too few bots of others"
    created = run("league", "create", "spring", "--game", "bohnanza", "--mix-owners", "--server", league.address)
    assert line in " ".join(created.output.split())
    assert isinstance(league.asked[0], pb.CreateLeagueRequest)
    assert league.asked[0].mix_owners
    shown = run("league", "show", "spring", "--server", league.address).output
    assert f"owners {line}" in " ".join(shown.split())


class TestNodes:
    @staticmethod
    def of(*names: str) -> pb.LeagueInfo:
        """A league that these nodes played."""
        message = info()
        for number, name in enumerate(names):
            node = pb.Node(name=name, cpu=f"CPU {number}", beanleague="0.2.0", python="3.11.2")
            message.nodes.add(node=node, deals=20, faults=1200 * number, timeouts=7, voids=number)
        return message

    def test_show_counts_deals_and_faults_by_node_where_several_played(self, run: Run, league: FakeLeague) -> None:
        league.answers["ShowLeague"] = self.of("left", "right")
        shown = run("league", "show", "spring", "--server", league.address).output
        assert isinstance(league.asked[0], pb.ShowLeagueRequest)
        assert league.asked[0].nodes
        assert [line.split() for line in shown.splitlines()[-4:]] == [
            ["node", "CPU", "Beanleague", "Python", "deals", "faults", "late", "again"],
            ["─" * len(line) for line in shown.splitlines()[-3].split()],
            ["left", "CPU", "0", "0.2.0", "3.11.2", "20", "0", "7", "0"],
            ["right", "CPU", "1", "0.2.0", "3.11.2", "20", "1,200", "7", "1"],
        ]

    def test_a_league_that_one_machine_played_is_shown_without_it(self, run: Run, league: FakeLeague) -> None:
        league.answers["ShowLeague"] = self.of("left")
        assert "left" not in run("league", "show", "spring", "--server", league.address).output
        found = json.loads(run("league", "show", "spring", "--json", "--server", league.address).output)
        assert [totals["node"]["name"] for totals in found["nodes"]] == ["left"]

    @pytest.mark.parametrize(("names", "where"), [(("left", "right"), ", on right)"), (("right",), ")")])
    def test_a_deal_played_again_names_its_node_where_there_are_several(
        self, run: Run, league: FakeLeague, names: tuple[str, ...], where: str
    ) -> None:
        message = self.of(*names)
        message.voids.add(deal=7, reason="the worker died", node=pb.Node(name="right"))
        league.answers["ShowLeague"] = message
        shown = run("league", "show", "spring", "--server", league.address).output
        assert f"void     deal 7 (-{where}: the worker died" in shown

    @pytest.mark.usefixtures("utc")
    def test_deals_that_failed_together_share_a_line(self, run: Run, league: FakeLeague) -> None:
        message = self.of("left", "right")
        for deal in (1009, 1008, 1007, 1006, 1005, 1004, 3):
            reason = "the node was lost" if deal > 3 else "the worker died"
            message.voids.add(deal=deal, reason=reason, node=pb.Node(name="right"), happened=WHEN)
        league.answers["ShowLeague"] = message
        lines = run("league", "show", "spring", "--server", league.address, COLUMNS="110").output.splitlines()
        assert [line for line in lines if line.startswith("void")] == [
            "void     deals 1,004, 1,005, 1,006, 1,007 and others (2023-11-14 22:13 UTC, on right): the node was lost",
            "void     deal 3 (2023-11-14 22:13 UTC, on right): the worker died",
        ]

    def test_a_league_can_demand_one_model_of_cpu(self, run: Run, league: FakeLeague) -> None:
        message = info()
        message.one_cpu = True
        league.answers |= {"CreateLeague": message, "ShowLeague": message}
        words = ("league", "create", "spring", "--game", "bohnanza", "--one-cpu", "--server", league.address)
        assert run(*words).exit_code == 0
        assert isinstance(league.asked[0], pb.CreateLeagueRequest)
        assert league.asked[0].one_cpu
        show = ("league", "show", "spring", "--server", league.address)
        assert "cpu      all deals are played on the model of CPU that plays the first" in run(*show).output
        message.cpu = "AMD EPYC"
        assert "cpu      all deals are played on AMD EPYC\n" in run(*show).output


def test_show_tells_of_owners_whose_bots_are_kept_apart(run: Run, league: FakeLeague) -> None:
    message = info()
    message.shared_owners.add(name="ann", bots=2)
    league.answers["ShowLeague"] = message
    lines = run("league", "show", "spring", "--server", league.address).output.splitlines()
    assert lines[-1] == "owners   bots of ann never share a table with others of the same owner"


@pytest.mark.parametrize(
    ("done", "has_entries", "hint"),
    [
        (59, False, "Run the league with: beanleague league run"),
        (60, False, "Add deals with: beanleague league add"),
        (59, True, "Run the ladder with: beanleague ladder run"),
    ],
)
def test_a_lifted_suspension_says_how_the_league_goes_on(
    run: Run, league: FakeLeague, done: int, has_entries: bool, hint: str
) -> None:
    message = info()
    message.has_entries = has_entries
    message.deals_done, message.deals_total = done, 60
    league.answers["LiftSuspension"] = message
    output = run("league", "lift", "spring", "new", "--server", league.address).output
    assert output.startswith(f"new plays in spring again. {hint} spring ")


def test_a_bot_is_suspended_with_a_reason(run: Run, league: FakeLeague) -> None:
    league.answers["SuspendBot"] = info()
    words = ("league", "suspend", "spring", "new", "--reason", "asked for", "--server", league.address)
    assert "new is suspended in spring. Lift it with: beanleague league lift spring new" in run(*words).output
    assert league.asked[-1] == pb.SuspendBotRequest(league="spring", bot="new", reason="asked for")


def test_a_bot_is_removed_with_a_reason_which_the_league_tells(run: Run, league: FakeLeague) -> None:
    message = info()
    message.absent.add(bot="new", version=1, retired=True, why="an organiser took it out (asked for)")
    message.absent.add(bot="old", version=1, retired=True)
    league.answers["SuspendBot"] = league.answers["ShowLeague"] = message
    at = ("--server", league.address)
    output = run("league", "remove", "spring", "new", "--reason", "asked for", *at).output
    assert output.startswith("new plays no more in spring; its results stay.\n")
    assert league.asked[-1] == pb.SuspendBotRequest(league="spring", bot="new", reason="asked for", for_good=True)
    output = run("league", "show", "spring", *at).output
    assert "new@1, retired: an organiser took it out (asked for)" in output
    assert "old@1, retired: a newer version plays" in output


def test_standings_by_author_show_the_best_bot_of_each(run: Run, league: FakeLeague) -> None:
    """Bots of organisers have no author, and are strangers to each other."""
    answer = standings()
    del answer.standings[:]
    for rank, (bot, owner) in enumerate([("boss", "ann"), ("mule", "ann"), ("bean", "ben"), ("a", ""), ("b", "")], 1):
        answer.standings.add(rank=rank, bot=bot, version=1, owner=owner, matches=4, rating=1600 - rank)
    league.answers["Standings"] = answer
    words = ("standings", "spring", "--by", "author", "--server", league.address)
    shown = json.loads(run(*words, "--json").stdout)["standings"]
    assert [(row["rank"], row["bot"]) for row in shown] == [(1, "boss"), (3, "bean"), (4, "a"), (5, "b")]
    lines = run(*words).output.splitlines()
    assert lines[2].split()[:3] == ["rank", "bot", "author"]
    assert [line.split()[:3] for line in lines[4:6]] == [["1", "boss@1", "ann"], ["3", "bean@1", "ben"]]
    assert "mule" not in run(*words, "--csv").output
    assert run(*words, "--matrix").exit_code == 2


def test_watching_prints_standings_as_they_change_until_the_league_is_done(
    run: Run, league: FakeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A command has nothing that could hand the interval in but an option, which nobody wants.
    monkeypatch.setattr("beanleague.cli.commands.standings._POLL_INTERVAL_S", 0.0)
    states = iter(
        [
            standings(pb.LEAGUE_STATE_RUNNING, 10),
            standings(pb.LEAGUE_STATE_RUNNING, 10),
            standings(pb.LEAGUE_STATE_RUNNING, 20),
        ]
    )
    league.answers["Standings"] = lambda *_: next(states, standings())
    result = run("standings", "spring", "--watch", "--json", "--server", league.address)
    assert [json.loads(line)["deals_done"] for line in result.output.splitlines()] == [10, 20, 60]


@pytest.mark.parametrize(
    ("words", "call", "answer"),
    [
        ("games", "ListRulesets", pb.ListRulesetsResponse(rulesets=[pb.RulesetInfo(id="bohnanza")])),
        ("bot list", "ListBots", pb.ListBotsResponse(bots=[pb.BotInfo(name="trader")])),
        ("bot show trader", "ShowBot", pb.ShowBotResponse(name="trader", versions=[pb.BotVersion(version=1)])),
        ("bot logs trader", "BotLogs", pb.BotLogsResponse(name="trader")),
        ("league list", "ListLeagues", pb.ListLeaguesResponse(leagues=[info()])),
        ("league show spring", "ShowLeague", info()),
        ("league create spring --game bohnanza", "CreateLeague", info()),
        ("league deals spring", "ListDeals", pb.ListDealsResponse(deals=[pb.Deal(number=1)])),
        ("league integrity spring", "Integrity", pb.IntegrityResponse(league="spring")),
        ("standings spring", "Standings", standings()),
        ("match list spring", "ListMatches", pb.ListMatchesResponse(matches=[match_info()])),
    ],
)
def test_json_has_every_field_of_the_answer(run: Run, league: FakeLeague, words: str, call: str, answer: Any) -> None:
    league.answers[call] = answer
    result = run(*words.split(), "--json", "--server", league.address)
    assert result.exit_code == 0
    assert list(json.loads(result.stdout)) == [field.name for field in answer.DESCRIPTOR.fields]


@pytest.mark.parametrize(
    ("words", "call", "answer", "message"),
    [
        ("bot list", "ListBots", pb.ListBotsResponse(), "No bots yet; submit one with: beanleague bot submit FOLDER"),
        ("league list", "ListLeagues", pb.ListLeaguesResponse(), "No leagues yet; try: beanleague quickstart"),
        ("match list spring", "ListMatches", pb.ListMatchesResponse(), "No matches found."),
        ("league deals spring --after 9", "ListDeals", pb.ListDealsResponse(), "No deals after 9."),
    ],
)
def test_where_there_is_nothing_that_is_said(
    run: Run, league: FakeLeague, words: str, call: str, answer: Any, message: str
) -> None:
    league.answers[call] = answer
    assert run(*words.split(), BEANLEAGUE_SERVER=league.address).output.strip() == message


def test_lists_say_how_to_see_more(run: Run, league: FakeLeague) -> None:
    league.answers["ListMatches"] = pb.ListMatchesResponse(matches=[match_info()], next_after="spring/12.0")
    assert run("match", "list", "spring", BEANLEAGUE_SERVER=league.address).output.endswith(
        "\nMore: add --after spring/12.0\n"
    )
    league.answers["ListDeals"] = pb.ListDealsResponse(deals=[pb.Deal(number=20)], next_after=20)
    assert run("league", "deals", "spring", BEANLEAGUE_SERVER=league.address).output.endswith(
        "\nMore: add --after 20\n"
    )


def listed(on: On, *words: str) -> list[str]:
    """The first words of a list."""
    return [line.split()[0] for line in on(*words).stdout.splitlines()[2:]]


@pytest.fixture
def hidden(on: On, spring: str) -> Iterator[None]:
    """The league and the bot ann are hidden."""
    for words in ("league hide spring", "bot hide ann"):
        result = on(*words.split())
        assert result.exit_code == 0, result.output
        assert f"is hidden; show it again with: beanleague {words} --show" in result.stdout
    yield
    for words in ("league hide spring --show", "bot hide ann --show"):
        assert "is shown." in on(*words.split()).stdout


@pytest.mark.usefixtures("hidden")
def test_lists_leave_out_what_is_hidden(on: On, home: Path) -> None:
    assert "No leagues yet" in on("league", "list").stdout
    assert listed(on, "bot", "list") == ["ben@1", "cid@1"]
    assert "spring (hidden)" in on("league", "list", "--all").stdout
    assert "ann@1 (hidden)" in on("bot", "list", "--all").stdout
    assert completed("league show ", "--db", str(home / "leagues.db")) == []
    assert completed("bot show ", "--db", str(home / "leagues.db")) == ["ben", "cid"]


@pytest.mark.usefixtures("hidden")
def test_a_hidden_league_is_found_by_its_name(on: On) -> None:
    assert "ann@1" in on("standings", "spring").stdout
    assert on("match", "verify", "spring/1.0").exit_code == 0
    assert json.loads(on("bot", "show", "ben", "--json").stdout)["versions"][0]["entries"] == []
    assert "spring" in on("bot", "show", "ann", "--all").stdout
    assert "ann  (hidden)" in on("bot", "show", "ann").stdout


@pytest.mark.usefixtures("hidden")
def test_a_hidden_bot_enters_a_new_league_only_by_its_name(on: On, home: Path) -> None:
    refused = on("league", "create", "all", "--game", "bohnanza")
    assert "2" in refused.stderr
    assert refused.exit_code == 1
    named = on("league", "create", "named", "--game", "bohnanza", "--bot", "ann", "--bot", "ben", "--bot", "cid")
    assert named.exit_code == 0, named.output


def test_a_hidden_league_is_shown_again_unchanged(on: On, spring: str) -> None:
    before = on("league", "list").stdout, on("bot", "list").stdout, on("bot", "show", "ann").stdout
    for words in ("league hide spring", "bot hide ann", "league hide spring --show", "bot hide ann --show"):
        on(*words.split())
    assert (on("league", "list").stdout, on("bot", "list").stdout, on("bot", "show", "ann").stdout) == before


def test_a_name_that_does_not_exist_is_an_error(on: On, spring: str) -> None:
    assert "did you mean 'spring'?" in on("league", "hide", "sprin").stderr
    assert "did you mean 'ann'?" in on("bot", "hide", "anne").stderr
