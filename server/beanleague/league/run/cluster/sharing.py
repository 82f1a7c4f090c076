"""Which node gets which deal."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from beanleague.league.run.cluster.members import Member
from beanleague.referee.messages import DealTask


def share_out(
    queue: deque[DealTask], members: Sequence[Member], joining: int, interval_s: float
) -> dict[str, list[DealTask]]:
    """Take deals from `queue` for those `members` that have room, and return them by address.

    Each deal goes to the node that would be the first to have nothing to play, so that few deals are played in as short
    a time as possible, by all. The share of nodes that are `joining` stays in the queue. `interval_s`: between orders.
    """
    rooms = [member.room(interval_s) for member in members]
    speed = sum(member.speed for member in members) / max(len(members), 1)
    # When it has nothing to play, and its place in `members`; those that join come last.
    turns = [(member.load / member.speed, place) for place, member in enumerate(members) if rooms[place] > 0]
    able = len(turns)
    turns += [(0.0, len(members) + place) for place in range(joining)]
    heapify(turns)
    given: dict[str, list[DealTask]] = {}
    kept: list[DealTask] = []
    while queue and able:
        ends, place = heappop(turns)
        task = queue.popleft()
        amount = members[0].amount(task)
        if place >= len(members):
            kept.append(task)
            heappush(turns, (ends + amount / speed, place))
            continue
        member = members[place]
        given.setdefault(member.address, []).append(task)
        rooms[place] -= amount
        if rooms[place] > 0:
            heappush(turns, (ends + amount / member.speed, place))
        else:
            able -= 1
    queue.extendleft(reversed(kept))
    return given
