"""How a bot looks in every part of a picture."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.cli.views.text import bot_name
from beanproto.v1.league_pb2 import Standing

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C7A00")
"""Those of Okabe and Ito, which colour-blind people can tell apart; their yellow darkened, to be seen on white."""
_DASHES = ("-", "--", ":", "-.")
_SUSPENDED = "#999999"


@dataclass(frozen=True, slots=True)
class Look:
    """How a bot is drawn."""

    name: str
    """Its name, with "?" if its rating is provisional and "(suspended)" if it is that."""
    colour: str
    """Its colour; 8 in turn, grey for suspended bots."""
    dashes: str
    """The style of its line, which tells bots of one colour apart."""
    hollow: bool
    """Whether its points are hollow: its rating is provisional."""
    suspended: bool
    """Whether it is not seated any more."""

    @property
    def marker(self) -> str:
        """The sign of its points."""
        return "x" if self.suspended else "o"

    @property
    def filling(self) -> str:
        """The colour inside its points."""
        return "white" if self.hollow else self.colour


def look(standing: Standing, number: int) -> Look:
    """Return how a bot is drawn that is the `number`-th of the standings, counted from 0."""
    signs = (" ?" if standing.provisional else "") + (" (suspended)" if standing.suspended else "")
    colour = _SUSPENDED if standing.suspended else _COLOURS[number % len(_COLOURS)]
    dashes = _DASHES[number // len(_COLOURS) % len(_DASHES)]
    return Look(bot_name(standing) + signs, colour, dashes, standing.provisional, bool(standing.suspended))
