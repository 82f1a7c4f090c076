"""Rules: limits on the values of a column, beyond its type.

A rule is a condition in SQL, from which `rows.py` builds the check of a whole file. If a value can make a query
expensive or becomes part of a path, its rule also checks each value read.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import sqlalchemy as sa

from beanleague import names

Column: TypeAlias = "sa.Column[Any]"
Condition: TypeAlias = "sa.ColumnElement[bool]"

SMALL = 2**31 - 1
"""Largest 32-bit integer, the limit of numbers in the protocols."""

MAX_NUMBER = 1e11
"""Largest absolute value of times in seconds and of ratings, which excludes NaN and infinity."""

LARGE = 2**53
"""Largest integer in a database: sums of larger integers would lose digits or overflow."""


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """Rule for the values of a column."""

    condition: Callable[[Column], Condition]
    """Function that returns the SQL condition for valid values; evaluated only for values of the right type."""
    accepts: Callable[[Any], bool] | None = None
    """Function that returns whether a value of the right type is valid; None if values are not checked when read."""


def between(least: int, most: int) -> ColumnRule:
    """Return the rule for numbers from `least` to `most`."""
    return ColumnRule(lambda column: column.between(least, most))


def read_between(least: int, most: int) -> ColumnRule:
    """Return the rule for numbers from `least` to `most` that is checked at every read."""
    return ColumnRule(between(least, most).condition, lambda value: least <= value <= most)


COUNT = between(0, SMALL)
"""Rule for counts, and for numbers from 0 or 1."""

LARGE_COUNT = between(0, LARGE)
"""Rule for totals."""

SIGNED = between(-SMALL, SMALL)
"""Rule for scores and values of cards, which can be negative."""


def one_of(words: Iterable[str]) -> ColumnRule:
    """Return the rule for texts that are one of `words`."""
    allowed = [*map(str, words)]
    return ColumnRule(lambda column: column.in_(allowed))


def long(least: int, most: int | None = None) -> ColumnRule:
    """Return the rule for bytes with `least` to `most` bytes, or exactly `least`."""
    return ColumnRule(lambda column: sa.func.length(column).between(least, least if most is None else most))


DIGEST_BYTES = long(32)
"""Rule for SHA-256 digests and secrets of 32 bytes."""


def _is_name(column: Column) -> Condition:
    return sa.func.length(column).between(1, 32) & ~_glob(column, "*[^a-z0-9_-]*")


def _is_digest(column: Column) -> Condition:
    return (sa.func.length(column) == 64) & ~_glob(column, "*[^0-9a-f]*")


def _glob(column: Column, pattern: str) -> Condition:
    return column.op("GLOB", is_comparison=True, return_type=sa.Boolean())(pattern)


def _or_empty(rule: ColumnRule) -> ColumnRule:
    """Return the rule for texts that are empty or satisfy another rule."""
    accepts = rule.accepts
    assert accepts is not None
    return ColumnRule(lambda column: (column == "") | rule.condition(column), lambda text: not text or accepts(text))


# Some names become paths, and a name with a line break would look like two.
NAME = ColumnRule(_is_name, lambda text: bool(names.NAME.fullmatch(text)))
"""Rule for names of bots, leagues, rulesets and token holders."""

NAME_OR_NONE = _or_empty(NAME)
"""Rule for names of authors, "" for organisers."""

DIGEST = ColumnRule(_is_digest, lambda text: bool(names.DIGEST.fullmatch(text)))
"""Rule for digests of bundles, hexadecimal."""

DIGEST_OR_NONE = _or_empty(DIGEST)
"""Rule for digests of environments, "" for the default one."""


def each_of(column: Column) -> sa.TableValuedAlias:
    """Return the items of a JSON list or object as rows with `key`, `value` and `type`."""
    return sa.func.json_each(column).table_valued("key", "value", "type", name="each")


def keys_among(words: Iterable[str]) -> ColumnRule:
    """Return the rule for JSON objects whose keys are among `words`."""
    allowed = [*words]
    return ColumnRule(lambda column: none_of_each(column, lambda each: each.c.key.not_in(allowed)))


def none_of_each(column: Column, wrong: Callable[[sa.TableValuedAlias], Condition]) -> Condition:
    """Return the condition that no item of a JSON list or object is `wrong`."""
    each = each_of(column)
    return ~sa.select(sa.literal(1)).select_from(each).where(wrong(each)).correlate(column.table).exists()
