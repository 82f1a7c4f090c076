"""What a person types instead of a number: "2 red for soy", "2 blue, red"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from beanleague.cli.replay.kinds import label
from beanleague.games import Action, Kind, View
from beanleague.games.bohnanza import BohnanzaView, Counter, Decision, Offer
from beanleague.games.dice import DiceDecision, DiceView, Save

HELP = """\
  a number      do what has this number
  2 red for soy offer two red beans for a soy bean; "2 red for nothing" is a gift, "nothing for soy" asks for one
  2 blue, red   in the dice games: save these dice
  t             show the table again
  ?             this help
  q             leave the table, which ends the match"""

_PART = re.compile(r"(?:(\d{1,2})\s+)?([a-z-]+?)s?")
_MAX_CARDS = 30


class PhraseError(Exception):
    """Raised when what was typed means nothing here; the message says why."""


def action_of(text: str, view: View) -> Action:
    """Return the action that `text` means.

    Raises:
        PhraseError: if it means none.
    """
    if isinstance(view, BohnanzaView) and view.decision in {Decision.TRADE, Decision.ANSWER}:
        return _proposal(text, view)
    if isinstance(view, DiceView) and view.decision is DiceDecision.SAVE:
        faces = [kind for die in view.rolled if (kind := view.faces[die])]
        places = _take(_kinds(text, faces), faces, "of these dice show")
        return Save(tuple(sorted(view.rolled[i] for i in places)))
    raise PhraseError("choose one of the numbers; ? shows what else can be typed")


def _proposal(text: str, view: BohnanzaView) -> Action:
    given, word, wanted = text.partition(" for ")
    if not word:
        raise PhraseError('an offer says what is given and what is wanted: "2 red for soy"')
    known = [kind.name for kind in view.rules.kinds]
    gives, wants = _kinds(given, known), _kinds(wanted, known)
    if view.decision is Decision.TRADE:
        turned = _present(gives, view.turned)
        hand = _take(_without(gives, [view.turned[i] for i in turned]), view.hand, "of the cards you may give are")
        others = tuple(seat for seat in range(len(view.hand_sizes)) if seat != view.seat)
        return Offer(others, turned, hand, tuple(wants))
    turned = _present(wants, view.turned)
    left = _without(wants, [view.turned[i] for i in turned])
    return Counter(_take(gives, view.hand, "cards of your hand are"), turned, tuple(left))


def _kinds(text: str, known: Iterable[Kind]) -> list[Kind]:
    """Return the kinds in a text such as "2 red, soy"."""
    named = {label(kind): kind for kind in known}
    found: list[Kind] = []
    if text.strip().lower() in {"nothing", ""}:
        return found
    for part in re.split(r",|\band\b|\+", text.lower()):
        match = _PART.fullmatch(part.strip())
        name = match[2].replace("_", "-") if match else ""
        fits = [kind for words, kind in named.items() if name and words.startswith(name)]
        if match is None or (len(fits) != 1 and name not in named):
            raise PhraseError(f"{part.strip()!r} is no kind of bean here; there are: {', '.join(named)}")
        found += [named.get(name, fits[0])] * int(match[1] or 1)
    if len(found) > _MAX_CARDS:
        raise PhraseError(f"{len(found)} cards are too many")
    return found


def _present(wanted: Sequence[Kind], cards: Sequence[Kind]) -> tuple[int, ...]:
    """Return the positions of those of the wanted kinds that lie among `cards`."""
    left = list(wanted)
    found = []
    for position, kind in enumerate(cards):
        if kind in left:
            left.remove(kind)
            found.append(position)
    return tuple(found)


def _without(kinds: Sequence[Kind], taken: Iterable[Kind]) -> list[Kind]:
    left = list(kinds)
    for kind in taken:
        left.remove(kind)
    return left


def _take(wanted: Sequence[Kind], cards: Sequence[Kind], where: str) -> tuple[int, ...]:
    found = _present(wanted, cards)
    for kind in dict.fromkeys(wanted):
        if wanted.count(kind) > cards.count(kind):
            raise PhraseError(f"only {cards.count(kind)} {where} {label(kind)}")
    return found
