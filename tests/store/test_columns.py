"""Rows as values: the types of columns, the rules of values that are read, and values as rows."""

from dataclasses import dataclass
from enum import StrEnum
from types import SimpleNamespace
from typing import Any

import pytest

from beanleague.model import League, LeagueSettings, SeatResult
from beanleague.store.columns import Mapper, WrongValueError, check_of, checked_name, from_json, lists
from beanleague.store.tables.leagues import LeagueRow
from beanleague.store.tables.matches import FaultRow, SeatRow


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        (int, [0, -7], [True, 1.0, "1", None]),
        (float, [0.5, 7], [True, "1", float("nan"), float("inf"), 1e11]),
        (bool, [True], [1, None]),
        (bytes, [b""], ["", 7]),
        (str | None, ["", None], [b"", 0]),
        (list[str], [[], ["a"]], [["a", 1], "a", None, ("a",)]),
        (dict[str, int], [{}, {"a": 1}], [{"a": "1"}, {"a": True}, []]),
        (dict[str, int | str], [{"a": 1, "b": "c"}], [{"a": 1.5}]),
    ],
    ids=str,
)
def test_a_value_has_the_type_of_its_column(kind: Any, right: list[Any], wrong: list[Any]) -> None:
    check = check_of(kind)
    assert [value for value in right if not check(value)] == []
    assert [value for value in wrong if check(value)] == []


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Painted:
    """Two columns of a fault."""

    kind: str
    seat: int


SEATS = Mapper(SeatResult, SeatRow)
SETTINGS = Mapper(LeagueSettings, LeagueRow)


def row(**values: object) -> Any:
    """Return a row of a league with the settings of a new one, but for some values."""
    usual = {column.name: getattr(LeagueSettings(ruleset="bohnanza"), column.name) for column in SETTINGS.columns}
    return SimpleNamespace(**{**usual, "seats": 4, **values})


class TestMapper:
    def test_the_columns_are_the_fields_of_the_value_in_their_order(self) -> None:
        names = [column.name for column in SEATS.columns]
        assert names == ["entrant", "score", "place", "decisions", "faults", "forfeited"]
        assert all(column.table is SeatRow.__table__ for column in SEATS.columns)

    def test_a_field_without_a_column_is_an_error(self) -> None:
        with pytest.raises(KeyError, match="entrants"):
            Mapper(League, LeagueRow)

    def test_a_value_is_the_same_after_a_row(self) -> None:
        value = SeatResult(1, -3, 2, 50, 1, forfeited=True)
        assert SEATS.from_values(list(SEATS.to_row(value).values())) == value
        assert SEATS.from_row(SimpleNamespace(**SEATS.to_row(value))) == value  # type: ignore[arg-type]  # as a row

    def test_an_enum_is_stored_as_a_plain_text(self) -> None:
        stored = Mapper(Painted, FaultRow).to_row(Painted(Colour.RED, 1))
        assert (stored["kind"], type(stored["kind"])) == ("red", str)

    def test_mappings_are_stored_as_dicts_and_lists_are_read_as_tuples(self) -> None:
        settings = LeagueSettings(ruleset="bohnanza", options={"long": 1})
        assert SETTINGS.to_row(settings)["options"] == {"long": 1}

        @dataclass
        class Anchored:
            anchor: tuple[int, ...]

        anchors = Mapper(Anchored, LeagueRow)
        assert anchors.to_row(Anchored((1, 2))) == {"anchor": [1, 2]}
        assert anchors.from_row(SimpleNamespace(anchor=[1, 2])) == Anchored((1, 2))  # type: ignore[arg-type]  # as a row

    @pytest.mark.parametrize(
        ("values", "error"),
        [
            ({"seats": "4"}, "league.seats is '4'"),
            ({"seats": 8}, "league.seats is 8"),
            ({"seats": 0}, "league.seats is 0"),
            ({"ruleset": "a b"}, "league.ruleset is 'a b'"),
            ({"ruleset": "a" * 33}, "league.ruleset is 'a"),
            ({"deals": 2**31}, "league.deals is 2147483648"),
            ({"limits": {"strikes": "3"}}, "league.limits is"),
            ({"secret": 7}, "league.secret is 7"),
        ],
    )
    def test_a_value_that_is_never_stored_is_an_error_with_its_column(
        self, values: dict[str, object], error: str
    ) -> None:
        assert SETTINGS.from_row(row()).seats == 4
        with pytest.raises(WrongValueError, match=error):
            SETTINGS.from_row(row(**values))

    def test_values_are_checked_for_each_combination_of_types(self) -> None:
        right = [1, 5, 1, 50, 0, False]
        for _ in range(2):
            SEATS.from_values(right)
            with pytest.raises(WrongValueError, match=r"match_seat\.score is 'high'"):
                SEATS.from_values([1, "high", *right[2:]])


def test_many_lists_are_read_at_once() -> None:
    assert lists(["[1, 2]", "[]"]) == [[1, 2], []]
    assert lists([]) == []


@pytest.mark.parametrize("texts", [["[1], [2]"], ["1"], ['["1"]'], ["[true]"], ["[", "]"], ["{}"]], ids=repr)
def test_texts_that_are_no_lists_of_numbers_are_errors(texts: list[str]) -> None:
    with pytest.raises(WrongValueError, match="holds something else"):
        lists(texts)


@pytest.mark.parametrize("text", ["[", "", None, "[" * 100_000], ids=["open", "empty", "none", "deep"])
def test_a_text_that_is_no_json_is_an_error(text: str | None) -> None:
    with pytest.raises(WrongValueError, match="a column of lists holds something else"):
        from_json(text)


def test_names_of_rows_are_checked() -> None:
    assert checked_name("bot-1_a") == "bot-1_a"
    for wrong in ("", "a/b", "a\n", "A", 7, None):
        with pytest.raises(WrongValueError, match="is not a valid name"):
            checked_name(wrong)  # type: ignore[arg-type]  # whatever a file has
