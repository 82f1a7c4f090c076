from pathlib import Path

import pytest

from beanleague.names import NameFormatError, below, format_bot, format_match, is_new_name, parse_bot, parse_match


@pytest.mark.parametrize(("text", "bot"), [("ann", ("ann", None)), ("ann@3", ("ann", 3)), ("a_b-1@12", ("a_b-1", 12))])
def test_a_bot_is_written_with_or_without_its_version(text: str, bot: tuple[str, int | None]) -> None:
    assert parse_bot(text) == bot


@pytest.mark.parametrize(
    "text", ["", "@1", "ann@", "ann@x", "ann@0", "ann@-1", "ann@1@2", "Ann", "ann@\u0661", "ann@1234567890"]
)
def test_malformed_names_of_bots_are_refused(text: str) -> None:
    with pytest.raises(NameFormatError, match="is not a bot"):
        parse_bot(text)


@pytest.mark.parametrize("text", ["ann@3", "a_b-1@12"])
def test_parsed_names_are_formatted_alike(text: str) -> None:
    name, version = parse_bot(text)
    assert version is not None
    assert format_bot(name, version) == text


def test_the_bean_thief_has_no_version() -> None:
    assert format_bot("Bean Thief", 0) == "Bean Thief"


def test_a_match_is_written_with_its_league_deal_and_rotation() -> None:
    assert parse_match("spring/12.0") == ("spring", 12, 0)
    assert format_match("spring", 12, 0) == "spring/12.0"


@pytest.mark.parametrize("text", ["", "spring", "spring/1", "spring/1.x", "Spring/1.0", "spring/1.100", "/1.0"])
def test_malformed_match_ids_are_refused(text: str) -> None:
    with pytest.raises(NameFormatError, match="is not a match"):
        parse_match(text)


def test_a_path_stays_below_its_folder() -> None:
    assert below(Path("/root"), "bots/ann.html") == Path("/root/bots/ann.html")


@pytest.mark.parametrize("name", ["", "/etc/passwd", "..", "a/../../b", "a//b", "a/", "./a", "a\0b"])
def test_no_other_path_is_made(name: str) -> None:
    with pytest.raises(NameFormatError, match="is not a path below a folder"):
        below(Path("/root"), name)


@pytest.mark.parametrize("name", ["a", "ann", "a-1", "nanny", "x_y", "com10", "e5", "all", "default", "t"])
def test_a_new_name_begins_with_a_letter(name: str) -> None:
    assert is_new_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *("--help", "--", "-2-3", "_x", "007", "1e5", "-", "1", "2026-01-01", "0x1f"),
        *("nan", "null", "none", "undefined", "true", "y", "n", "yes", "no", "on", "off", "inf", "con", "lpt1"),
        *("Ann", "", "é", "ä", "a.b", "a b", "ann\n"),
    ],
)
def test_a_name_that_is_something_else_elsewhere_is_not_given_to_what_is_new(name: str) -> None:
    assert not is_new_name(name)
