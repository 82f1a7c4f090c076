"""Numbers as pages write them."""

from __future__ import annotations

_MINUS = "\N{MINUS SIGN}"


def number(value: float, digits: int = 0) -> str:
    """Write a number, e.g. 1,234."""
    return f"{value:,.{digits}f}".replace("-", _MINUS)


def signed(value: float, digits: int = 0) -> str:
    """Write a number with its sign, e.g. +12; what is rounded to zero has none."""
    text = f"{value:+,.{digits}f}".replace("-", _MINUS)
    return text[1:] if not any(digit in text for digit in "123456789") else text


def percent(share: float, digits: int = 0) -> str:
    """Write a share of 1, e.g. 45 %."""
    return f"{100 * share:.{digits}f}\N{NO-BREAK SPACE}%".replace("-", _MINUS)
