"""Answers of servers are refused where they cannot be true."""

import math

import pytest
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from beanleague.cli.connection.checking import check
from beanleague.cli.params import CliError
from beanproto.v1 import league_pb2 as pb


def refusal(answer: Message) -> str:
    """Return what is said to be wrong with an answer, "" if it passes."""
    try:
        check(answer, "example.org:1")
    except CliError as error:
        begin, end = "the server at example.org:1 sent an invalid answer (", "); it may run a later version"
        text = str(error)
        assert text.startswith(begin)
        return text[len(begin) : text.index(end)]
    return ""


@pytest.mark.parametrize("number", [math.nan, math.inf, -1e16])
def test_a_number_that_nothing_measures_is_named_with_the_messages_around_it(number: float) -> None:
    assert refusal(pb.RatingsResponse(standings=[pb.Standing(), pb.Standing(rating=number)])) == "standings.rating"


@pytest.mark.parametrize(("seconds", "nanos"), [(253_402_300_800, 0), (-62_135_596_801, 0), (0, 10**9), (0, -1)])
def test_a_time_without_a_date_is_refused(seconds: int, nanos: int) -> None:
    assert refusal(pb.BotInfo(submitted=Timestamp(seconds=1_700_000_000))) == ""
    assert refusal(pb.BotInfo(submitted=Timestamp(seconds=seconds, nanos=nanos))) == "submitted.seconds"


def test_a_number_that_no_name_stands_for_is_refused() -> None:
    assert refusal(pb.TokenInfo(role=pb.ROLE_AUTHOR)) == ""
    assert refusal(pb.TokenInfo(role=99)) == "role"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("token", "name", "wrong"),
    [
        ("Abc-_9", "ann", False),
        ("$(reboot)", "ann", True),
        ("", "ann", True),
        ("abc", "../rc", True),
        ("abc", "", True),
    ],
)
def test_a_token_has_letters_that_a_shell_leaves_alone(token: str, name: str, wrong: bool) -> None:
    answer = pb.NewTokenResponse(token=token, info=pb.TokenInfo(name=name))
    assert refusal(answer) == "NewTokenResponse does not fit together" * wrong


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [([], False), ([2, 2], False), ([1], False), ([2, 1], True), ([3, 3], True), ([0, 0], True), ([2] * 3, True)],
)
def test_a_matrix_is_a_rectangle_within_the_standings(rows: list[int], wrong: bool) -> None:
    matrix = [pb.MatrixRow(better=[0.5] * length, pair_score=[0.5] * length) for length in rows]
    answer = pb.RatingsResponse(standings=[pb.Standing(), pb.Standing()], matrix=matrix)
    assert refusal(answer) == "RatingsResponse does not fit together" * wrong


@pytest.mark.parametrize(("lower", "upper", "wrong"), [(0, 0, False), (-3, 3, False), (3, 3, True), (4, 3, True)])
def test_bounds_of_a_comparison_differ_once_there_is_a_deal(lower: float, upper: float, wrong: bool) -> None:
    answer = pb.ComparisonProgress(lower=lower, upper=upper)
    assert refusal(answer) == "ComparisonProgress does not fit together" * wrong


def test_a_bot_has_a_version() -> None:
    assert refusal(pb.ShowBotResponse(versions=[pb.BotVersion()])) == ""
    assert refusal(pb.ShowBotResponse()) == "ShowBotResponse does not fit together"
