"""Actions as messages and back."""

from __future__ import annotations

from beanleague import games
from beanleague.games import Action
from beanleague.wire.codec import Choice, subclasses
from beanproto.v1 import referee_pb2 as pb

_ACTIONS: Choice[Action] = Choice(subclasses(games, Action), pb.Move, "action")


def action_to_pb(action: Action, move: pb.Move) -> None:
    """Set the action of `move`.

    Raises:
        WireError: `action` cannot be sent: it is of no known type, or has fields of wrong types or sizes.
    """
    _ACTIONS.set(action, move)


def action_from_pb(move: pb.Move) -> Action:
    """Return the action of `move`.

    Raises:
        WireError: it has none, or one with an unknown kind.
    """
    return _ACTIONS.decode(move)
