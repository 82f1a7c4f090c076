"""The table [settings] of bot.toml: values that a bot reads as `self.settings`."""

from collections.abc import Mapping
from typing import TypeAlias

Value: TypeAlias = "str | int | float | bool | tuple[Value, ...]"
"""Value of a setting; lists become tuples, since bots must not change them."""


class SettingError(ValueError):
    """Raised for an invalid value of a setting; the message names it."""


def bot_settings(table: object) -> Mapping[str, Value]:
    """Return the settings in a table of TOML.

    Raises:
        SettingError: if it is not a table, or has values other than texts, numbers, booleans and lists of them.
    """
    if not isinstance(table, dict):
        raise SettingError("must be a table of names and values, such as [settings] followed by depth = 3")
    return {name: _value(name, value) for name, value in table.items()}


def _value(name: str, value: object) -> Value:
    if isinstance(value, list):
        return tuple(_value(name, item) for item in value)
    if isinstance(value, str | int | float):
        return value
    raise SettingError(f"{name:.60} must be a string, a number, true or false, or a list of these")
