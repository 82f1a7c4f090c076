"""Lines of reports: the matches that count, and the bots in whose figures they do."""

from beanleague.games.records.lines import counted_matches


def test_a_match_of_both_bots_counts_for_both() -> None:
    newest = [("plum", ["spring/2.0", "spring/1.0"]), ("pear", ["spring/1.0", "spring/1.1"])]
    assert counted_matches(newest) == {"spring/2.0": ["plum"], "spring/1.0": ["plum", "pear"], "spring/1.1": ["pear"]}


def test_a_match_that_is_named_twice_for_a_bot_counts_once() -> None:
    assert counted_matches([("plum", ["spring/1.0"]), ("plum", ["spring/1.0"])]) == {"spring/1.0": ["plum"]}
