"""What becomes of the entries of a ladder: who is rated, settled or replaced by what is known of them."""

from collections.abc import Mapping, Sequence

from beanleague.league.schedule.plans import RATED_ELO, SETTLED_ELO
from beanleague.model import ChangeKind, Entrant, EntryState

MIN_DEALS = 10
"""Deals without which nobody is rated."""
MAX_PLACING_DEALS = 120
"""Deals after which an entry counts as rated, whatever its half-width: one that always loses has no narrow one."""
UNSETTLED_ELO = 20
"""Half-width above which an entry is not settled any more: more than `SETTLED_ELO`, so that it does not flicker."""

Changes = list[tuple[int, ChangeKind, str]]


def changes(
    entrants: Sequence[Entrant],
    states: Mapping[int, EntryState],
    half_widths: Sequence[int],
    deals: Sequence[int],
    per_owner: int,
) -> Changes:
    """Return what changes, by what is known now: half-widths in Elo and deals, by number of the entrant."""
    found: Changes = []
    now = dict(states)

    def change(entrant: int, kind: ChangeKind, state: EntryState, reason: str) -> None:
        found.append((entrant, kind, reason))
        now[entrant] = state

    for entrant in entrants:
        number = entrant.number
        width, played, state = half_widths[number], deals[number], states[number]
        if state is EntryState.PLACING and played >= MIN_DEALS:
            if width <= RATED_ELO:
                change(number, ChangeKind.RATED, EntryState.RATED, f"known to {width} Elo after {played} deals")
            elif played >= MAX_PLACING_DEALS:
                change(number, ChangeKind.RATED, EntryState.RATED, f"after {played} deals, known to {width} Elo")
        elif state is EntryState.RATED and width <= SETTLED_ELO:
            change(number, ChangeKind.SETTLED, EntryState.SETTLED, f"known to {width} Elo after {played} deals")
        elif state is EntryState.SETTLED and width > UNSETTLED_ELO:
            change(number, ChangeKind.RATED, EntryState.RATED, f"known to {width} Elo only")
    for number, reason in _outdated(entrants, now):
        change(number, ChangeKind.REPLACED, EntryState.REPLACED, reason)
    for number, reason in _too_many(entrants, now, per_owner):
        change(number, ChangeKind.PAUSED, EntryState.PAUSED, reason)
    return found


def _placed(entrants: Sequence[Entrant], states: Mapping[int, EntryState]) -> list[Entrant]:
    """Return the entries that are seated and placed, newest first."""
    placed = (EntryState.RATED, EntryState.SETTLED)
    return [entrant for entrant in reversed(entrants) if states[entrant.number] in placed]


def _outdated(entrants: Sequence[Entrant], states: Mapping[int, EntryState]) -> list[tuple[int, str]]:
    """Return the entries of which a newer version is rated."""
    newest: dict[str, Entrant] = {}
    return [
        (entrant.number, f"{newest[entrant.bot].label} is rated")
        for entrant in _placed(entrants, states)
        if newest.setdefault(entrant.bot, entrant) is not entrant
    ]


def _too_many(entrants: Sequence[Entrant], states: Mapping[int, EntryState], per_owner: int) -> list[tuple[int, str]]:
    """Return the entries of owners who have more than may play; organisers may have any number."""
    of_owner: dict[str, int] = {}
    found = []
    for entrant in _placed(entrants, states):
        if entrant.owner:
            of_owner[entrant.owner] = of_owner.get(entrant.owner, 0) + 1
            if of_owner[entrant.owner] > per_owner:
                found.append((entrant.number, f"the newest {per_owner} bots of {entrant.owner} play"))
    return found
