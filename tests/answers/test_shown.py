"""Messages as the JSON that commands print, columns of standings, and what a report says over all trial matches."""

import hashlib

from google.protobuf.timestamp_pb2 import Timestamp

from beanleague.answers import STANDING, Mistake, enum_name, mistakes, rating_ends, shape, tie_note, warnings
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.referee_pb2 import RecordedFault


def trial(seats: int, *made: tuple[int, str, int]) -> pb.Trial:
    """A trial with mistakes: the move, the reason, and how often."""
    distinct = [
        pb.TrialFault(fault=RecordedFault(move=move, reason=reason), decision="TRADE", count=count)
        for move, reason, count in made
    ]
    return pb.Trial(ruleset="bohnanza", seats=seats, distinct=distinct, log="warning: a\nhello\nwarning: b\n")


REPORT = pb.BotReport(trials=[trial(3, (7, "boom", 2), (9, "bang", 1)), trial(5, (4, "boom", 3))])


def test_each_mistake_is_named_once_with_its_count_over_all_trials() -> None:
    assert mistakes(REPORT) == (
        Mistake("bohnanza, 3 seats, move 7", "TRADE", "boom", 5),
        Mistake("bohnanza, 3 seats, move 9", "TRADE", "bang", 1),
    )


def test_each_warning_is_given_once() -> None:
    assert warnings(REPORT) == ("a", "b")


def test_every_field_of_a_standing_is_a_column_and_no_other() -> None:
    assert sorted(STANDING) == sorted(field.name for field in pb.Standing.DESCRIPTOR.fields)


def match_of(ruleset: str, *seats: tuple[int, int]) -> pb.MatchInfo:
    """A match: score and place of each seat."""
    return pb.MatchInfo(ruleset=ruleset, seats=[pb.SeatResult(score=score, place=place) for score, place in seats])


def test_a_note_says_why_players_with_equal_money_have_different_places() -> None:
    duel, three = match_of("duel", (700, 2), (700, 1)), match_of("bohnanza", (7, 2), (9, 1), (7, 3))
    assert "who did not start comes first" in tie_note([duel])
    assert "the higher seat comes first" in tie_note([three])
    assert "who did not start or the higher seat" in tie_note([duel, three])
    assert "more cards in hand" in tie_note([match_of("bohnanza-two", (7, 2), (7, 1))])
    assert not tie_note([match_of("bohnanza", (7, 1), (7, 1), (3, 3)), match_of("poker", (7, 2), (7, 1))])


def test_a_rating_has_the_ends_that_are_known() -> None:
    assert rating_ends(pb.Standing(rating=1500, interval=20)) == (1480, 1520)
    assert rating_ends(pb.Standing(rating=2000, least=1900)) == (1900, None)
    assert rating_ends(pb.Standing(rating=1500)) == (None, None)


def test_every_field_is_there_under_its_name_even_when_it_is_zero() -> None:
    assert list(shape(pb.Standing())) == [field.name for field in pb.Standing.DESCRIPTOR.fields]
    assert shape(pb.Standing())["faults"] == 0


def test_an_absent_optional_field_is_null() -> None:
    assert shape(pb.Standing())["interval"] is None
    assert shape(pb.Standing(interval=0.0))["interval"] == 0.0


def test_an_absent_message_is_null_and_a_time_is_iso_8601() -> None:
    assert shape(pb.Deal())["played"] is None
    assert shape(pb.Deal(played=Timestamp(seconds=1_700_000_000)))["played"] == "2023-11-14T22:13:20Z"


def test_bytes_are_hex_large_numbers_numbers_and_lists_lists() -> None:
    deal = pb.Deal(
        number=2**40, seed_digest=b"\x01\xff", table=[pb.Entrant(bot="a", version=2)], state=pb.DEAL_STATE_DONE
    )
    message = shape(deal)
    assert message["number"] == 2**40
    assert message["seed_digest"] == "01ff"
    assert message["table"] == [{"bot": "a", "version": 2}]
    assert message["state"] == "done"


def test_options_are_one_object() -> None:
    options = [pb.OptionValue(name="max_rounds", number=6), pb.OptionValue(name="deck", text="[[cards]]")]
    digest = hashlib.sha256(b"[[cards]]").hexdigest()
    assert shape(pb.LeagueInfo(options=options))["options"] == {"max_rounds": 6, "deck": f"sha256:{digest}"}


def test_an_enum_is_shown_by_its_name_without_prefix() -> None:
    assert enum_name(pb.LeagueState.DESCRIPTOR, pb.LEAGUE_STATE_RUNNING) == "running"
